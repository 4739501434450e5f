// What a machine behind a minion has of its minion: its options, and what its functions may ask the master for.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { option } from '../config/mod.ts'
import { type Dict, SaltError, str, type Value } from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import type { DaemonAccess } from '../sdk/mod.ts'

/** The options of a machine: those of its minion, with a cache of its own below the folders of its kind. */
export function machineOptions(opts: Dict, kind: readonly string[], id: string): Dict {
  const name = /^[\w@][\w.@:-]{0,100}$/.test(id) ? id : createHash('sha256').update(id).digest('hex')
  const folder = join(option(opts, 'cachedir'), ...kind, name)
  return new Map<Value, Value>([
    ...opts,
    ['id', id],
    ['cachedir', folder],
    ['extension_modules', join(folder, 'extmods')],
    ['grains_cache', false],
    // those of the minion say nothing about the machine
    ['grains', new Map()],
    // the session has fetched them
    ['autoload_dynamic_modules', false],
  ])
}

/** The daemon that functions of the machine see. No daemon runs there, and they must not control that of the minion. */
const NOBODY = {
  fire: async (): Promise<boolean> => false,
  running: (): Dict[] => [],
  signal: (): boolean => false,
}

/** What states of a machine ask the master, or tell it, in the name of the minion. */
const ASKED = new Set(['_master_tops', '_minion_event'])

/** Return the daemon that functions of a machine see; `minion` is absent where no master stands behind it. */
export const daemonFor = (opts: Dict, minion: Registry | undefined): DaemonAccess => ({
  ...NOBODY,
  askMaster: async (load) => {
    const command = str(load.get('cmd') ?? '')
    const daemon = minion?.ctx.daemon
    if (ASKED.has(command)) return daemon ? daemon.askMaster(new Map(load).set('id', option(opts, 'id'))) : new Map()
    throw new SaltError('CommandExecutionError', `This machine has no minion that could ask its master for ${command}`)
  },
})
