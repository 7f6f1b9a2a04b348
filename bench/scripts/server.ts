// Runs the simulator in its own process: node bench/scripts/server.ts VAULTS DAYS
import { startSimulator } from "../../simulator/index.ts"

const [vaults, days] = process.argv.slice(2).map(Number)
const simulator = await startSimulator({
  ...(vaults === undefined ? {} : { vaults }),
  ...(days === undefined ? {} : { days }),
})
console.log(simulator.url)
