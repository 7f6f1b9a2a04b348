// Properties draw from the seed that all other random choices of a run come from.
import { configureGlobal } from "effect/Arbitrary"

configureGlobal({ check: { seed: process.env["TEST_SEED"] } })
