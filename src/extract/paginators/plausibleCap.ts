// Responses that may be cut off at a number which the document does not name or the service has lowered.

/** Limits are usually multiples of this. */
export const CAP_STEP = 50
const SMALLEST_CAP = 100

/** Whether so many records may be a cut-off response: the number is a likely limit. */
export const looksCutOff = (count: number): boolean =>
  count >= SMALLEST_CAP && count % CAP_STEP === 0
