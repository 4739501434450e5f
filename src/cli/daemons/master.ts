// salt-master from its words to its end: it runs until it is told to stop.
import type { Log } from '../../base/mod.ts'
import { masterConfig, option } from '../../config/mod.ts'
import type { Master } from '../../master/mod.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_MASTER } from '../programs/salt-master.ts'
import type { Streams } from '../streams.ts'
import { keepFromOthers, runDaemon } from './daemon.ts'
import { detach } from './detach.ts'

export function saltMaster(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_MASTER, argv, streams, async (line) => {
    const read = (path: string, log: Log) => masterConfig({ path, log, program: 'salt-master' })
    const { opts, log } = await programOptions({ program: SALT_MASTER, line, streams, file: 'master', read })
    if (line.values.get('daemon') === true) return detach('salt-master', option(opts, 'log_file'), streams)
    keepFromOthers()
    let opening: Promise<Master> | undefined
    return runDaemon({
      name: 'salt-master',
      opts,
      log,
      open: () => {
        opening = import('../../master/mod.ts').then(({ Master }) => Master.open(opts, log, process.argv[1]))
        return opening
      },
      // one that could not be opened has closed itself
      close: async () => opening?.then((master) => master.close()).catch(() => undefined),
    })
  })
}
