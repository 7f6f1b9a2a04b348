// Lists whose answers may be cut off at a number the document does not say, or that a service has lowered.

/** Nobody chooses a smaller step. */
export const CAP_STEP = 50
const SMALLEST_CAP = 100

/** Whether an answer of so many records looks like one cut off: a number somebody would choose as the most. */
export const looksCutOff = (count: number): boolean =>
  count >= SMALLEST_CAP && count % CAP_STEP === 0
