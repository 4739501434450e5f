// The checks of a master before it starts: the configured sources of files and pillar must be usable. Like Salt, the
// master does not start otherwise.
import { BrineError, type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { FileServer } from '../fileserver/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { gitEntries } from '../pillar/mod.ts'
import { ownBackends } from '../pybridge/mod.ts'

/** Log all problems with the configuration; throw if there are any. */
export async function checkBeforeStart(opts: Dict, log: Log): Promise<void> {
  const checks = [
    () => new FileServer(opts, new LocalHost({ cache: option(opts, 'cachedir') }), log, ownBackends).check(),
    async () => {
      if (gitEntries(opts).length > 0) (await import('../pillar/mod.ts')).verifyGitPillars(opts, log)
    },
  ]
  let hasFailed = false
  for (const check of checks) {
    try {
      await check()
    } catch (error) {
      hasFailed = true
      log('critical', toError(error).message)
    }
  }
  if (!hasFailed) return
  log('critical', 'Master failed pre flight checks, exiting')
  throw new BrineError('PreFlightFailed', 'its configuration has errors')
}
