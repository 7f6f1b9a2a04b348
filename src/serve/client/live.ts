// Shows a note on an open page when a new run has been published, without reloading the page.
const POLL_SECONDS = 5

interface Publication {
  readonly run_id: string
  readonly published_at: string
}

const shown = document.documentElement.dataset["run"]
const note = document.getElementById("note")

const poll = async (): Promise<void> => {
  if (document.hidden || note === null) return
  const response = await fetch("/api/publication").catch(() => undefined)
  if (response?.ok !== true) return
  const { run_id, published_at } = (await response.json()) as Publication
  if (run_id === shown || note.dataset["run"] === run_id) return
  note.dataset["run"] = run_id
  const reload = document.createElement("button")
  reload.type = "button"
  reload.textContent = "Reload"
  reload.addEventListener("click", () => location.reload())
  note.replaceChildren(
    `A new run was published at ${published_at.slice(11, 16)} UTC; this page shows the one before. `,
    reload,
  )
}

setInterval(() => void poll(), POLL_SECONDS * 1000)
document.addEventListener("visibilitychange", () => void poll())
