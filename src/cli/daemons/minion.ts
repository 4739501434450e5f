// salt-minion: from the command line until it is stopped, or its master refuses it.
import type { Log } from '../../base/mod.ts'
import { minionConfig, option } from '../../config/mod.ts'
import { configSources } from '../config-sources.ts'
import { callOverSsh } from '../over-ssh.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_MINION } from '../programs/salt-minion.ts'
import type { Streams } from '../streams.ts'
import { keepFromOthers, runDaemon } from './daemon.ts'
import { detach, startedAs } from './detach.ts'

export function saltMinion(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_MINION, argv, streams, async (line) => {
    const read = (path: string, log: Log) =>
      minionConfig({ path, log, ...configSources, rememberId: true, program: 'salt-minion' })
    const { opts, log } = await programOptions({ program: SALT_MINION, line, streams, file: 'minion', read })
    if (line.values.get('daemon') === true) return detach('salt-minion', option(opts, 'log_file'), streams)
    keepFromOthers()
    const { Minion } = await import('../../minion/mod.ts')
    const minion = new Minion(opts, log, { startedAs: startedAs(), overSsh: callOverSsh })
    return runDaemon({
      name: 'salt-minion',
      opts,
      log,
      open: () => minion.open(),
      started: () => minion.started,
      close: () => minion.close(),
      ended: () => minion.ended,
    })
  })
}
