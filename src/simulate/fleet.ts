// Simulated minions of one master: a few lanes sign them in, they return results of the wanted shape, cause faults and
// fire events at set rates, and everything is counted.
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, silentLog, toError } from '../base/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import { type MinionSettings, openTransport, type RsaPrivateKey, SignInError, type SignInOutcome } from '../wire/mod.ts'
import { type AnswerShape, answerTo, STATES } from './answers.ts'
import { type Faults, isInShare, Share } from './faults.ts'
import { type GrainsOf, ownAddress } from './grains.ts'
import { masterMemory } from './master-memory.ts'
import { SimulatedMinion } from './simulated-minion.ts'

export interface SimulatedFleetOptions {
  count: number
  /** Number of the first minion; ids are the prefix and the number. */
  first: number
  prefix: string
  master: { host: string; port: number; publishPort?: number | undefined }
  transport: string
  /** Key pairs, which the minions share in turn. */
  keys: readonly RsaPrivateKey[]
  /** The master's key, if the minions already know it. */
  masterKey?: string | undefined
  /** Sign-ins under way at once. */
  lanes: number
  /** Whether each minion connects from an address of 127.0.0.0/8 of its own. */
  hasOwnAddresses: boolean
  grains: GrainsOf
  /** Whether minions fetch their pillar and fire start events, like real ones. */
  fetchesPillar: boolean
  firesStart: boolean
  /** Whether a run of states fetches the pillar and all files before. */
  fetchesFiles: boolean
  shape: AnswerShape
  /** Milliseconds that a job takes: from the first to the second, evenly spread. */
  delayMs: readonly [number, number]
  faults: Faults
  events: { perSecond: number; bytes: number; tag: string }
  log?: Log
}

/** Counts while a fleet runs. */
export interface FleetProgress {
  /** Minions that listen to publications. */
  connected: number
  /** Minions whose key the master has not accepted yet. */
  pending: number
  /** Attempts to sign in that the master did not answer. */
  unanswered: number
  /** Minions that the master refused, by outcome. */
  refused: Map<string, number>
  jobs: number
  returns: number
  failed: number
  silent: number
  late: number
  twice: number
  resent: number
  /** Files that runs of states fetched, and their bytes. */
  files: number
  fileBytes: number
  /** Runs of states whose pillar or files did not come. */
  unserved: number
  events: number
  lostEvents: number
  reconnects: number
}

export interface FleetReport extends FleetProgress {
  minions: number
  /** Seconds from the first sign-in to the last. */
  signInSeconds: number
  signInsPerSecond: number
  masterKey: string | undefined
}

/** Seconds that a sign-in or a return waits for an answer. */
const PATIENCE = 60
/** Seconds between attempts of minions whose key is pending, or that got no answer. */
const WAITS = { first: 1, most: 10 }
/** Milliseconds between two counts of due events. */
const TICK_MS = 10
/** The longest wait for acknowledgements at the end, in milliseconds. */
const SETTLE_MS = 1000
/** Jobs whose number is remembered, to count them. */
const MOST_JOBS = 1000

type Retry = 'pending' | 'timeout'

export class SimulatedFleet {
  readonly progress: FleetProgress
  private readonly options: SimulatedFleetOptions
  private readonly minions: SimulatedMinion[] = []
  private readonly jobs = new Set<string>()
  private readonly shares: Readonly<Record<'fail' | 'twice' | 'late', Share>>
  private readonly timers: NodeJS.Timeout[] = []
  private readonly stopped = new AbortController()
  /** Returns that the master has not acknowledged yet. */
  private readonly delivering = new Set<Promise<unknown>>()
  private readonly memory = masterMemory()
  private delays = 0
  private signInSeconds = 0
  private masterKey: string | undefined

  constructor(options: SimulatedFleetOptions) {
    this.options = options
    // every job that takes its time listens
    setMaxListeners(0, this.stopped.signal)
    const { failPercent, twicePercent, latePercent } = options.faults
    this.shares = { fail: new Share(failPercent), twice: new Share(twicePercent), late: new Share(latePercent) }
    this.progress = {
      ...{ connected: 0, pending: 0, unanswered: 0, refused: new Map() },
      ...{ jobs: 0, returns: 0, failed: 0, silent: 0, late: 0, twice: 0, resent: 0 },
      ...{ files: 0, fileBytes: 0, unserved: 0 },
      ...{ events: 0, lostEvents: 0, reconnects: 0 },
    }
  }

  /** Sign all minions in. Resolves when every minion listens or is refused, or the fleet was stopped. */
  async open(): Promise<void> {
    const { count, first, prefix } = this.options
    const transport = await openTransport(this.options.transport)
    for (let at = 0; at < count; at++) this.minions.push(this.minion(`${prefix}${first + at}`, first + at, transport))
    const began = performance.now()
    let wait = WAITS.first
    for (let left = this.minions; left.length > 0 && !this.stopped.signal.aborted; ) {
      left = await this.signInAll(left)
      if (left.length === 0) break
      await sleep(wait * 1000, undefined, { signal: this.stopped.signal }).catch(() => undefined)
      wait = Math.min(WAITS.most, wait * 2)
    }
    this.signInSeconds = (performance.now() - began) / 1000
    if (this.stopped.signal.aborted) return
    this.sendEvents()
    this.breakConnections()
  }

  /** Wait until the master has acknowledged the returns that were sent, so that the report counts them, for a second at most. */
  async settle(): Promise<void> {
    const late = new AbortController()
    await Promise.race([
      Promise.allSettled(this.delivering),
      sleep(SETTLE_MS, undefined, { signal: late.signal }).catch(() => undefined),
    ])
    late.abort()
    // the runs of the jobs count them now
    await sleep(0)
  }

  /** Close all connections and abort running work. */
  stop(): void {
    this.stopped.abort()
    for (const timer of this.timers.splice(0)) clearInterval(timer)
    for (const minion of this.minions) minion.close()
  }

  get report(): FleetReport {
    const { connected } = this.progress
    return {
      ...this.progress,
      resent: this.minions.reduce((sum, { resent }) => sum + resent, 0),
      minions: this.options.count,
      signInSeconds: this.signInSeconds,
      signInsPerSecond: this.signInSeconds > 0 ? connected / this.signInSeconds : 0,
      masterKey: this.masterKey,
    }
  }

  /** Sign minions in, each lane one at a time; return those that must try again. */
  private async signInAll(minions: readonly SimulatedMinion[]): Promise<SimulatedMinion[]> {
    const again: SimulatedMinion[] = []
    let next = 0
    this.progress.pending = 0
    const lane = async (): Promise<void> => {
      while (next < minions.length && !this.stopped.signal.aborted) {
        const minion = minions[next++]!
        const outcome = await this.signIn(minion)
        if (outcome === 'pending') this.progress.pending++
        if (outcome !== undefined) again.push(minion)
      }
    }
    await Promise.all(Array.from({ length: Math.min(this.options.lanes, minions.length) }, lane))
    return again
  }

  private async signIn(minion: SimulatedMinion): Promise<Retry | undefined> {
    try {
      await minion.open()
      if (this.options.fetchesPillar) await minion.fetchPillar()
      if (this.options.firesStart) {
        await minion.fireEvent(
          `salt/minion/${minion.id}/start`,
          `Minion ${minion.id} started at ${new Date().toUTCString()}`,
        )
      }
      this.progress.connected++
      return undefined
    } catch (error) {
      if (this.stopped.signal.aborted) return undefined
      minion.disconnect()
      return this.judge(error, minion)
    }
  }

  private judge(error: unknown, { id }: SimulatedMinion): Retry | undefined {
    const status = error instanceof SignInError ? error.outcome.status : 'timeout'
    this.options.log?.('debug', `${id}: ${toError(error).message}`)
    if (status === 'pending') return status
    if (status === 'timeout') {
      this.progress.unanswered++
      return status
    }
    this.progress.refused.set(status, (this.progress.refused.get(status) ?? 0) + 1)
    return undefined
  }

  private minion(id: string, number: number, transport: Awaited<ReturnType<typeof openTransport>>): SimulatedMinion {
    const { options } = this
    const { host, port, publishPort } = options.master
    const running: Dict[] = []
    const settings = this.settings(id, number)
    const pin = this.memory.pin(settings, options.masterKey, (pem) => {
      this.masterKey = pem
    })
    const minion: SimulatedMinion = new SimulatedMinion({
      transport,
      settings,
      pin,
      requests: () => ({ host, port }),
      publications: (announced) => ({ host, port: publishPort ?? announced }),
      grains: () => options.grains(id, number),
      run: (job) => this.run(minion, number, job, running),
      sockets: {
        maxConnections: 1,
        sourceAddress: options.hasOwnAddresses ? ownAddress(number) : undefined,
      },
      // a lane does not wait for an operator
      onOutcome: (outcome: SignInOutcome) => outcome.status === 'accepted',
      log: options.log ?? silentLog,
    })
    return minion
  }

  private settings(id: string, number: number): MinionSettings {
    const { keys } = this.options
    return {
      id,
      key: keys[number % keys.length]!,
      pkiDir: '',
      authTimeout: PATIENCE,
      authTries: 1,
      requestTimeout: PATIENCE,
      requestTries: 1,
    }
  }

  private async run(minion: SimulatedMinion, number: number, job: Dict, running: Dict[]): Promise<void> {
    const { options, progress, shares } = this
    // `salt` queries by itself which jobs still run
    const isLook = job.get('fun') === 'saltutil.find_job'
    if (!isLook) this.note(str(job.get('jid') ?? ''))
    if (isInShare(number - options.first, options.faults.silentPercent)) {
      if (!isLook) progress.silent++
      return
    }
    const isUpkeep = str(job.get('fun') ?? '').startsWith('saltutil.')
    const isLate = !isUpkeep && shares.late.next()
    const entry = new Map([...job, ['pid', process.pid]]) as Dict
    if (!isLate) running.push(entry)
    const pause = isUpkeep ? 0 : this.nextDelay() + (isLate ? options.faults.lateMs : 0)
    // the list of running jobs does not contain the query itself
    const others = (): Dict[] => running.filter((one) => one !== entry)
    if (pause > 0) await sleep(pause, undefined, { signal: this.stopped.signal }).catch(() => undefined)
    if (this.stopped.signal.aborted) return
    const isServed = !options.fetchesFiles || !STATES.has(str(job.get('fun') ?? '')) || (await this.prepare(minion))
    if (this.stopped.signal.aborted) return
    const isFailing = !isUpkeep && (shares.fail.next() || !isServed)
    const asked = {
      id: minion.id,
      number,
      job,
      grains: () => options.grains(minion.id, number),
      running: others(),
      isFailing,
    }
    const ret = answerTo(asked, options.shape)
    const isTwice = !isUpkeep && shares.twice.next()
    const delivered = Promise.all([minion.deliver(ret), ...(isTwice ? [minion.deliver(ret)] : [])])
    this.delivering.add(delivered)
    const sent = await delivered.finally(() => this.delivering.delete(delivered))
    if (!isLate) running.splice(running.indexOf(entry), 1)
    if (!sent[0] || isLook) return
    progress.returns++
    if (isLate) progress.late++
    if (isFailing) progress.failed++
    if (isTwice) progress.twice++
  }

  /** Fetch pillar and files for a run of states; return false if some are missing. */
  private async prepare(minion: SimulatedMinion): Promise<boolean> {
    const { progress } = this
    try {
      await minion.fetchPillar()
      const { files, bytes } = await minion.fetchFiles('base')
      progress.files += files
      progress.fileBytes += bytes
      return true
    } catch (error) {
      this.options.log?.('debug', `${minion.id}: ${toError(error).message}`)
      progress.unserved++
      return false
    }
  }

  private note(jid: string): void {
    if (this.jobs.has(jid)) return
    this.progress.jobs++
    this.jobs.add(jid)
    for (const oldest of this.jobs) if (this.jobs.size > MOST_JOBS) this.jobs.delete(oldest)
  }

  /** Spread evenly over the range, by steps of the golden ratio. */
  private nextDelay(): number {
    const [least, most] = this.options.delayMs
    this.delays = (this.delays + 0.618_033_988_75) % 1
    return least + (most - least) * this.delays
  }

  private sendEvents(): void {
    const { perSecond, bytes, tag } = this.options.events
    const data = new Map<Value, Value>([['data', 'x'.repeat(bytes)]])
    this.repeatedly(perSecond, (index) => {
      const minion = this.minions[index % this.minions.length]!
      minion.fireEvent(tag, data).then(
        () => this.progress.events++,
        () => this.progress.lostEvents++,
      )
    })
  }

  private breakConnections(): void {
    this.repeatedly(this.options.faults.reconnectsPerSecond, (index) => {
      const minion = this.minions[(index * 7) % this.minions.length]!
      if (!minion.isListening) return
      this.progress.reconnects++
      minion.disconnect()
      void this.reopen(minion)
    })
  }

  private async reopen(minion: SimulatedMinion): Promise<void> {
    while (!this.stopped.signal.aborted) {
      try {
        return await minion.open()
      } catch (error) {
        this.options.log?.('debug', `${minion.id}: ${toError(error).message}`)
        await sleep(WAITS.first * 1000, undefined, { signal: this.stopped.signal }).catch(() => undefined)
      }
    }
  }

  /** Call at a rate. A busy process makes up for missed calls of at most one second. */
  private repeatedly(perSecond: number, work: (index: number) => void): void {
    if (perSecond <= 0) return
    let [done, due, last] = [0, 0, performance.now()]
    const tick = (): void => {
      const now = performance.now()
      due = Math.min(due + ((now - last) / 1000) * perSecond, Math.max(1, perSecond))
      last = now
      for (; due >= 1; due--) work(done++)
    }
    this.timers.push(setInterval(tick, TICK_MS))
  }
}
