// Jobs of reactions. Job ids are recorded before the publication. If it is unknown whether minions received a job, it
// is published again under the same id, which no minion runs twice.
import type { EventBus } from '../bus/mod.ts'
import { type Dict, fnmatch, isDict, isList, numberOf, str, truthy, type Value } from '../data/mod.ts'
import type { ReactionCall } from './calls.ts'
import { noMaster, type ReactorMaster } from './context.ts'

/** How long a job waits for a minion whose key a reaction has just accepted, in seconds. */
const START_SECONDS = 300
/** Seconds without an event after which minions are asked. */
const SILENCE = 15
/** Within this time minions have found a master that was away. */
const RETURN_SECONDS = 60
const PAUSE_MS = 2000

const NEVER = new Promise<never>(() => {})

export class ReactionJobs {
  private readonly given: ReactorMaster | undefined
  private readonly bus: EventBus
  private isClosed = false

  /** Without a master, every job fails. */
  constructor(master: ReactorMaster | undefined, bus: EventBus) {
    this.given = master
    this.bus = bus
  }

  /** Publish a job and return its minions; undefined when the target means no minion. */
  async publish(call: ReactionCall, jid: string): Promise<string[] | undefined> {
    const published = await this.master.publish({
      tgt: call.tgt ?? '',
      tgtType: call.tgtType ?? 'glob',
      fun: call.fun,
      arg: call.args,
      kwarg: new Map<Value, Value>(call.kwargs),
      ret: call.ret ?? '',
      jid,
      ...(call.options && { options: call.options }),
    })
    return published?.minions
  }

  /** Publish again a job that may have been published before, to the minions that neither returned nor run it. */
  async publishAgain(call: ReactionCall, jid: string): Promise<string[] | undefined> {
    const { minions } = this.master.targets(call.tgt ?? '', call.tgtType ?? 'glob')
    if (minions.length === 0) return undefined
    const end = Date.now() + RETURN_SECONDS * 1000
    for (;;) {
      const { silent, idle } = await this.ask(jid, this.missing(jid, minions))
      if (this.isClosed) return NEVER
      const isLast = Date.now() > end
      if (silent.length > 0 && !isLast) {
        await new Promise((done) => setTimeout(done, PAUSE_MS))
        continue
      }
      const left = this.missing(jid, isLast ? [...idle, ...silent] : idle)
      if (left.length === 0) return minions
      const isKnown = this.master.jobs.job(jid) !== undefined
      await this.publish(isKnown ? { ...call, tgt: left, tgtType: 'list' } : call, jid)
      return minions
    }
  }

  /** Whether all of these minions returned to a job, and it succeeded on each. */
  async returned(jid: string, minions: readonly string[]): Promise<boolean> {
    for (;;) {
      const returns = this.master.jobs.returns(jid)
      const left = minions.filter((id) => !returns.has(id))
      if (left.length === 0) return minions.every((id) => succeeded(returns.get(id)!))
      if (await this.bus.next((tag) => tag.startsWith(`salt/job/${jid}/ret/`), SILENCE)) continue
      if (this.isClosed) return NEVER
      const { running } = await this.ask(jid, left)
      if (running.length === 0 && this.missing(jid, left).length > 0) return false
    }
  }

  /** Whether a minion that the target names has come up: it says so, or answers. Listens until `unwanted`. */
  async started(tgt: Value, unwanted: AbortSignal): Promise<boolean> {
    const end = Date.now() + START_SECONDS * 1000
    while (Date.now() < end && !unwanted.aborted) {
      if (await this.bus.next(isStartOf(tgt), SILENCE)) return true
      if (this.isClosed) return NEVER
      const kind = isList(tgt) ? 'list' : 'glob'
      for await (const { data } of this.master.run({ tgt, tgtType: kind, fun: 'test.ping', arg: [], timeout: 2 })) {
        if (data) return true
      }
    }
    return false
  }

  /** Resolves when these minions report that no states are being applied. */
  async quiet(tgt: Value): Promise<void> {
    const job = {
      tgt,
      tgtType: isList(tgt) ? 'list' : 'glob',
      fun: 'saltutil.is_running',
      arg: ['state.*'],
      timeout: 3,
    }
    for (const end = Date.now() + START_SECONDS * 1000; Date.now() < end && !this.isClosed; ) {
      let isBusy = false
      for await (const { data } of this.master.run({ ...job, gatherJobTimeout: 1 })) {
        if (truthy(data?.get('return') ?? null)) isBusy = true
      }
      if (!isBusy) return
      await new Promise((done) => setTimeout(done, PAUSE_MS))
    }
    if (this.isClosed) await NEVER
  }

  private get master(): ReactorMaster {
    if (!this.given) throw noMaster()
    return this.given
  }

  /** Stop all queries; waiting calls stay for the next start of the master. */
  close(): void {
    this.isClosed = true
  }

  private missing(jid: string, minions: readonly string[]): string[] {
    const returns = this.master.jobs.returns(jid)
    return minions.filter((id) => !returns.has(id))
  }

  /** Ask which of these minions run a job; return those that do, those that do not, and those that are silent. */
  private async ask(jid: string, minions: readonly string[]): Promise<Asked> {
    const asked: Asked = { running: [], idle: [], silent: [...minions] }
    if (minions.length === 0) return asked
    const job = { tgt: [...minions], tgtType: 'list', fun: 'saltutil.find_job', arg: [jid], timeout: 2 }
    for await (const { id, data } of this.master.run({ ...job, gatherJobTimeout: 1 })) {
      if (!data) continue
      const found = data.get('return') ?? null
      asked[isDict(found) && found.size > 0 ? 'running' : 'idle'].push(id)
      asked.silent = asked.silent.filter((one) => one !== id)
    }
    return asked
  }
}

interface Asked {
  running: string[]
  idle: string[]
  silent: string[]
}

const succeeded = (ret: Dict): boolean =>
  truthy(ret.get('success') ?? true) && (numberOf(ret.get('retcode') ?? 0) ?? 0) === 0

/** Return a test for start events of minions in the target. */
function isStartOf(tgt: Value): (tag: string) => boolean {
  const names = isList(tgt) ? tgt.map(str) : str(tgt).split(',')
  return (tag) => {
    const id = /^salt\/minion\/([^/]+)\/start$/.exec(tag)?.[1]
    return id !== undefined && names.some((name) => fnmatch(id, name.trim()))
  }
}
