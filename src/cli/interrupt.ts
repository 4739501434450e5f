// Ctrl-C during salt-call and salt-run also ends the commands that they wait for.
import type { Streams } from './streams.ts'

/** Salt exits with 0, so scripts continue as if the work was done; `salt` has this status as well. */
const EX_INTERRUPTED = 1

/** Run the work of a program. A Ctrl-C during it ends its commands and the program, with a message. */
export async function interruptible(streams: Streams, work: () => Promise<number>): Promise<number> {
  const end = async (): Promise<void> => {
    streams.err('\nExiting gracefully on Ctrl-c\n')
    // work with its own handler cleans up and then ends the program; a second Ctrl-C ends it at once
    if (process.listenerCount('SIGINT') > 0) return
    const { interruptCommands } = await import('../host/mod.ts')
    interruptCommands()
    process.exit(EX_INTERRUPTED)
  }
  process.once('SIGINT', end)
  try {
    return await work()
  } finally {
    process.off('SIGINT', end)
  }
}
