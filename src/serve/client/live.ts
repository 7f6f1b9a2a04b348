// Shows on an open page that a new run was published, without losing the reader's place.
const SECONDS_BETWEEN_LOOKS = 5

interface Publication {
  readonly run_id: string
  readonly published_at: string
}

const shown = document.documentElement.dataset["run"]
const note = document.getElementById("note")

const look = async (): Promise<void> => {
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

setInterval(() => void look(), SECONDS_BETWEEN_LOOKS * 1000)
document.addEventListener("visibilitychange", () => void look())
