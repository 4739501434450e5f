// The exit code of salt-ssh out of the return codes of the targets.

/** Exit codes about the connection to a target rather than the command; scripts distinguish them. */
const KEPT = new Set([10, 11, 12, 13, 14, 70, 73])

/** One of several targets failed. */
const EX_AGGREGATE = 20

export function exitCode(retcode: number): number {
  return retcode === 0 || KEPT.has(retcode) ? retcode : EX_AGGREGATE
}
