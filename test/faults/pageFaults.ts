// What a service can do between the pages of one list. A page is of so few records here that there is more than one.
import { type Fault, type Meeting, send } from "./faults.ts"

const RECORDS = 5
/** Of the directory: there are three subaccounts. */
const SUBACCOUNTS = 2
/** So many pages that go on for ever, before the limit of the task's time comes. */
const FRESH_PAGES = 12
const DAY_MILLIS = 86_400_000

type Entry = Readonly<Record<string, unknown>>

interface Paged {
  readonly list: ReadonlyArray<Entry>
  readonly bodyOf: (list: ReadonlyArray<Entry>, hasMore: boolean) => string
  readonly hasMore: boolean
}

/** The list of a response: itself, or the only one of a record that says whether there is more. */
const pagedIn = (body: string): Paged | undefined => {
  const whole = JSON.parse(body) as ReadonlyArray<Entry> | Entry
  if (Array.isArray(whole))
    return { list: whole, bodyOf: (list) => JSON.stringify(list), hasMore: false }
  const [name, list] = Object.entries(whole).find(([, value]) => Array.isArray(value)) ?? []
  if (name === undefined || !("has_more" in whole)) return undefined
  return {
    list: list as ReadonlyArray<Entry>,
    bodyOf: (entries, hasMore) => JSON.stringify({ ...whole, [name]: entries, has_more: hasMore }),
    hasMore: whole["has_more"] === true,
  }
}

const sizeOf = ({ path }: Meeting): number => (path === "/subaccount" ? SUBACCOUNTS : RECORDS)

/** Answers with a page; `choose` has the pages of the list that are left, and how many were sent before. */
const paged =
  (
    choose: (
      pages: ReadonlyArray<string>,
      before: ReadonlyArray<string>,
      meeting: Meeting,
      left: Paged,
    ) => { readonly body: string; readonly isMet: boolean } | undefined,
  ): Fault =>
  async (meeting) => {
    const { status, body } = await meeting.answer()
    const left = status === 200 ? pagedIn(body) : undefined
    if (left === undefined) {
      send(meeting.response, status, body)
      return false
    }
    const size = sizeOf(meeting)
    const pages: Array<string> = []
    for (let at = 0; at === 0 || at < left.list.length; at += size)
      pages.push(
        left.bodyOf(left.list.slice(at, at + size), left.hasMore || at + size < left.list.length),
      )
    const usual = { body: pages[0]!, isMet: false }
    const chosen = choose(pages, meeting.pages, meeting, left) ?? usual
    meeting.pages.push(chosen.body)
    meeting.keep(chosen.body, undefined)
    send(meeting.response, status, chosen.body)
    return chosen.isMet
  }

/** Older than all others and like none of them. */
const fresh = (entry: Entry, number: number): Entry =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]) => {
      if (typeof value !== "string") return [name, value]
      const instant = /^\d{4}-\d\d-\d\dT/.test(value)
        ? Date.parse(`${value.replace(/Z$/, "")}Z`)
        : Number.NaN
      if (!Number.isNaN(instant))
        return [
          name,
          new Date(instant - number * 1000).toISOString().slice(0, value.endsWith("Z") ? 24 : 19),
        ]
      return [
        name,
        /^0x[0-9a-f]{8}/i.test(value)
          ? value.slice(0, -6) + String(number).padStart(6, "0")
          : value,
      ]
    }),
  )

export const pageFaults: Readonly<Record<string, Fault>> = {
  "small pages": paged(() => undefined),
  "page 2 is page 1 again": paged((_, before) =>
    before.length === 1 ? { body: before[0]!, isMet: true } : undefined,
  ),
  "every page is page 1": paged((_, before) =>
    before.length > 0 ? { body: before[0]!, isMet: true } : undefined,
  ),
  "page 2 before page 1": paged(([one, two], before) => {
    if (two === undefined || before.length > 1) return undefined
    return { body: before.length === 0 ? two : one!, isMet: true }
  }),
  "has_more for ever, with fresh pages": paged((_pages, before, meeting, { list, bodyOf }) => {
    if (before.length === 0) return undefined
    const last = pagedIn(before.at(-1)!)?.list.at(-1) ?? list[0]
    if (last === undefined) return undefined
    if (before.length === FRESH_PAGES) meeting.moveClock(DAY_MILLIS)
    const entries = Array.from({ length: sizeOf(meeting) }, (_, at) =>
      fresh(last, before.length * RECORDS + at + 1),
    )
    return { body: bodyOf(entries, true), isMet: true }
  }),
}
