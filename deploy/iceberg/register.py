#!/usr/bin/env python3
"""Registers the Parquet files of the current publication as Iceberg tables, without copying them.

Run it after each publication: it compares every table with parquet/current/manifest.json and replaces, in one snapshot,
the files that are not current any more. Run twice, it changes nothing the second time. The catalog is the one that
pyiceberg's own configuration describes (~/.pyiceberg.yaml, or variables such as PYICEBERG_CATALOG__DEFAULT__URI).

Needs pyiceberg[pyarrow] and the extra of the catalog, for example pyiceberg[pyarrow,sql-sqlite]==0.12.0.
"""

import argparse
import json
import os
import sys
from datetime import datetime, timedelta, timezone

import pyarrow.parquet
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import ValidationError
from pyiceberg.io import load_file_io
from pyiceberg.io.pyarrow import parquet_file_to_data_file
from pyiceberg.manifest import DataFile, DataFileContent
from pyiceberg.table import Table

SCHEMAS = ["core", "mart", "ops", "raw"]
PROPERTIES = {
    # The files are vaulthouse's: no engine's maintenance may delete them.
    "gc.enabled": "false",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "20",
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--parquet", default="data/parquet", metavar="PATH",
        help="the data directory's folder, or the address that all engines read it at, "
        "such as s3://bucket/parquet (default: %(default)s)",
    )
    parser.add_argument("--catalog", default="default", metavar="NAME", help="default: %(default)s")
    parser.add_argument(
        "--prefix", default="vaulthouse_",
        help="of the namespaces' names; nothing else may write to these namespaces (default: %(default)s, so vaulthouse_core, …)",
    )
    parser.add_argument(
        "--keep-days", type=int, default=7, metavar="DAYS",
        help="until earlier snapshots expire; set publishedKeep to keep their files as long (default: %(default)s)",
    )
    return parser.parse_args()


def current_files(table: Table) -> dict[str, DataFile]:
    """The data files of the current snapshot by address."""
    snapshot = table.current_snapshot()
    manifests = [] if snapshot is None else snapshot.manifests(table.io)
    entries = [entry for each in manifests for entry in each.fetch_manifest_entry(table.io, discard_deleted=True)]
    return {
        entry.data_file.file_path: entry.data_file
        for entry in entries
        if entry.data_file.content == DataFileContent.DATA
    }


def schema_of(io, address: str) -> tuple[pyarrow.Schema, str]:
    """Columns with their comments, and the comment of the table, as the file carries them."""
    with io.new_input(address).open() as file:
        schema = pyarrow.parquet.read_schema(file)
    metadata = schema.metadata or {}
    comments = json.loads(metadata.get(b"columns", b"{}"))
    fields = [field.with_metadata({"doc": comments.get(field.name, "")}) for field in schema]
    return pyarrow.schema(fields), metadata.get(b"comment", b"").decode()


def open_table(catalog: Catalog, name: tuple[str, str], address: str) -> Table:
    if catalog.table_exists(name):
        return catalog.load_table(name)
    schema, comment = schema_of(load_file_io(catalog.properties, address), address)
    return catalog.create_table(name, schema, properties={**PROPERTIES, "comment": comment})


def replace_files(table: Table, wanted: set[str], stamp: dict[str, str]) -> tuple[int, int]:
    """Makes `wanted` the table's files, in one snapshot. Returns how many it added and removed."""
    present = current_files(table)
    added = sorted(wanted - present.keys())
    removed = sorted(present.keys() - wanted)
    if not added and not removed:
        return 0, 0
    with table.transaction() as transaction:
        if added:
            with transaction.update_schema() as update:
                update.union_by_name(schema_of(table.io, added[-1])[0])
        # The files have no field ids: columns are found by name.
        mapping = transaction.table_metadata.schema().name_mapping.model_dump_json()
        transaction.set_properties({"schema.name-mapping.default": mapping})
        with transaction.update_snapshot(snapshot_properties=stamp).overwrite() as snapshot:
            for address in removed:
                snapshot.delete_data_file(present[address])
            for address in added:
                snapshot.append_data_file(parquet_file_to_data_file(table.io, transaction.table_metadata, address))
    return len(added), len(removed)


def expire(table: Table, days: int) -> None:
    oldest = datetime.now(timezone.utc) - timedelta(days=days)
    if any(each.timestamp_ms < oldest.timestamp() * 1000 for each in table.metadata.snapshots[:-1]):
        table.maintenance.expire_snapshots().older_than(oldest).commit()


def tables_there(catalog: Catalog, prefix: str) -> set[tuple[str, str]]:
    # Not all that begin with the prefix: `vaulthouse_test_core` is of another one.
    ours = {prefix + schema for schema in SCHEMAS}
    namespaces = [name for name in catalog.list_namespaces() if name[-1] in ours]
    return {(each[-2], each[-1]) for namespace in namespaces for each in catalog.list_tables(namespace)}


def open_catalog(name: str) -> Catalog:
    try:
        return load_catalog(name)
    except ValueError as error:
        variable = f"PYICEBERG_CATALOG__{name.upper()}__URI"
        sys.exit(f"Catalog {name}: {error}.\nDescribe it in ~/.pyiceberg.yaml, or set {variable}.")


def read_manifest(catalog: Catalog, folder: str) -> dict:
    path = f"{folder}/current/manifest.json"
    try:
        with load_file_io(catalog.properties, path).new_input(path).open() as file:
            manifest = json.loads(file.read())
    except FileNotFoundError:
        sys.exit(f"{path} is not there.\nName the folder with --parquet, or run `vaulthouse publish` first.")
    if manifest["version"] != 2:
        sys.exit(f"{path} has version {manifest['version']}, and this script reads version 2: use that of the same release.")
    return manifest


def main() -> int:
    options = arguments()
    catalog = open_catalog(options.catalog)
    folder = options.parquet.rstrip("/")
    if "://" not in folder:
        folder = f"file://{os.path.abspath(folder)}"
    manifest = read_manifest(catalog, folder)
    stamp = {"vaulthouse.run-id": manifest["run_id"], "vaulthouse.published-at": manifest["published_at"]}
    wanted: dict[tuple[str, str], set[str]] = {name: set() for name in tables_there(catalog, options.prefix)}
    for file in manifest["files"]:
        name = (options.prefix + file["schema"], file["table"])
        wanted.setdefault(name, set()).add(f"{folder}/{file['path']}")
    changed = 0
    for name, addresses in sorted(wanted.items()):
        if addresses:
            catalog.create_namespace_if_not_exists(name[0])
            table = open_table(catalog, name, min(addresses))
        else:
            # Its last rows are gone, or it is no longer published.
            table = catalog.load_table(name)
        try:
            added, removed = replace_files(table, addresses, stamp)
        except FileNotFoundError as error:
            sys.exit(f"{'.'.join(name)}: {error}.\nUpload parquet/files before current/manifest.json, and run this again.")
        except ValidationError as error:
            sys.exit(f"{'.'.join(name)}: {error}.\nDrop the table in the catalog, and run this again: it is then created again.")
        expire(table, options.keep_days)
        if added or removed:
            changed += 1
            print(f"{'.'.join(name)}: {added} files added, {removed} removed")
    print(f"Publication of {manifest['published_at']}: {changed} of {len(wanted)} tables changed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
