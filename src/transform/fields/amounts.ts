// Finds token amounts that are sent raw and normalized (§2.10), as { raw, normalized } or in two fields, of which often
// only one has a name that says which it is.
import { asDigits, isJsonObject, type JsonObject } from "../../domain/json.ts"
import { fieldWords, hasWord } from "./fieldWords.ts"
import { isExact, numberOf } from "./numbers.ts"

export interface Amount {
  /** In the token's smallest unit, with every digit. */
  readonly raw: string | null
  readonly normalized: number | null
  /** Fields whose content is completely in `raw` and `normalized`. */
  readonly consumed: ReadonlyArray<string>
}

const words = (...lines: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(" ")))

const rawWords = words("raw wei atomic lamports stroops")
const normalizedWords = words("normalized normalised formatted decimal ui human readable display")
const plainWords = words("amount amounts value")
// Words in the names of numbers that are not amounts.
const otherWords = words(
  "usd count number pct percent percentage share fee fees bps decimals price delay",
  "period days seconds time at date id min max minimum maximum limit cap threshold places",
)
// Words that don't distinguish figures: `total_withdrawal_amount` and `withdrawals_normalized` are the same amount.
const fillers = words("total of in asset assets token tokens underlying string")

type Kind = "raw" | "normalized" | "plain"

/** A number in a field of the record, or in an object in a field. */
interface Figure {
  /** The field of the record. */
  readonly field: string
  readonly kind: Kind
  /** The other words of the name; figures with the same stem are the same amount. */
  readonly stem: ReadonlyArray<string>
  readonly value: unknown
}

/** Whether a number has more digits than a double can represent, and so must be a raw amount. */
const isLong = (value: unknown): boolean => {
  const digits = asDigits(value)
  return digits !== undefined && !Number.isSafeInteger(Number(digits))
}

const figure = (field: string, names: ReadonlyArray<string>, value: unknown): Figure => {
  const parts = names.flatMap(fieldWords)
  const has = (set: ReadonlySet<string>): boolean => parts.some((word) => set.has(word))
  const stem = parts.filter((word) =>
    [rawWords, normalizedWords, plainWords, fillers].every((set) => !set.has(word)),
  )
  return {
    field,
    kind: has(rawWords) ? "raw" : has(normalizedWords) ? "normalized" : "plain",
    stem: [...new Set(stem.map((word) => word.replace(/s$/, "")))].toSorted(),
    value,
  }
}

const isPart = (name: string): boolean =>
  [rawWords, normalizedWords, plainWords].some((set) => hasWord(name, set)) &&
  !hasWord(name, otherWords)

const figuresIn = (record: JsonObject, wanted: (name: string) => boolean): ReadonlyArray<Figure> =>
  Object.entries(record)
    .filter(([name]) => wanted(name) && !hasWord(name, otherWords))
    .flatMap(([name, value]) =>
      isJsonObject(value)
        ? Object.entries(value)
            .filter(([part]) => isPart(part))
            .map(([part, inner]) => figure(name, [name, part], inner))
        : [figure(name, [name], value)],
    )

interface Pair {
  readonly raw: Figure | undefined
  readonly normalized: Figure | undefined
}

/** What figures with plain names are, if it is known from their total. */
type Plain = "raw" | "normalized" | undefined

/**
 * The raw and the normalized figure of one amount. A figure with a plain name is raw if another name says `normalized`,
 * or if it is sent as text next to the token's decimals; otherwise it is normalized.
 */
const pairIn = (
  figures: ReadonlyArray<Figure>,
  hasDecimals: (field: string) => boolean,
  plain: Plain,
): Pair => {
  const ofKind = (kind: Kind) => figures.filter((each) => each.kind === kind)
  const hasNormalized = ofKind("normalized").length > 0
  const isRaw = ({ field, value }: Figure): boolean => {
    if (plain !== undefined) return plain === "raw"
    if (isLong(value)) return true
    if (asDigits(value) === undefined) return false
    const hasNoRaw = ofKind("raw").every((each) => each.value === null)
    return hasNormalized || (hasNoRaw && typeof value === "string" && hasDecimals(field))
  }
  return {
    raw: [...ofKind("raw"), ...ofKind("plain").filter(isRaw)].find(
      ({ value }) => asDigits(value) !== undefined,
    ),
    normalized: [...ofKind("normalized"), ...ofKind("plain").filter((each) => !isRaw(each))].find(
      ({ value }) => numberOf(value) !== undefined,
    ),
  }
}

const decimalsWord = new Set(["decimals"])

/** The amount in the record's `wanted` fields; if there are several, the one with the shortest stem. */
export const amountIn = (
  record: JsonObject,
  wanted: (name: string) => boolean,
  plain?: Plain,
): Amount => {
  const figures = figuresIn(record, wanted)
  const hasDecimals = (field: string): boolean => {
    const value = record[field]
    return Object.keys(isJsonObject(value) ? value : record).some((name) =>
      hasWord(name, decimalsWord),
    )
  }
  const pairs = [...Map.groupBy(figures, ({ stem }) => stem.join(" ")).values()]
    .toSorted(([a], [b]) => (a?.stem.length ?? 0) - (b?.stem.length ?? 0))
    .map((group) => pairIn(group, hasDecimals, plain))
  const raw = pairs.find((pair) => pair.raw !== undefined)?.raw
  const normalized = pairs.find((pair) => pair.normalized !== undefined)?.normalized
  const number = numberOf(normalized?.value)
  // If a double loses digits and there is no raw amount, the field must stay in `extra`.
  const isLossless = number === undefined || raw !== undefined || isExact(number, normalized?.value)
  const kept = new Set([raw, isLossless ? normalized : undefined])
  const isConsumed = (field: string): boolean => {
    const value = record[field]
    const own = figures.filter((each) => each.field === field)
    // An object with other fields stays in `extra` as a whole.
    const length = isJsonObject(value) ? Object.keys(value).length : 1
    return own.length === length && own.every((each) => kept.has(each))
  }
  return {
    raw: asDigits(raw?.value) ?? null,
    normalized: number ?? null,
    consumed: [...new Set(figures.map(({ field }) => field))].filter(isConsumed),
  }
}

/**
 * The amounts of a list with a known total. Amounts with plain names are taken as raw or normalized, whichever adds up
 * to the total. The total is sent both raw and normalized (§2.10), which gives the scale.
 */
export const amountsIn = (
  records: ReadonlyArray<JsonObject>,
  wanted: (name: string) => boolean,
  total: Amount,
): ReadonlyArray<Amount> => {
  const totalRaw = Number(total.raw)
  const { normalized: totalNormalized } = total
  if (!(totalRaw > 0) || totalNormalized === null || !(totalNormalized > 0)) {
    return records.map((record) => amountIn(record, wanted))
  }
  const asTokens = records.map((record) => amountIn(record, wanted, "normalized"))
  const sum = asTokens.reduce((all, { normalized }) => all + (normalized ?? 0), 0)
  const distance = (to: number) => Math.abs(Math.log(sum / to))
  if (!(sum > 0) || distance(totalNormalized) <= distance(totalRaw)) return asTokens
  const scale = 10 ** Math.round(Math.log10(totalRaw / totalNormalized))
  return records.map((record) => {
    const amount = amountIn(record, wanted, "raw")
    return amount.normalized !== null || amount.raw === null
      ? amount
      : { ...amount, normalized: Number(amount.raw) / scale }
  })
}
