// What a change is compared with.

/** Runs git; throws where it fails. */
type Git = (...args: ReadonlyArray<string>) => string

const attempted = (git: Git, ...args: ReadonlyArray<string>): string => {
  try {
    return git(...args)
  } catch {
    return ""
  }
}

/** How many commits are looked at where there is no other branch to compare with. */
const COMMITS = 20

/**
 * Where the change left the main branch. On that branch, or without it, as in a clone of one branch: 20 commits ago, or as
 * many as a shallow clone has. Nothing where there is one commit alone.
 */
export const baseOfChange = (git: Git): string | undefined => {
  const head = git("rev-parse", "HEAD")
  for (const main of ["origin/main", "main"]) {
    const base = attempted(git, "merge-base", "HEAD", main)
    if (base !== "" && base !== head) return base
  }
  const args = ["rev-list", "--first-parent", `--max-count=${COMMITS + 1}`, "HEAD"]
  const oldest = git(...args)
    .split("\n")
    .at(-1)
  return oldest === head ? undefined : oldest
}
