// A file that tells programs beside a master of a cluster that the master has no majority: keys must not be changed
// then.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BrineError } from '../base/mod.ts'

export const quorumMark = (cachedir: string): string => join(cachedir, 'cluster', 'no-quorum')

/** Throw if the master with this cache has no majority. */
export function requireQuorumBeside(cachedir: string): void {
  if (!existsSync(quorumMark(cachedir))) return
  throw new BrineError('NoQuorum', 'The master does not reach a majority of its cluster, so keys cannot be changed')
}
