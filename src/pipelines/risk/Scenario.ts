// A collateral simulation a user wants answered with every run (§2.6); `scenarios` of the configuration.

export interface Scenario {
  readonly name: string
  /** Inputs of the collateral simulation, by the names of §2.6. */
  readonly inputs: Readonly<Record<string, unknown>>
}
