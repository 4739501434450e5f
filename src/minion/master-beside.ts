// Access to a master on the minion's own machine, for functions that give it work (`saltutil.runner`, `saltutil.wheel`,
// `saltutil.cmd`). The master's configuration file lies beside the minion's; the master is reached in the same way as
// by programs.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { OverSsh } from '../runner/mod.ts'
import type { MasterReach } from '../sdk/mod.ts'
import { renderConfig } from './config-renderer.ts'

/**
 * Find the master at first use; undefined if there is none. `overSsh` is what functions of the master can reach
 * besides.
 */
export function masterBeside(opts: Dict, log: Log, overSsh?: OverSsh): () => Promise<MasterReach | undefined> {
  let found: Promise<MasterReach | undefined> | undefined
  return () => {
    found ??= reach(opts, log, overSsh)
    return found
  }
}

async function reach(opts: Dict, log: Log, overSsh?: OverSsh): Promise<MasterReach | undefined> {
  const path = join(dirname(option(opts, 'conf_file')), 'master')
  if (!existsSync(path)) return undefined
  const [{ masterConfig }, { callingContext, socketAccess }, { fetchSdb }] = await Promise.all([
    import('../config/mod.ts'),
    import('../runner/mod.ts'),
    import('../pybridge/mod.ts'),
  ])
  const access = socketAccess(await masterConfig({ path, fetchSdb, render: renderConfig }), log, overSsh && { overSsh })
  const context = callingContext(access, { jid: '', user: 'UNKNOWN', tag: 'salt/run' })
  return (await context.functions()).master
}
