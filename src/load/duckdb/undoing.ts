// Undoes the settings of a connection, such as an ATTACH or a USE, whatever becomes of the work they were made for.

/**
 * Resolves as `work` does, after `undo`. Where `work` fails, `undo` may fail because of it: a full disk invalidates an
 * attached database, which then can't be left. The first failure is the one to report.
 */
export const undoing = async <A>(
  undo: () => Promise<unknown>,
  work: () => Promise<A>,
): Promise<A> => {
  let result: A
  try {
    result = await work()
  } catch (cause) {
    await undo().catch(() => undefined)
    throw cause
  }
  await undo()
  return result
}
