// Compiled forms of what commands use, which the loader writes when a rehearsal ends.
import { rehearse } from './rehearsals.ts'

/**
 * Flags of V8 for which compiled forms come out the same each time: a fixed order of hash tables, no function dropped because it was not
 * used for a while, and no note of a function that became hot. The loader sets the usual ones again before it writes.
 */
const STEADY = ['--hash-seed=1', '--no-flush-bytecode', '--no-sparkplug']

/** `node` runs Node; programs for another processor are run by an emulator. */
export function compileAhead(root: string, outdir: string, node?: readonly string[]): void {
  rehearse(root, outdir, { BRINE_RECORD_CODE: '1' }, { flags: STEADY, ...(node && { node }) })
}
