// Makes docs/reliability.md from the figures: node test/reliability/report.ts
import { writePage } from "./page.ts"

writePage()
