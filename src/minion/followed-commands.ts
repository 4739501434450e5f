// Commands that a beacon listens to: each line is heard as it comes, until the command ends or the beacon does.
import { type Log, toError } from '../base/mod.ts'
import type { Host } from '../host/mod.ts'
import type { Followed } from '../sdk/mod.ts'

export class FollowedCommands {
  private readonly closing = new AbortController()
  private readonly log: Log

  constructor(log: Log) {
    this.log = log
  }

  follow(host: Host, argv: readonly string[], hear: (line: string) => void): Followed {
    const followed = { isRunning: true }
    const decoder = new TextDecoder()
    let rest = ''
    const pieces = (piece: Uint8Array): void => {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
      rest = lines.pop()!
      for (const line of lines) hear(line)
    }
    host
      .run({ argv, mergeStderr: true, signal: this.closing.signal, hear: pieces })
      .catch((error: unknown) => {
        if (!this.closing.signal.aborted) this.log('error', `${argv[0]} cannot be run: ${toError(error).message}`)
      })
      .finally(() => {
        followed.isRunning = false
      })
    return followed
  }

  close(): void {
    this.closing.abort()
  }
}
