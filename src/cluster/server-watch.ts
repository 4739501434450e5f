// Looks after the NATS server that this master started. A server whose disk was full serves no streams until it is started anew. A
// master that went to the server of another one, because its own was away, comes back: the end of one machine should cost one member.
import { statfsSync } from 'node:fs'
import type { Log } from '../base/mod.ts'
import type { Nats, ServerState } from './nats.ts'

export const LOOK_MS = 5000
/** Bytes of disk that a server needs to serve streams again. */
const ROOM = 32 << 20
/** Looks at a server that serves until the master comes back to it. */
const WELL_LOOKS = 2

export interface ServerWatchParts {
  /** The name of the own server. */
  name: string
  /** Where its streams are. */
  folder: string
  /** Connect to the own server and ask it; undefined when it does not answer. */
  ask(): Promise<ServerState | undefined>
  restart(): void
  /** The connection of the master; undefined while it has none. */
  connection(): Pick<Nats, 'server' | 'renew'> | undefined
  log: Log
  /** Bytes that are free on the disk of a folder. */
  room?(folder: string): number
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

export class ServerWatch {
  private readonly parts: ServerWatchParts
  private readonly timer: NodeJS.Timeout
  private looking: Promise<void> | undefined
  /** Looks since the server was last not well. */
  private well = 0

  constructor(parts: ServerWatchParts) {
    this.parts = parts
    this.timer = setInterval(() => {
      this.looking ??= this.look().finally(() => {
        this.looking = undefined
      })
    }, LOOK_MS).unref()
  }

  close(): void {
    clearInterval(this.timer)
  }

  private async look(): Promise<void> {
    const { name, ask, connection } = this.parts
    const state = await ask()
    this.well = state?.hasStreams && state.isAnswered ? this.well + 1 : 0
    if (state?.hasStreams === false) this.revive()
    const used = connection()
    if (used && this.well >= WELL_LOOKS && used.server.name !== name) used.renew('own')
  }

  private revive(): void {
    const { folder, log, restart, room = freeBytes } = this.parts
    if (room(folder) < ROOM) return
    log('warning', 'The NATS server of this master serves no streams, as after a full disk, and is started anew')
    restart()
  }
}
