// salt-master: from the command line until it is stopped.
import { type Log, toError } from '../../base/mod.ts'
import { masterConfig, option, wantsApi } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { configSources } from '../config-sources.ts'
import { callOverSsh } from '../over-ssh.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_MASTER } from '../programs/salt-master.ts'
import type { Streams } from '../streams.ts'
import { keepFromOthers, runDaemon } from './daemon.ts'
import { detach } from './detach.ts'

export function saltMaster(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_MASTER, argv, streams, async (line) => {
    const read = (path: string, log: Log) => masterConfig({ path, log, ...configSources, program: 'salt-master' })
    const { opts, log } = await programOptions({ program: SALT_MASTER, line, streams, file: 'master', read })
    if (line.values.get('daemon') === true) return detach('salt-master', option(opts, 'log_file'), streams)
    keepFromOthers()
    let opening: ReturnType<typeof openMaster> | undefined
    return runDaemon({
      name: 'salt-master',
      opts,
      log,
      open: () => {
        opening = openMaster(opts, log)
        return opening
      },
      // a master that failed to open has closed itself
      close: async () => opening?.then((master) => master.close()).catch(() => undefined),
    })
  })
}

/**
 * Open the master, and the API inside it if its options are set. If the API cannot be opened, the master runs without
 * it.
 */
async function openMaster(opts: Dict, log: Log): Promise<{ close(): Promise<void> }> {
  const { Master } = await import('../../master/mod.ts')
  const master = await Master.open(opts, log, process.argv[1], callOverSsh)
  if (!wantsApi(opts) || !option(opts, 'api_in_master')) return master
  try {
    const { Api, ownMaster } = await import('../../api/mod.ts')
    const api = await Api.open(ownMaster(master), log, { isPatient: true })
    return { close: () => api.close().finally(() => master.close()) }
  } catch (error) {
    // minions need their master, even if the options of the API are wrong
    log('error', `The master runs without its API: ${toError(error).message}`)
    return master
  }
}
