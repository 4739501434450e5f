// salt-ssh: from the command line to the exit status; a function, or a command line, on machines that are reached by SSH.
import { BrineError, type Log, withHint } from '../../base/mod.ts'
import { clientConfig } from '../../config/mod.ts'
import { str, type Value } from '../../data/mod.ts'
import { socketAccess } from '../../runner/mod.ts'
import { configSources } from '../config-sources.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { inProgramSpan } from '../program-span.ts'
import { SALT_SSH } from '../programs/salt-ssh.ts'
import { type Asking, Questions } from '../questions.ts'
import { isOptionSet } from '../salt/request.ts'
import type { Streams } from '../streams.ts'
import { runJobOverSsh } from './job.ts'
import { askPassword } from './passwords.ts'
import { listHosts, overSsh } from './targets.ts'
import type { SshTargets } from './work.ts'

/** A roster cannot be listed, or a target cannot be read. */
const EX_FAILED = 1

/** Tests replace the targets and answers of the machine. */
export function saltSsh(
  argv: readonly string[],
  streams: Streams,
  { targets = overSsh, questions = new Questions() }: { targets?: SshTargets; questions?: Asking } = {},
): Promise<number> {
  return runProgram(SALT_SSH, argv, streams, async (line) => {
    await askPassword(line, questions, streams)
    const read = (path: string, log: Log) => clientConfig({ path, log, ...configSources, program: 'salt-ssh' })
    const { opts, log } = await programOptions({ program: SALT_SSH, line, streams, file: 'master', read })
    const access = socketAccess(opts, log)
    const work = { opts, log, streams, questions, access, targets }
    try {
      if (isOptionSet(opts, 'list_hosts')) return await listHosts(work)
      const fun = isOptionSet(opts, 'raw_shell') ? 'ssh._raw' : str((opts.get('argv') as Value[])[0] ?? '')
      const attributes = { 'salt.fun': fun, 'salt.tgt': str(opts.get('tgt') ?? '') }
      return await inProgramSpan({ opts, log, name: `salt-ssh.${fun}`, attributes }, () => runJobOverSsh(work))
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
      log('error', withHint(error.message, error.hint))
      return EX_FAILED
    } finally {
      access.close()
    }
  }).finally(() => questions.close())
}
