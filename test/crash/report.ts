// Makes docs/reliability.md from the figures: node test/crash/report.ts
import { writePage } from "./figures.ts"

writePage()
