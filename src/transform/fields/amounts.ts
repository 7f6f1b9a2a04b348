// Token amounts served twice, raw and normalized (§2.10): as { raw, normalized }, or in two fields of which
// often only one says which of the two it is.
import {
  asDigits,
  asNumber,
  isJsonObject,
  isLongNumber,
  type JsonObject,
} from "../../domain/json.ts"
import { fieldWords, hasWord } from "./fieldWords.ts"

export interface Amount {
  /** In the token's smallest unit, all its digits. */
  readonly raw: string | null
  readonly normalized: number | null
  /** Fields whose whole content is in the other two. */
  readonly consumed: ReadonlyArray<string>
}

const words = (...lines: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(" ")))

const rawWords = words("raw wei atomic lamports stroops")
const normalizedWords = words("normalized normalised formatted decimal ui human readable display")
const plainWords = words("amount amounts value")
// Figures beside an amount that are none themselves.
const otherWords = words(
  "usd count number pct percent percentage share fee fees bps decimals price delay",
  "period days seconds time at date id min max minimum maximum limit cap threshold places",
)
// Words that tell no figure from another: `total_withdrawal_amount` and `withdrawals_normalized` are one.
const fillers = words("total of in asset assets token tokens underlying string")

type Kind = "raw" | "normalized" | "plain"

/** A figure under its own name, or under that of the object it stands in and its own. */
interface Figure {
  /** Field of the record it is in. */
  readonly field: string
  readonly kind: Kind
  /** What the name tells beside the kind: figures of the same stem are one amount. */
  readonly stem: ReadonlyArray<string>
  readonly value: unknown
}

/** A number, or one written as text. */
const decimal = (value: unknown): number | undefined =>
  asNumber(value) ??
  (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined)

// So many significant digits of a decimal come back from a double as they were.
const DOUBLE_DIGITS = 15

/** Whether a double says less than what was served. */
const isShortened = (value: unknown): boolean =>
  isLongNumber(value) ||
  (typeof value === "string" &&
    value.replaceAll(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "").length > DOUBLE_DIGITS)

/** More digits than a double holds can only be a raw amount. */
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

/**
 * The figures of one amount. A field that says nothing holds the raw amount where another says that it is the
 * normalized one, and where it is a text of digits beside the token's decimals; else the normalized.
 */
const pairIn = (figures: ReadonlyArray<Figure>, hasDecimals: (field: string) => boolean): Pair => {
  const of = (kind: Kind) => figures.filter((each) => each.kind === kind)
  const [isNamed] = of("normalized")
  const isRaw = ({ field, value }: Figure): boolean =>
    isLong(value) ||
    (asDigits(value) !== undefined &&
      (isNamed !== undefined ||
        (of("raw").every((each) => each.value === null) &&
          typeof value === "string" &&
          hasDecimals(field))))
  return {
    raw: [...of("raw"), ...of("plain").filter(isRaw)].find(
      ({ value }) => asDigits(value) !== undefined,
    ),
    normalized: [...of("normalized"), ...of("plain").filter((each) => !isRaw(each))].find(
      ({ value }) => decimal(value) !== undefined,
    ),
  }
}

const decimalsWord = new Set(["decimals"])

/** The amount in those of the record's fields whose name is `wanted`; of several the plainest name's. */
export const amountIn = (record: JsonObject, wanted: (name: string) => boolean): Amount => {
  const figures = figuresIn(record, wanted)
  const hasDecimals = (field: string): boolean => {
    const value = record[field]
    return Object.keys(isJsonObject(value) ? value : record).some((name) =>
      hasWord(name, decimalsWord),
    )
  }
  const pairs = [...Map.groupBy(figures, ({ stem }) => stem.join(" ")).values()]
    .toSorted(([a], [b]) => (a?.stem.length ?? 0) - (b?.stem.length ?? 0))
    .map((group) => pairIn(group, hasDecimals))
  const raw = pairs.find((pair) => pair.raw !== undefined)?.raw
  const normalized = pairs.find((pair) => pair.normalized !== undefined)?.normalized
  // What a double shortens is told whole by the raw amount, or stays where it was.
  const told = new Set([
    raw,
    raw === undefined && isShortened(normalized?.value) ? undefined : normalized,
  ])
  const isTold = (field: string): boolean => {
    const value = record[field]
    const own = figures.filter((each) => each.field === field)
    // An object that tells more is kept whole.
    const length = isJsonObject(value) ? Object.keys(value).length : 1
    return own.length === length && own.every((each) => told.has(each))
  }
  return {
    raw: asDigits(raw?.value) ?? null,
    normalized: decimal(normalized?.value) ?? null,
    consumed: [...new Set(figures.map(({ field }) => field))].filter(isTold),
  }
}
