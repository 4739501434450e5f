// Minions that come back after a start of the master. A publication reaches only minions that are connected, so a master that has
// just started holds jobs back until as many minions listen as before its last end, for a few seconds at most. How many
// listened is noted while the master runs, so that it is known after a crash, too.
import { setTimeout as sleep } from 'node:timers/promises'
import { guarded, type Log, toError } from '../base/mod.ts'
import { numberOf } from '../data/mod.ts'
import type { Bank } from '../store/mod.ts'

export interface ReturnParts {
  publications: { readonly reached: number }
  /** The store of the number of connected minions. */
  bank: Pick<Bank, 'fetch' | 'store'>
  /** How long jobs wait for minions after the start of the master, in seconds. */
  patience: number
  log: Log
}

const KEY = 'connected'
const LOOK_MS = 20
const NOTE_MS = 250
/** Polls after which a smaller number is stored, so that the next start also waits for minions that are away for a moment. */
const LASTING_LOOKS = 240
/** How long interrupted reactions wait; minions of Salt may take 11 seconds. */
const LONGEST_MS = 15_000

export class MinionsBack {
  /** Resolves when the minions are back, or after the time that jobs wait for them. */
  readonly soon: Promise<void>
  /** Resolves when the minions are back, or after the longest wait. */
  readonly all: Promise<void>
  private readonly parts: ReturnParts
  /** How many minions listened before the last end of the master. */
  private readonly before: number
  private noted: number
  private readonly closing = new AbortController()
  private timer: NodeJS.Timeout | undefined
  /** Looks in a row that found fewer minions than are noted. */
  private fewer = 0

  constructor(parts: ReturnParts) {
    this.parts = parts
    this.before = this.noted = this.read()
    this.soon = this.within(1000 * parts.patience).then(() => this.tell())
    this.all = this.within(LONGEST_MS)
    void this.soon.then(() => this.watch())
  }

  /** Store the number again if it has grown. */
  close(): void {
    this.closing.abort()
    if (this.timer === undefined) return
    clearInterval(this.timer)
    this.note()
  }

  private read(): number {
    try {
      return numberOf(this.parts.bank.fetch(KEY) ?? 0) ?? 0
    } catch (error) {
      this.parts.log('warning', `The number of minions at the last end cannot be read: ${toError(error).message}`)
      return 0
    }
  }

  private get isComplete(): boolean {
    return this.parts.publications.reached >= this.before
  }

  private async within(ms: number): Promise<void> {
    // counted in checks: while this process is not scheduled, no minion can connect
    for (let looks = 0; looks * LOOK_MS < ms && !this.isComplete && !this.closing.signal.aborted; looks++) {
      await sleep(LOOK_MS)
    }
  }

  private tell(): void {
    const { patience, log, publications } = this.parts
    if (this.isComplete || patience <= 0 || this.closing.signal.aborted) return
    const missing = this.before - publications.reached
    log(
      'warning',
      `${missing} of ${this.before} minions have not reconnected within ${patience} s of the master's start`,
    )
  }

  /** Do not store the number while minions reconnect: a master that ends meanwhile would forget the others. */
  private watch(): void {
    if (this.closing.signal.aborted) return
    this.timer = setInterval(() => this.note(), NOTE_MS).unref()
  }

  private note(): void {
    const { bank, publications, log } = this.parts
    const { reached } = publications
    this.fewer = reached < this.noted ? this.fewer + 1 : 0
    if (reached === this.noted || (this.fewer > 0 && this.fewer < LASTING_LOOKS)) return
    this.noted = reached
    guarded(log, 'Noting the number of minions', () => bank.store(KEY, reached))()
  }
}
