// Functions that reach other machines, or the master itself. A target that a module runs on may not call them: whoever owns that
// machine would own the others.
import { isAskedByTarget } from '../base/mod.ts'
import { LoaderError } from './errors.ts'

const MODULES: ReadonlySet<string> = new Set(['event', 'mine', 'minion', 'publish'])
const FUNCTIONS: ReadonlySet<string> = new Set([
  'cp.push',
  'cp.push_dir',
  'saltutil.cmd',
  'saltutil.cmd_iter',
  'saltutil.runner',
  'saltutil.wheel',
])

/** Throw when a target asked for what leads to this call, and the function reaches beyond that target. */
export function refuseBeyondTarget(name: string): void {
  if (!isAskedByTarget()) return
  if (!MODULES.has(name.slice(0, name.indexOf('.'))) && !FUNCTIONS.has(name)) return
  throw new LoaderError(
    'ModuleUnavailable',
    `'${name}' reaches beyond the target, so a module on the target cannot call it`,
  )
}
