// Notices that a minion lost its master, and has the minion look for one: with failover the next of the list, otherwise the same one at
// the address that its name has now. A connection that ends is noticed at once; a master that hangs keeps its connections, and is
// noticed by questions that it does not answer (`master_alive_interval`).
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { MasterPeer } from './peer.ts'

/** Milliseconds in which a lost connection may come back by itself. */
const GRACE_MS = 300
/** Milliseconds until the name of a master that is away is looked up again. */
const NAME_MS = 2000
/** Questions in a row without an answer after which a master counts as lost. */
const MOST_SILENT = 2
/** Seconds that a busy master has for an answer, at least. */
const LEAST_PATIENCE = 2

export class MasterWatch {
  private readonly peer: MasterPeer
  private readonly log: Log
  private readonly seconds: number
  private readonly questions: NodeJS.Timeout | undefined
  private timer: NodeJS.Timeout | undefined
  private isAsking = false
  private isClosed = false

  constructor(peer: MasterPeer, log: Log) {
    this.peer = peer
    this.log = log
    this.seconds = peer.group.failover ? option(peer.opts, 'master_alive_interval') : 0
    peer.onLost = () => this.look(GRACE_MS)
    if (this.seconds > 0) this.questions = setInterval(() => void this.ask(), this.seconds * 500).unref()
  }

  close(): void {
    this.isClosed = true
    this.peer.onLost = () => undefined
    clearInterval(this.questions)
    clearTimeout(this.timer)
  }

  /** See in a while whether the connection is back. */
  private look(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.looked(), ms).unref()
  }

  private async looked(): Promise<void> {
    const { peer, log } = this
    if (this.isClosed || !peer.connected || peer.isListening) return
    try {
      if (peer.group.failover && this.seconds > 0) await loseMaster(peer, log)
      else if (await peer.hasMoved()) await peer.moveOn(peer.group.names)
      else this.look(NAME_MS)
    } catch (error) {
      if (this.isClosed) return
      log('error', `Cannot look for another master: ${toError(error).message}`)
      this.look(NAME_MS)
    }
  }

  private async ask(): Promise<void> {
    const { peer, log } = this
    if (this.isAsking || !peer.connected) return
    this.isAsking = true
    try {
      for (let question = 0; question < MOST_SILENT; question++) {
        const isThere = await peer.answers(peer.master, Math.max(LEAST_PATIENCE, this.seconds / 2))
        if (isThere || this.isClosed || !peer.connected) return
      }
      await loseMaster(peer, log)
    } catch (error) {
      if (!this.isClosed) log('error', `Cannot see whether the master is alive: ${toError(error).message}`)
    } finally {
      this.isAsking = false
    }
  }
}

/** Go to the next master of the list; the one that was lost comes last. */
export async function loseMaster(peer: MasterPeer, log: Log): Promise<void> {
  if (!peer.group.failover || !peer.connected) return
  log('info', `Connection to master ${peer.master} lost`)
  log('info', 'Trying to tune in to next master from master-list')
  const lost = peer.master
  await peer.moveOn([...peer.group.names.filter((name) => name !== lost), lost])
  log('info', `Re-initialising subsystems for new master ${peer.master}`)
}
