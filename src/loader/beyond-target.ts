// What a target may not call from modules that run on it: functions that reach other machines or the master itself, and those that
// would show it options of the master. Whoever owns that machine would own the others.
import { isAskedByTarget, WITHHELD_OPTIONS } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { LoaderError } from './errors.ts'

const MODULES: ReadonlySet<string> = new Set(['event', 'mine', 'minion', 'publish'])
const FUNCTIONS: ReadonlySet<string> = new Set([
  'config.items',
  'cp.push',
  'cp.push_dir',
  'saltutil.cmd',
  'saltutil.cmd_iter',
  'saltutil.runner',
  'saltutil.wheel',
  'test.get_opts',
])

/** Throw when a target asked for what leads to this call, and the function reaches beyond that target. */
export function refuseBeyondTarget(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): void {
  if (!isAskedByTarget()) return
  const module = name.slice(0, name.indexOf('.'))
  const isRefused = MODULES.has(module) || FUNCTIONS.has(name)
  if (!isRefused && !(module === 'config' && [...args, ...kwargs.values()].some(namesWithheld))) return
  const why = `'${name}' reaches beyond the target, so a module on the target cannot call it`
  throw new LoaderError('ModuleUnavailable', why)
}

const namesWithheld = (value: Value): boolean =>
  typeof value === 'string' && [...WITHHELD_OPTIONS].some((option) => value.includes(String(option)))
