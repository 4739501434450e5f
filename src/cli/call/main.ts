// salt-call: from the command line to the exit status. The command line is parsed first; the rest is loaded only if it
// is valid.
import { interruptible } from '../interrupt.ts'
import { runProgram } from '../program-run.ts'
import { SALT_CALL } from '../programs/salt-call.ts'
import type { Streams } from '../streams.ts'

export function saltCall(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_CALL, argv, streams, async (line) => {
    const { runCall } = await import('./run.ts')
    return interruptible(streams, () => runCall(line, streams))
  })
}
