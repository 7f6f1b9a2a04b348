// Recognizes responses that may be cut off at a limit that the document does not mention or the service has lowered.

/** Limits are usually multiples of this. */
export const CAP_STEP = 50
const SMALLEST_CAP = 100

/** Whether a response with this many records may be cut off, because the number is a likely limit. */
export const looksCutOff = (count: number): boolean =>
  count >= SMALLEST_CAP && count % CAP_STEP === 0
