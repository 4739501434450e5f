// salt-call from its words to its exit status. The command line is read first; what carries it out is loaded only for a
// command line that makes sense.
import { readFileSync } from 'node:fs'
import { SALT_VERSION } from '../../base/mod.ts'
import { readCommandLine, usageComplaint } from '../command-lines.ts'
import { EX_USAGE, ProgramExit, UsageError } from '../optparse/exit.ts'
import { SALT_CALL } from '../programs/salt-call.ts'
import type { Streams } from '../streams.ts'

export async function saltCall(argv: readonly string[], streams: Streams): Promise<number> {
  try {
    const stdin = (): string => readFileSync(0, 'utf8')
    const line = readCommandLine(SALT_CALL, argv, { version: `${SALT_VERSION} (Argon)`, stdin })
    const { runCall } = await import('./run.ts')
    return await runCall(line, streams)
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      streams.err(usageComplaint(SALT_CALL, thrown))
      return EX_USAGE
    }
    if (!(thrown instanceof ProgramExit)) throw thrown
    streams.out(thrown.stdout)
    streams.err(thrown.stderr)
    return thrown.status
  }
}
