// The client for requests outside a run: same validation, pace and retries, but nothing is archived and no warehouse
// is opened.
import * as Layer from "effect/Layer"
import { ApiClient, type ApiSettings } from "../../extract/ApiClient.ts"
import { Transport } from "../../extract/http/Transport.ts"
import type { PaceOptions } from "../../extract/budget/PaceState.ts"
import { RequestBudget } from "../../extract/budget/RequestBudget.ts"
import { type Received, ResponseArchive } from "../../archive/ResponseArchive.ts"

export interface Service {
  readonly api: ApiSettings
  readonly pace: PaceOptions
}

export const clientOutsideRun = (
  { api, pace }: Service,
  onReceived?: (received: Received) => void,
): Layer.Layer<ApiClient> =>
  ApiClient.layer(api).pipe(
    Layer.provide(ResponseArchive.nowhere(onReceived)),
    Layer.provide(RequestBudget.layer(pace)),
    Layer.provide(Transport.layer(api.proxies)),
  )
