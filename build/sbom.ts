// What the package brings, as CycloneDX: what npm lists, without what only development needs, and without what would differ
// each time. npm sbom --package-lock-only --sbom-format cyclonedx | node build/sbom.ts SECONDS
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"

interface Component {
  readonly "bom-ref": string
  readonly name: string
  readonly version: string
  readonly scope: string
  readonly properties: ReadonlyArray<{ readonly name: string }>
}

interface Bom {
  readonly metadata: { readonly component: Component }
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<{
    readonly ref: string
    readonly dependsOn: ReadonlyArray<string>
  }>
}

const root = join(import.meta.dirname, "..")
const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { name: string }

/** Development dependencies whose code is in the bundle, as `name version`. */
const bundled = new Set(
  [...readFileSync(join(root, "dist/LICENSES.txt"), "utf8").matchAll(/^(\S+ \d\S*): /gm)].map(
    ([, each]) => each,
  ),
)

const isOfDevelopment = (property: { readonly name: string }) =>
  property.name === "cdx:npm:package:development"

const bom = JSON.parse(await text(process.stdin)) as Bom
const components = bom.components
  .map((component) => ({
    ...component,
    isBundled: bundled.has(`${component.name} ${component.version}`),
  }))
  .filter(({ isBundled, properties }) => isBundled || !properties.some(isOfDevelopment))
  .map(({ isBundled, ...component }) =>
    isBundled
      ? {
          ...component,
          scope: "required",
          properties: [
            ...component.properties.filter((property) => !isOfDevelopment(property)),
            { name: "cdx:npm:package:bundled", value: "true" },
          ],
        }
      : component,
  )
for (const each of bundled)
  if (!components.some((component) => `${component.name} ${component.version}` === each))
    throw new Error(`npm lists no ${each}, which is in the bundle`)

const refs = new Set([bom.metadata.component, ...components].map((each) => each["bom-ref"]))
const brought = {
  ...bom,
  metadata: {
    ...bom.metadata,
    timestamp: new Date(Number(process.argv[2] ?? 0) * 1000).toISOString(),
    // npm takes it from the folder.
    component: { ...bom.metadata.component, name, type: "application" },
  },
  components,
  dependencies: bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
  serialNumber: undefined,
}
process.stdout.write(
  `${JSON.stringify({ ...brought, serialNumber: serialNumber(JSON.stringify(brought)) }, undefined, 2)}\n`,
)

/** A UUID (version 8) that the content determines. */
function serialNumber(content: string): string {
  const hex = createHash("sha256").update(content).digest("hex")
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return `urn:uuid:${[...groups, hex.slice(20, 32)].join("-")}`
}
