// vaulthouse report: the vaults over a period as one file.
import { type Command, toggle, value, values } from "../../parse/Command.ts"

export const report: Command = {
  name: "report",
  summary: "Write a report of the vaults over a period: one HTML file, PDF or PNG",
  neededBy: "Vault operators: the period's figures and charts as one file, to mail or print",
  details:
    "Writes one file: the figures of a period compared with those of the period before, what is wrong with each vault, and its charts. The HTML file needs nothing else: it opens from disk, has no script, and can be mailed. PDF and PNG need a Chromium on this machine. The setting `report` writes one after every run that publishes.",
  flags: {
    vault: values("Only this vault: its address or its name (repeatable)"),
    days: value("Length of the period in days", "30"),
    to: value("Last day of the period, such as 2026-05-31 (default: the last complete day)"),
    compare: toggle("The vaults side by side, with their series in the same charts"),
    "as-of": value(
      "Report what was known at this instant: 2026-01-31T18:00Z, or a day for its beginning (UTC)",
    ),
    format: {
      choices: ["html", "pdf", "png"],
      describe: "Format (default: the ending of --out, else html)",
    },
    out: value("File to write (default: report.html, .pdf or .png)"),
  },
  examples: [
    ["report", "all vaults over the last 30 days, into report.html"],
    [
      "report --compare --vault 'Harbor USDC 1' --vault 'Meridian USDC 4'",
      "two vaults side by side",
    ],
    ["report --to 2026-01-31 --as-of 2026-02-01T06:00Z", "as it was known then"],
    ["report --vault 'Harbor USDC 1' --days 90 --out harbor.pdf", "one vault, as PDF"],
  ],
  run: async (argv) => (await import("./run.ts")).runReport(argv),
}
