// Rounds of a first sync, one without news, the floor and the plain script, in turn over the same simulator.
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { runChild, startChild } from "./child.ts"
import { type Measured, medianOf } from "./measured.ts"

export interface World {
  readonly vaults: number
  readonly days: number
}

export interface Rounds {
  readonly first: Measured
  readonly again: Measured
}

export interface ComparedRounds extends Rounds {
  readonly floor: Measured
  readonly plain: Measured
}

/** Starts a simulator and runs `work` in each round, with its address and a data folder. */
const eachRound = async (
  { vaults, days }: World,
  rounds: number,
  folder: string,
  work: (url: string, dataDir: string) => Promise<void>,
): Promise<void> => {
  const server = await startChild("scripts/server.ts", `${vaults}`, `${days}`)
  try {
    for (let round = 0; round < rounds; round += 1) {
      const dataDir = join(folder, `${vaults}x${days}-${round}`)
      await work(server.url, dataDir)
      await rm(dataDir, { recursive: true })
    }
  } finally {
    server.process.kill()
  }
}

export const runRounds = async (world: World, rounds: number, folder: string): Promise<Rounds> => {
  const first: Array<Measured> = []
  const again: Array<Measured> = []
  await eachRound(world, rounds, folder, async (url, dataDir) => {
    first.push(await runChild("scripts/sync.ts", url, dataDir))
    again.push(await runChild("scripts/sync.ts", url, dataDir))
  })
  return { first: medianOf(first), again: medianOf(again) }
}

export const compareRounds = async (
  world: World,
  rounds: number,
  folder: string,
): Promise<ComparedRounds> => {
  const first: Array<Measured> = []
  const again: Array<Measured> = []
  const floor: Array<Measured> = []
  const plain: Array<Measured> = []
  await eachRound(world, rounds, folder, async (url, dataDir) => {
    first.push(await runChild("scripts/sync.ts", url, dataDir))
    again.push(await runChild("scripts/sync.ts", url, dataDir))
    floor.push(await runChild("scripts/floor.ts", dataDir, `${dataDir}.floor.duckdb`))
    plain.push(await runChild("scripts/plain.ts", dataDir, `${dataDir}.plain.duckdb`))
  })
  return {
    first: medianOf(first),
    again: medianOf(again),
    floor: medianOf(floor),
    plain: medianOf(plain),
  }
}
