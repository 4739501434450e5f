// Supervises the NATS server that this master started. A server whose disk was full serves no streams until it is
// restarted, and one that was killed twice in a short time may stay behind the others forever. A master that connected
// to another server, because its own was away, returns to it: the failure of one machine should affect one member only.
import { statfsSync } from 'node:fs'
import type { Log } from '../base/mod.ts'
import type { Nats, ServerState } from './nats.ts'

export const LOOK_MS = 5000
/** Bytes of disk that a server needs to serve streams again. */
const ROOM = 32 << 20
/** Looks at a copy that stays behind without coming nearer until the server is started anew; more after each start. */
const STALE_LOOKS = 4
const MOST_STALE_LOOKS = 64
/** Looks at a server that serves until the master comes back to it. */
const WELL_LOOKS = 2

export interface ServerWatchParts {
  /** The name of the own server. */
  name: string
  /** The folder of its streams. */
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
  /** The smallest lag of the server's copy, and the checks since it became smaller. */
  private behind = Number.POSITIVE_INFINITY
  private stale = 0
  private patience = STALE_LOOKS

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
    this.well = state?.behind === 0 ? this.well + 1 : 0
    if (state?.hasStreams === false) this.revive('serves no streams, as after a full disk,')
    else this.follow(state?.behind)
    const used = connection()
    if (used && this.well >= WELL_LOOKS && used.server.name !== name) used.renew('own')
  }

  /** See that a copy that is behind comes nearer. */
  private follow(behind: number | undefined): void {
    // the stream has no leader, or the server hangs: its copy is not the problem
    if (behind === undefined) return
    const isNearer = behind < this.behind
    this.behind = behind === 0 ? Number.POSITIVE_INFINITY : Math.min(behind, this.behind)
    this.stale = behind === 0 || isNearer ? 0 : this.stale + 1
    if (behind === 0) this.patience = STALE_LOOKS
    if (this.stale < this.patience) return
    this.patience = Math.min(MOST_STALE_LOOKS, this.patience * 2)
    this.stale = 0
    this.behind = Number.POSITIVE_INFINITY
    this.revive(`stays ${behind} messages behind the others`)
  }

  private revive(why: string): void {
    const { folder, log, restart, room = freeBytes } = this.parts
    if (room(folder) < ROOM) return
    log('warning', `The NATS server of this master ${why} and is started anew`)
    restart()
  }
}
