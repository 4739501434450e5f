// Writes the record of one run: to the store of this master, and in a cluster to the other masters. A step begins after
// the log of the cluster has its beginning. Another master that resumes the run therefore knows every step that began,
// and a process whose run was taken over begins no further step.
import { setTimeout as sleep } from 'node:timers/promises'
import { BrineError, toError } from '../base/mod.ts'
import { type Dict, dictFrom, SaltError, type Value } from '../data/mod.ts'
import type { StepPlan } from '../sdk/mod.ts'
import type { OrchestrationStore, RunState } from '../store/mod.ts'

/** Time limit for a change, and the pause between two attempts, in milliseconds: a master may be starting. */
const PATIENCE_MS = 30_000
const RETRY_MS = 1000

/** Sends a change of a record to the other masters; fails with a `SaltError` when another master drives the run. */
export type ShareRun = (change: Dict) => Promise<void>

export class RunRecord {
  readonly store: OrchestrationStore
  readonly jid: string
  private readonly share: ShareRun | undefined
  private sending: Promise<void> = Promise.resolve()
  private failure: Error | undefined

  constructor(store: OrchestrationStore, jid: string, share?: ShareRun) {
    this.store = store
    this.jid = jid
    this.share = share
  }

  /** Begin or resume the record: this process drives the run from now on. */
  async begin(asked: Dict): Promise<void> {
    this.send({ what: 'begin', asked })
    await this.settled()
    this.store.begin(this.jid, asked)
  }

  plan(steps: readonly StepPlan[]): void {
    this.store.plan(this.jid, steps)
    this.send({ what: 'plan', steps: steps.map(({ tag, place, requires }) => [tag, place ?? null, requires]) })
  }

  async beginStep(tag: string, place?: string): Promise<void> {
    this.send({ what: 'step', tag, place: place ?? null })
    await this.settled()
    if (!this.store.isOwn(this.jid))
      throw new SaltError('CommandExecutionError', `Another process drives orchestration '${this.jid}' now`)
    this.store.beginStep(this.jid, tag, place)
  }

  noteJob(tag: string, job: string): void {
    this.store.noteJob(this.jid, tag, job)
    this.send({ what: 'job', tag, job })
  }

  endStep(tag: string, result: Dict): void {
    if (!this.store.isOwn(this.jid)) return
    this.store.endStep(this.jid, tag, result)
    this.send({ what: 'result', tag, result })
  }

  async end(state: RunState): Promise<void> {
    if (this.store.isOwn(this.jid)) this.store.end(this.jid, state)
    await this.sending
    // an earlier change that was not taken must not leave the run as running on the other masters
    this.failure = undefined
    this.send({ what: 'end', state })
    await this.settled()
  }

  /** Send a change after the earlier ones. */
  private send(change: Record<string, Value>): void {
    const { share, jid } = this
    if (!share) return
    const whole = dictFrom({ jid, ...change })
    this.sending = this.sending.then(async () => {
      if (this.failure) return
      await sent(share, whole).catch((error: unknown) => {
        this.failure = toError(error)
      })
    })
  }

  /** Resolves when the log has all changes so far. */
  private async settled(): Promise<void> {
    await this.sending
    if (this.failure) throw this.failure
  }
}

/** Send a change until a master takes or refuses it. */
async function sent(share: ShareRun, change: Dict): Promise<void> {
  const began = performance.now()
  for (;;) {
    try {
      return await share(change)
    } catch (error) {
      if (error instanceof SaltError || performance.now() - began > PATIENCE_MS) throw error
      await sleep(RETRY_MS)
    }
  }
}

/** The cluster does not take a change now. */
export class NotSharedError extends BrineError<string> {
  constructor(text: string) {
    super('NotShared', text)
  }
}
