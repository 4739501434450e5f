// `master_type: func`: a function on this minion returns its masters. It is called once, before anything else, so there
// is no pillar yet; its result replaces `master`.
import { BrineError, type Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, str } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { minionFunctions } from './functions.ts'

export interface MasterQuestion {
  opts: Dict
  grains: Dict
  host: Host
  log: Log
}

/** Call the function in the option `master`, if it names one. */
export async function findMaster({ opts, grains, host, log }: MasterQuestion): Promise<void> {
  if (opts.get('master_type') !== 'func') return
  const name = str(option(opts, 'master'))
  const functions = minionFunctions({ opts, grains, pillar: new Map(), host, log })
  await functions.refresh()
  if (!functions.has(name)) throw new BrineError('ConfigError', `Failed to load module ${name}`)
  const master = await functions.call(name)
  if (typeof master !== 'string' && !isList(master)) {
    throw new BrineError('ConfigError', `${str(master)} returned from ${name} is not a string`)
  }
  log('info', `Evaluated master from module: ${name}`)
  opts.set('master', master).set('master_type', 'str')
}
