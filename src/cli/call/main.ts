// salt-call from its words to its exit status. The command line is read first; what carries it out is loaded only for a
// command line that makes sense.
import { runProgram } from '../program-run.ts'
import { SALT_CALL } from '../programs/salt-call.ts'
import type { Streams } from '../streams.ts'

export function saltCall(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_CALL, argv, streams, async (line) => {
    const { runCall } = await import('./run.ts')
    return runCall(line, streams)
  })
}
