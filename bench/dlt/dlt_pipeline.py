"""Reads the same URLs with dlt: one resource per history, merged into DuckDB by its key.

python bench/dlt/dlt_pipeline.py URLS_JSON DATABASE [REQUESTS_AT_ONCE]
"""

import json
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlparse

import dlt
from dlt.sources.helpers import requests

KEYS = {
    "unrealized_pnl_ratio": ["vault", "timestamp"],
    "unrealized_pnl": ["vault", "timestamp"],
    "historical_apy_chart": ["vault", "series", "label"],
    "historical_allocations": ["vault", "date", "protocol"],
}
AT_ONCE = int(sys.argv[3]) if len(sys.argv) > 3 else 8


def records(endpoint, request, body):
    vault = {"vault": request["vault"]}
    if endpoint == "historical_apy_chart":
        series = parse_qs(urlparse(request["url"]).query).get("applySmoothing", [""])[0]
        pairs = zip(body["labels"], body["values"])
        return [{**vault, "series": series, "label": label, "value": value} for label, value in pairs]
    points = body["points"] if isinstance(body, dict) else body
    return [{**point, **vault} for point in points]


def history(endpoint, urls):
    @dlt.resource(name=endpoint, write_disposition="merge", primary_key=KEYS[endpoint])
    def pages():
        with ThreadPoolExecutor(AT_ONCE) as pool:
            bodies = pool.map(lambda request: requests.get(request["url"]).json(), urls)
            for request, body in zip(urls, bodies):
                yield records(endpoint, request, body)

    return pages


urls_file, database = sys.argv[1:3]
with open(urls_file) as file:
    urls = json.load(file)
started = time.time()
pipeline = dlt.pipeline("bench", destination=dlt.destinations.duckdb(database), dataset_name="bench")
pipeline.run(
    [history(endpoint, [each for each in urls if each["endpoint"] == endpoint]) for endpoint in KEYS]
)
rows = sum(count for table, count in pipeline.last_trace.last_normalize_info.row_counts.items() if table in KEYS)
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(
    json.dumps(
        {
            "seconds": time.time() - started,
            "cpuSeconds": sum(each.ru_utime + each.ru_stime for each in used),
            "rows": rows,
            "requests": len(urls),
            "megabytes": max(each.ru_maxrss for each in used) / 1024,
        }
    )
)
