// The master on the minion's own machine, for functions that ask it to do something (`saltutil.runner`, `saltutil.wheel`,
// `saltutil.cmd`). It is known by its configuration, which lies beside the minion's, and reached as programs reach it.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { OverSsh } from '../runner/mod.ts'
import type { MasterReach } from '../sdk/mod.ts'
import { renderConfig } from './config-renderer.ts'

/** Looks for it when it is first asked for; undefined when there is none. `overSsh` is what the program reaches for functions of the master. */
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
