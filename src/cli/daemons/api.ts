// salt-api: the API of a master in a separate process.
import { join } from 'node:path'
import type { Log } from '../../base/mod.ts'
import { masterConfig, option, wantsApi } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { mayHaveModules } from '../../pybridge/mod.ts'
import { configSources } from '../config-sources.ts'
import { callOverSsh } from '../over-ssh.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_API } from '../programs/salt-api.ts'
import type { Streams } from '../streams.ts'
import { keepFromOthers, runDaemon } from './daemon.ts'
import { detach } from './detach.ts'

export function saltApi(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_API, argv, streams, async (line) => {
    const read = async (path: string, log: Log) =>
      apiOptions(await masterConfig({ path, log, ...configSources, program: 'salt-api' }))
    const { opts, log } = await programOptions({ program: SALT_API, line, streams, file: 'master', read })
    if (line.values.get('daemon') === true) return detach('salt-api', option(opts, 'log_file'), streams)
    keepFromOthers()
    const { Api, OwnNetapis, socketMaster } = await import('../../api/mod.ts')
    if (!wantsApi(opts) && !mayHaveModules(opts, 'netapi')) {
      log('error', 'Did not find any netapi configurations, nothing to start: set the option rest_cherrypy')
      return 1
    }
    let opening: ReturnType<typeof Api.open> | undefined
    let netapis: Awaited<ReturnType<typeof OwnNetapis.open>>
    return runDaemon({
      name: 'salt-api',
      opts,
      log,
      open: () => {
        opening = socketMaster(opts, log, callOverSsh).then(async (master) => {
          const api = await Api.open(master, log)
          netapis = await OwnNetapis.open(master, log)
          return api
        })
        return opening
      },
      close: async () => {
        await netapis?.close()
        await opening?.then((api) => api.close()).catch(() => undefined)
      },
    })
  })
}

/** Return the options of a master with the pid and log files of salt-api. A default is below `root_dir`. */
function apiOptions(opts: Dict): Dict {
  const placed = (name: 'api_pidfile' | 'api_logfile'): string => join(option(opts, 'root_dir'), option(opts, name))
  opts.set('pidfile', opts.get('api_pidfile') ?? placed('api_pidfile'))
  return opts.set('api_logfile', opts.get('api_logfile') ?? placed('api_logfile'))
}
