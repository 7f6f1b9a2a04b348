// How large the values of a result are, read from DuckDB's own vectors before a value is made in JavaScript.
import {
  DuckDBArrayVector,
  DuckDBBigNumVector,
  DuckDBBitVector,
  DuckDBBlobVector,
  DuckDBGeometryVector,
  DuckDBListVector,
  DuckDBMapVector,
  DuckDBStructVector,
  DuckDBUnionVector,
  DuckDBVarCharVector,
  DuckDBVariantVector,
  type DuckDBVector,
} from "@duckdb/node-api"

/** Parts of vectors that their declarations keep private. */
interface Inner {
  /** Of texts and bytes: 16 bytes each, which begin with the length. */
  readonly dataView: DataView
  readonly validity: { readonly itemValid: (at: number) => boolean }
  /** Of arrays. */
  readonly childData: DuckDBVector
  /** Of maps, unions and variants: what they are stored as. */
  readonly listVector: DuckDBListVector
  readonly structVector: DuckDBStructVector
  readonly structVec: DuckDBVector
  /** Of structs. */
  readonly entryVectors: ReadonlyArray<DuckDBVector>
}

export const innerOf = (vector: DuckDBVector): Inner => vector as unknown as Inner

// A number, an instant and the like, and what surrounds any value.
const PLAIN_BYTES = 8
const ENTRY_BYTES = 16

/** How many characters a stored byte may become. */
const expansion = (vector: DuckDBVector): number | undefined => {
  if (vector instanceof DuckDBVarCharVector) return 1
  if (vector instanceof DuckDBBlobVector || vector instanceof DuckDBGeometryVector) return 4
  if (vector instanceof DuckDBBitVector) return 8
  return vector instanceof DuckDBBigNumVector ? 3 : undefined
}

/** The size of the values from `start` to `end`, about as long as their text. */
export const bytesOf = (vector: DuckDBVector, start: number, end: number): number => {
  const inner = innerOf(vector)
  const count = end - start
  if (vector instanceof DuckDBListVector) {
    let sum = PLAIN_BYTES * count
    for (let at = start; at < end; at++) {
      if (!inner.validity.itemValid(at)) continue
      const offset = vector.getEntryOffset(at)
      sum += bytesOf(vector.childVector, offset, offset + vector.getEntryLength(at))
    }
    return sum
  }
  if (vector instanceof DuckDBStructVector) {
    const entries = inner.entryVectors.map((entry) => bytesOf(entry, start, end))
    return entries.reduce((sum, bytes) => sum + bytes, PLAIN_BYTES * count)
  }
  if (vector instanceof DuckDBMapVector) return bytesOf(inner.listVector, start, end)
  if (vector instanceof DuckDBUnionVector) return bytesOf(inner.structVector, start, end)
  if (vector instanceof DuckDBVariantVector) return bytesOf(inner.structVec, start, end)
  if (vector instanceof DuckDBArrayVector) {
    const { length } = vector.type
    return bytesOf(inner.childData, start * length, end * length)
  }
  const factor = expansion(vector)
  let sum = PLAIN_BYTES * count
  if (factor === undefined) return sum
  for (let at = start; at < end; at++) {
    if (!inner.validity.itemValid(at)) continue
    sum += inner.dataView.getUint32(at * ENTRY_BYTES, true) * factor
  }
  return sum
}
