// The options of a machine behind a minion, taken from its minion, and the requests that its functions may send to the
// master.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { option } from '../config/mod.ts'
import { type Dict, SaltError, str, type Value } from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import type { DaemonAccess } from '../sdk/mod.ts'

/** Return the options of a machine: the options of its minion, and a separate cache folder. */
export function machineOptions(opts: Dict, kind: readonly string[], id: string): Dict {
  const name = /^[\w@][\w.@:-]{0,100}$/.test(id) ? id : createHash('sha256').update(id).digest('hex')
  const folder = join(option(opts, 'cachedir'), ...kind, name)
  return new Map<Value, Value>([
    ...opts,
    ['id', id],
    ['cachedir', folder],
    ['extension_modules', join(folder, 'extmods')],
    ['grains_cache', false],
    // grains in the minion's options do not describe the machine
    ['grains', new Map()],
    // the session has already fetched them
    ['autoload_dynamic_modules', false],
  ])
}

/**
 * The daemon in the context of functions of the machine. No daemon runs there, and the functions must not control the
 * minion's.
 */
const NOBODY = {
  fire: async (): Promise<boolean> => false,
  running: (): Dict[] => [],
  signal: (): boolean => false,
}

/** Requests of the machine's states that go to the master in the name of the minion. */
const ASKED = new Set(['_master_opts', '_master_tops', '_minion_event'])

/** Return the daemon in the context of functions of a machine; `minion` is absent if there is no master. */
export const daemonFor = (opts: Dict, minion: Registry | undefined): DaemonAccess => ({
  ...NOBODY,
  askMaster: async (load) => {
    const command = str(load.get('cmd') ?? '')
    const daemon = minion?.ctx.daemon
    if (ASKED.has(command)) return daemon ? daemon.askMaster(new Map(load).set('id', option(opts, 'id'))) : new Map()
    throw new SaltError('CommandExecutionError', `This machine has no minion that could ask its master for ${command}`)
  },
})
