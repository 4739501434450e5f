// Batches, driven by the master, so that they go on when the program that began them is gone. Their states lie in the cache,
// and a master that starts again takes up those that were not over.
import { newJid } from '../../base/mod.ts'
import { BusTap, isOwn, originText } from '../../bus/mod.ts'
import { batchSize, collectReturns } from '../../client/mod.ts'
import { type Dict, isDict, isList, numberOf, SaltError, str, truthy, type Value } from '../../data/mod.ts'
import type { Bank } from '../../store/mod.ts'
import type { MasterParts } from '../parts.ts'
import type { Publishing } from '../publish.ts'
import { Batch, type BatchNews, type BatchPlan } from './batch.ts'
import { type BatchMoment, batchEvent, batchTag } from './telling.ts'

const now = (): number => Date.now() / 1000

/** States are written at most that often. */
const WRITE_MS = 500

const RESUME_MS = 5000

const STOP = /^salt\/batch\/([^/]+)\/stop$/

export class Batches {
  private readonly parts: MasterParts
  private readonly publishing: Publishing
  private readonly states: Bank
  private readonly running = new Map<string, Batch>()
  private readonly timers = new Set<NodeJS.Timeout>()
  private readonly unwritten = new Set<Batch>()
  private readonly stopListening: () => void
  private isClosed = false

  constructor(parts: MasterParts, publishing: Publishing) {
    this.parts = parts
    this.publishing = publishing
    this.states = parts.cache.bank('batch')
    this.stopListening = parts.bus.listen(
      ({ tag, data, origin }) => {
        // only the master and programs of its own user stop batches
        if (isOwn(origin)) this.halt(STOP.exec(tag)![1]!, str(data.get('reason') ?? 'stop'))
        else parts.log('warning', `Did not stop a batch: ${originText(origin)} may not`)
      },
      (tag) => STOP.test(tag),
    )
  }

  close(): void {
    this.isClosed = true
    this.stopListening()
    for (const timer of this.timers) clearTimeout(timer)
    this.write()
  }

  /** The answer to a clear `batch`: the job's number, at once. */
  async begin(load: Dict): Promise<Dict> {
    const minions = listOf(load.get('minions'))
    const request = new Map(load).set('tgt', minions).set('tgt_type', 'list')
    const refused = await this.publishing.refused(request, () => ({ minions, missing: [] }))
    if (refused) return refused
    let plan: BatchPlan
    try {
      plan = planOf(load, str(request.get('user')!), minions.length)
    } catch (error) {
      if (!(error instanceof SaltError)) throw error
      return refusal(error)
    }
    const batch = new Batch(plan, minions, now())
    this.running.set(plan.jid, batch)
    this.tell(batch, 'new')
    // whoever is told the number of a batch can count on it, whatever becomes of this master
    this.write()
    await this.advance(batch, {})
    return new Map([['jid', plan.jid]])
  }

  /** Takes up what was going on when the master ended, once minions had a moment to come back. */
  resume(): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      const oldest = now() - (numberOf(this.parts.opts.get('keep_jobs_seconds') ?? 86_400) ?? 86_400)
      for (const jid of this.states.list()) {
        const state = this.states.fetch(jid)
        const batch = state !== undefined && isDict(state) ? Batch.revive(state) : undefined
        if (!batch || batch.lastProgress < oldest) this.states.flush(jid)
        else if (!batch.isOver && !this.running.has(jid)) void this.takeUp(batch)
      }
    }, RESUME_MS)
    this.timers.add(timer)
  }

  private async takeUp(batch: Batch): Promise<void> {
    const { jid } = batch.plan
    this.running.set(jid, batch)
    const there = this.parts.jobs.returns(jid)
    const returned = new Map([...batch.active.keys()].flatMap((id) => (there.has(id) ? [[id, there.get(id)!]] : [])))
    const waiting = [...batch.active.keys()].filter((id) => !there.has(id))
    if (waiting.length > 0) void this.follow(batch, waiting, this.tap())
    await this.advance(batch, { returned: new Map([...returned].map(([id, data]) => [id, kept(data, jid)])) })
  }

  private tap(): BusTap {
    return new BusTap(this.parts.bus, (tag) => tag.startsWith('salt/job/'))
  }

  private async advance(batch: Batch, news: BatchNews): Promise<void> {
    if (this.isClosed || !this.running.has(batch.plan.jid)) return
    const next = batch.advance(news, now())
    const isNews = next.length > 0 || news.returned !== undefined || news.lost !== undefined
    if (isNews) this.tell(batch, 'progress')
    if (next.length > 0) {
      const tap = this.tap()
      await this.publishing.sendTo(requestOf(batch, next), next)
      void this.follow(batch, next, tap)
    }
    if (batch.isOver) this.end(batch)
    else if (batch.pending.length > 0 && batch.nextWait !== undefined) this.waitUntil(batch, batch.nextWait)
  }

  private waitUntil(batch: Batch, time: number): void {
    const timer = setTimeout(
      () => {
        this.timers.delete(timer)
        void this.advance(batch, {})
      },
      Math.max(0, (time - now()) * 1000) + 1,
    )
    this.timers.add(timer)
  }

  /** Hears what becomes of those who were sent the job together. */
  private async follow(batch: Batch, minions: string[], tap: BusTap): Promise<void> {
    const { jid, timeout, gatherJobTimeout } = batch.plan
    try {
      const published = { jid, minions, missing: [] }
      const ask = (about: string, ids: string[]) => this.askWhoRuns(about, ids)
      for await (const { id, data } of collectReturns(tap, ask, published, { timeout, gatherJobTimeout })) {
        await this.advance(batch, data ? { returned: new Map([[id, kept(data, jid)]]) } : { lost: [id] })
      }
    } finally {
      tap.close()
    }
  }

  private async askWhoRuns(jid: string, ids: string[]): Promise<string> {
    const asked = newJid()
    const load = new Map<Value, Value>([
      ['tgt', ids],
      ['tgt_type', 'list'],
      ['fun', 'saltutil.find_job'],
      ['arg', [jid]],
      ['jid', asked],
      ['user', 'root'],
    ])
    await this.publishing.sendTo(load, ids)
    return asked
  }

  private halt(jid: string, reason: string): void {
    const batch = this.running.get(jid)
    if (!batch) return
    batch.haltedBecause = reason
    this.end(batch)
  }

  private end(batch: Batch): void {
    if (!this.running.delete(batch.plan.jid)) return
    this.tell(batch, batch.isHalted ? 'halted' : 'complete')
  }

  private tell(batch: Batch, moment: BatchMoment): void {
    this.parts.bus.fire(batchTag(batch.plan.jid, moment), batchEvent(batch, moment, now()))
    if (this.unwritten.size === 0) {
      const timer = setTimeout(() => {
        this.timers.delete(timer)
        this.write()
      }, WRITE_MS)
      this.timers.add(timer)
    }
    this.unwritten.add(batch)
  }

  private write(): void {
    for (const batch of this.unwritten) this.states.store(batch.plan.jid, batch.describe())
    this.unwritten.clear()
  }
}

const refusal = ({ code, message }: SaltError): Dict =>
  new Map<Value, Value>([
    [
      'error',
      new Map<Value, Value>([
        ['name', code],
        ['message', message],
      ]),
    ],
  ])

const listOf = (value: Value | undefined): string[] => (value !== undefined && isList(value) ? value.map(str) : [])

function planOf(load: Dict, user: string, minions: number): BatchPlan {
  const number = (name: string, fallback: number): number => numberOf(load.get(name) ?? fallback) ?? fallback
  const kwargs = load.get('kwargs')
  return {
    jid: truthy(load.get('jid') ?? '') ? str(load.get('jid')!) : newJid(),
    fun: load.get('fun') ?? '',
    arg: load.get('arg') ?? [],
    kwargs: kwargs !== undefined && isDict(kwargs) ? withoutCredentials(kwargs) : new Map(),
    tgt: load.get('tgt') ?? '',
    tgtType: str(load.get('tgt_type') ?? 'glob'),
    ret: str(load.get('ret') ?? ''),
    user,
    size: batchSize(str(load.get('batch') ?? '1'), minions),
    wait: number('batch_wait', 0),
    failhard: truthy(load.get('failhard') ?? false),
    timeout: number('timeout', 5),
    gatherJobTimeout: number('gather_job_timeout', 10),
    driver: load.get('driver') === 'cli' ? 'cli' : 'master',
  }
}

const CREDENTIALS = new Set<Value>(['token', 'username', 'password', 'eauth', 'sharedsecret'])

const withoutCredentials = (kwargs: Dict): Dict => new Map([...kwargs].filter(([name]) => !CREDENTIALS.has(name)))

function requestOf({ plan }: Batch, minions: string[]): Dict {
  return new Map<Value, Value>([
    ['tgt', minions],
    ['tgt_type', 'list'],
    ['fun', plan.fun],
    ['arg', plan.arg],
    ['jid', plan.jid],
    ['ret', plan.ret],
    ['kwargs', plan.kwargs],
    ['user', plan.user],
  ])
}

/** What a batch remembers of a return. */
function kept(data: Dict, jid: string): Dict {
  const out = data.get('out')
  return new Map<Value, Value>([
    ['ret', data.get('return') ?? null],
    ...(out === undefined ? [] : ([['out', out]] as Array<[Value, Value]>)),
    ['retcode', data.get('retcode') ?? 0],
    ['jid', jid],
  ])
}
