// How every message about a failure begins. Loaded by every `--help`, so it imports nothing.

/** After the program's name a sentence goes on in lower case, unless it begins with a name. */
export const complaintText = (sentence: string): string =>
  `vaulthouse: ${sentence.replace(/^(?!Parquet |Node )[A-Z](?=[a-z']* )/, (first) => first.toLowerCase())}`
