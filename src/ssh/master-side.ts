// The requests of a target's functions to its master. No master is between: this code answers them from the master's
// data.
import { toError } from '../base/mod.ts'
import { type Dict, isDict, SaltError, str, type Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import type { SshParts } from './parts.ts'
import type { SshSession } from './session.ts'

export async function askMaster(parts: SshParts, { id }: SshSession, load: Dict): Promise<Value> {
  const command = str(load.get('cmd') ?? '')
  if (command === '_master_tops') {
    const { masterTops } = await import('../master/mod.ts')
    return masterTops({ opts: parts.opts, log: parts.log, host: new LocalHost() }, new Map(load).set('id', id))
  }
  // the options of a session are those of the master already
  if (command === '_master_opts') return null
  if (command === '_minion_event') {
    const data = load.get('data')
    try {
      await parts.fire(str(load.get('tag') ?? ''), data !== undefined && isDict(data) ? data : new Map())
      return true
    } catch (error) {
      parts.log('debug', `The event ${str(load.get('tag') ?? '')} was not fired: ${toError(error).message}`)
      return false
    }
  }
  throw new SaltError('CommandExecutionError', `Target ${id} has no minion that could ask its master for ${command}`)
}
