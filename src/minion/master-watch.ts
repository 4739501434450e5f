// Detects that a minion lost its master and lets the minion find one: with failover the next in the list, else the same
// master at the current address of its name. A closed connection is noticed at once. A hanging master keeps its
// connections; it is noticed by queries without an answer (`master_alive_interval`). An unanswered query is repeated
// over another connection, and any answer counts. Heartbeats, which cost little, can trigger a query early.
import { setTimeout as sleep } from 'node:timers/promises'
import { guarded, type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { MasterPeer } from './peer.ts'
import { Silence } from './silence.ts'

/** Milliseconds in which a lost connection may come back by itself. */
const GRACE_MS = 300
/** Milliseconds until the name of a master that is away is looked up again. */
const NAME_MS = 2000
/** Milliseconds between two looks whether an answer has come. */
const LOOK_MS = 250
/** The part of `master_alive_interval` between two heartbeats. */
const BEAT_PART = 0.08

export class MasterWatch {
  private readonly peer: MasterPeer
  private readonly log: Log
  private readonly seconds: number
  private readonly questions: NodeJS.Timeout | undefined
  private readonly beats: NodeJS.Timeout | undefined
  private readonly silence: Silence
  private timer: NodeJS.Timeout | undefined
  private isAsking = false
  private isClosed = false

  constructor(peer: MasterPeer, log: Log) {
    this.peer = peer
    this.log = log
    this.seconds = peer.group.failover ? option(peer.opts, 'master_alive_interval') : 0
    this.silence = new Silence(this.seconds * 1000)
    peer.onLost = () => this.look(GRACE_MS)
    if (!(this.seconds > 0)) return
    this.questions = setInterval(() => void this.ask(), this.seconds * 500).unref()
    const pause = Math.max(LOOK_MS, this.seconds * 1000 * BEAT_PART)
    this.beats = setInterval(() => this.beat(pause), pause).unref()
  }

  close(): void {
    this.isClosed = true
    this.peer.onLost = () => undefined
    clearInterval(this.questions)
    clearInterval(this.beats)
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

  /** Ask the master out of turn if it has not answered the last heartbeat. */
  private beat(pause: number): void {
    if (this.isAsking || !this.peer.connected) return
    const mute = this.peer.beat()
    if (mute >= pause / 2) void this.ask(mute)
  }

  private async ask(mute = 0): Promise<void> {
    const { peer, log } = this
    if (this.isAsking || !peer.connected) return
    this.isAsking = true
    try {
      if (await this.isAnswering(mute)) return
      await loseMaster(peer, log)
    } catch (error) {
      if (!this.isClosed) log('error', `Cannot see whether the master is alive: ${toError(error).message}`)
    } finally {
      this.isAsking = false
    }
  }

  /** Ask the master until it answers or counts as lost. */
  private async isAnswering(mute: number): Promise<boolean> {
    const { peer, silence } = this
    const { master } = peer
    let isThere = false
    let hears = (): void => undefined
    const heard = new Promise<void>((done) => {
      hears = done
    })
    const ask = async (): Promise<void> => {
      if (!(await peer.answers(master, Math.max(silence.patience / 1000, this.seconds))) || isThere) return
      isThere = true
      silence.end(performance.now())
      hears()
    }
    silence.begin(performance.now(), mute)
    for (let asked = 0; !isThere && !this.isClosed && peer.connected && peer.master === master; ) {
      if (silence.length >= (asked * silence.patience) / 2) {
        asked++
        guarded(this.log, 'Asking the master whether it is alive', ask)()
      }
      await Promise.race([sleep(LOOK_MS, undefined, { ref: false }), heard])
      if (!isThere && silence.goesOn(performance.now(), peer.beat() > 0)) return false
    }
    return true
  }
}

/** Go to the next master of the list; the lost one moves to the end. */
export async function loseMaster(peer: MasterPeer, log: Log): Promise<void> {
  if (!peer.group.failover || !peer.connected) return
  log('info', `Connection to master ${peer.master} lost`)
  log('info', 'Trying to tune in to next master from master-list')
  const lost = peer.master
  await peer.moveOn([...peer.group.names.filter((name) => name !== lost), lost])
  log('info', `Re-initialising subsystems for new master ${peer.master}`)
}
