// salt-syndic: from the command line until it is stopped, or a master above refuses it.
import { dirname, join } from 'node:path'
import type { Log } from '../../base/mod.ts'
import { minionConfig, option, placeOfOption, syndicMasterConfig } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { configSources } from '../config-sources.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_SYNDIC } from '../programs/salt-syndic.ts'
import type { Streams } from '../streams.ts'
import { keepFromOthers, runDaemon } from './daemon.ts'
import { detach } from './detach.ts'

export function saltSyndic(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_SYNDIC, argv, streams, async (line) => {
    const program = 'salt-syndic'
    let minion: Dict = new Map()
    const read = async (path: string, log: Log): Promise<Dict> => {
      const lower = await syndicMasterConfig({ path, log, ...configSources, program })
      minion = await minionConfig({ path: join(dirname(path), 'minion'), log, ...configSources, program })
      return lower
    }
    const { opts, log } = await programOptions({ program: SALT_SYNDIC, line, streams, file: 'master', read })
    // the command line wins over the file
    if (line.given.has('user')) opts.delete('syndic_user')
    if (line.given.has('pidfile')) opts.set('syndic_pidfile', opts.get('pidfile')!)
    const { Syndic, syndicOptions } = await import('../../syndic/mod.ts')
    const options = syndicOptions(opts, minion, placeOfOption(minion, 'id') !== '')
    if (line.values.get('daemon') === true) return detach(program, option(opts, 'syndic_log_file'), streams)
    keepFromOthers()
    const syndic = new Syndic(options, log)
    return runDaemon({
      name: program,
      opts: options.daemon,
      log,
      open: () => syndic.open(),
      started: async () => undefined,
      close: () => syndic.close(),
      ended: () => syndic.ended,
    })
  })
}
