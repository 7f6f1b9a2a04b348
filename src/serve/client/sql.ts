// Completes words in the SQL field with names of the dictionary, which the server finds for the text before the caret.
// The field works without this script.

interface Completion {
  readonly words: ReadonlyArray<string>
  /** The text before the caret that the words begin with. */
  readonly begun: string
}

const MAX_WORDS = 12
const DEBOUNCE_MILLIS = 80

const complete = (form: HTMLFormElement, field: HTMLTextAreaElement, list: HTMLElement): void => {
  let begun = ""
  let active = -1
  let waiting = 0

  const options = (): ReadonlyArray<HTMLElement> => [...list.querySelectorAll<HTMLElement>("li")]

  const close = (): void => {
    list.replaceChildren()
    list.hidden = true
    active = -1
    field.removeAttribute("aria-activedescendant")
  }

  const accept = (option: HTMLElement | undefined): void => {
    const caret = field.selectionStart
    field.setRangeText(option?.textContent ?? "", caret - begun.length, caret, "end")
    close()
    field.focus()
  }

  const choose = (at: number): void => {
    const all = options()
    active = (at + all.length) % all.length
    for (const [place, option] of all.entries()) option.ariaSelected = String(place === active)
    field.setAttribute("aria-activedescendant", all[active]?.id ?? "")
  }

  const show = ({ words, begun: part }: Completion): void => {
    const useful = words.filter((word) => word !== part).slice(0, MAX_WORDS)
    if (useful.length === 0) return close()
    begun = part
    list.replaceChildren(
      ...useful.map((word, at) => {
        const option = document.createElement("li")
        option.id = `word-${at}`
        option.role = "option"
        option.ariaSelected = "false"
        option.textContent = word
        // Not on click: the field would lose the focus first, which closes the list.
        option.addEventListener("mousedown", (event) => {
          event.preventDefault()
          accept(option)
        })
        return option
      }),
    )
    list.hidden = false
    active = -1
  }

  const fetchWords = async (): Promise<void> => {
    const before = field.value.slice(0, field.selectionStart)
    // Only at the end of a word, not inside one or after a space.
    if (!/[\w.]$/.test(before) || /^\w/.test(field.value.slice(field.selectionStart)))
      return close()
    const response = await fetch(
      `/api/completion?${new URLSearchParams({ sql: before }).toString()}`,
    )
    const isUnchanged = field.value.slice(0, field.selectionStart) === before
    if (response.ok && isUnchanged) show((await response.json()) as Completion)
  }

  field.addEventListener("input", () => {
    // Its words are for the text before.
    close()
    clearTimeout(waiting)
    waiting = setTimeout(() => void fetchWords(), DEBOUNCE_MILLIS)
  })
  field.addEventListener("blur", close)
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return form.requestSubmit()
    if (list.hidden) return
    const all = options()
    if (event.key === "ArrowDown") choose(active + 1)
    else if (event.key === "ArrowUp") choose(active < 0 ? all.length - 1 : active - 1)
    else if (event.key === "Escape") close()
    else if (event.key === "Tab") accept(all[Math.max(0, active)])
    else if (event.key === "Enter" && active >= 0) accept(all[active])
    else return
    event.preventDefault()
  })
}

const form = document.querySelector<HTMLFormElement>("#query")
const field = document.querySelector<HTMLTextAreaElement>("#q")
const list = document.querySelector<HTMLElement>("#words")
if (form !== null && field !== null && list !== null) complete(form, field, list)
