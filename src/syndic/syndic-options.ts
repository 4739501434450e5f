// The options of a syndic. It is a minion of the masters above, with the id and the key of this machine's minion, and a program beside
// the master of this machine. The two sides keep their own options.
import { join } from 'node:path'
import { BrineError } from '../base/mod.ts'
import { option, rawOption } from '../config/mod.ts'
import { type Dict, isList, str, type Value } from '../data/mod.ts'

export interface SyndicOptions {
  /** The options of the master of this machine. */
  lower: Dict
  /** The options of the minion that the syndic is above. */
  upper: Dict
  /** The names of the masters above. */
  masters: string[]
  /** The options of the daemon itself: its user, its files and folders. */
  daemon: Dict
}

/** Options of the master's file that a syndic uses as a minion, by their names for minions. */
const FROM_MASTER: ReadonlyArray<readonly [ofMaster: string, ofMinion: string]> = [
  ['syndic_finger', 'syndic_finger'],
  ['syndic_master_port', 'master_port'],
  ['syndic_master_publish_port', 'publish_port'],
]

/**
 * Return the options of both sides. `isMinionNamed`: the minion's file sets the id; otherwise the id in the master's
 * file is used, if there is one.
 */
export function syndicOptions(lower: Dict, minion: Dict, isMinionNamed: boolean): SyndicOptions {
  const named = option(lower, 'syndic_master')
  const masters = [...new Set((isList(named) ? [...named] : [named]).map((name: Value) => str(name)))]
  if (masters.length === 0 || masters.some((name) => name === '')) {
    throw new BrineError('ConfigError', 'The option syndic_master names no master')
  }
  const upper: Dict = new Map(minion)
  upper.set('__role', 'syndic').set('master_type', 'str').set('master', masters[0]!)
  for (const [ofMaster, ofMinion] of FROM_MASTER) {
    const value = lower.get(ofMaster) ?? null
    if (value !== null && value !== '') upper.set(ofMinion, value)
  }
  const id = option(lower, 'id')
  if (!isMinionNamed && !id.endsWith('_master')) upper.set('id', id)
  upper.set('cachedir', syndicFolder(lower))
  return { lower, upper, masters, daemon: daemonOptions(lower, upper) }
}

/** A syndic that changes its user changes the owner of its own folders, not of the master's. */
function daemonOptions(lower: Dict, upper: Dict): Dict {
  const folder = syndicFolder(lower)
  const daemon: Dict = new Map(lower)
  daemon.set('pidfile', rawOption(lower, 'syndic_pidfile')).set('log_file', rawOption(lower, 'syndic_log_file'))
  daemon.set('cachedir', folder).set('sock_dir', folder).set('pki_dir', option(upper, 'pki_dir'))
  const user = option(lower, 'syndic_user')
  if (user) daemon.set('user', user)
  return daemon
}

/** The folder of a syndic's files. */
export const syndicFolder = (lower: Dict): string => join(option(lower, 'cachedir'), 'syndic')
