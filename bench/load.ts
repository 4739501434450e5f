// Load on a master, by parts of Brine that know nothing but the wire, so that a master of Salt gets the same: jobs whose returns are
// counted on the event bus, and requests of simulated minions.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newJid } from '../src/base/mod.ts'
import { BusClient } from '../src/bus/mod.ts'
import { isDict, isList, type Value } from '../src/data/mod.ts'
import { type KeyPool, keyPool, SimulatedMinion } from '../src/simulate/mod.ts'
import { ClearClient, openTransport } from '../src/wire/mod.ts'

/** Where a master listens and keeps its sockets. */
export interface LoadTarget {
  port: number
  sockets: string
  rootKey: string
}

export interface JobLoad {
  target: string
  fun: string
  timeoutMs: number
  /** Jobs, one after the other. */
  repeat: number
}

/** The result of the last job. */
export interface JobResult {
  targeted: number
  returned: number
  /** Events of failed states, at least one for a failed return. */
  failed: number
  lastReturnMs: number
  returnsPerS: number
}

const HOST = '127.0.0.1'
/** The mark of our `salt`: for jobs without it the master also writes the files that programs of Salt read. */
const OWN_CLIENT = { client: 'brine' }
const PUBLISH_S = 60

const pathsOf = ({ sockets }: LoadTarget) => ({
  pub: join(sockets, 'master_event_pub.ipc'),
  pull: join(sockets, 'master_event_pull.ipc'),
})

/** Publish as `salt` does, and count returns on the event bus. */
export async function runJobs(target: LoadTarget, load: JobLoad): Promise<JobResult> {
  const client = new ClearClient((await openTransport('zeromq')).connect({ host: HOST, port: target.port }))
  const counting = new ReturnCount()
  const bus = await BusClient.open({ paths: pathsOf(target), filter: (tag) => counting.hear(tag) })
  const key = readFileSync(target.rootKey, 'utf8').trim()
  try {
    let result: JobResult | undefined
    for (let i = 0; i < load.repeat; i++) result = await runJob(client, counting, key, load)
    return result!
  } finally {
    bus.close()
    client.close()
  }
}

/** The result of a job on minions that the master knows through its syndics. */
export interface TreeReturns {
  returned: number
  /** Events of returns that came a second time. */
  repeated: number
  lastReturnMs: number
}

/** Publish at a master of masters and count returns until so many minions have returned, and for some time after. */
export async function countReturns(
  target: LoadTarget,
  load: JobLoad,
  wanted: number,
  settleMs: number,
): Promise<TreeReturns> {
  const client = new ClearClient((await openTransport('zeromq')).connect({ host: HOST, port: target.port }))
  const counting = new ReturnCount()
  const bus = await BusClient.open({ paths: pathsOf(target), filter: (tag) => counting.hear(tag) })
  try {
    const began = performance.now()
    await publish(client, counting, readFileSync(target.rootKey, 'utf8').trim(), load)
    const returned = await counting.until(wanted, load.timeoutMs)
    await sleep(settleMs)
    return { returned, repeated: counting.repeated, lastReturnMs: counting.lastAt - began }
  } finally {
    bus.close()
    client.close()
  }
}

class ReturnCount {
  private prefix = ''
  private readonly ids = new Set<string>()
  private wanted = Number.POSITIVE_INFINITY
  private done: () => void = () => undefined
  lastAt = 0
  /** Returns that came a second time. */
  repeated = 0
  failed = 0
  private failures = ''

  /** Wants no event: a tag says all. */
  hear(tag: string): boolean {
    if (this.prefix !== '' && tag.startsWith(this.failures)) this.failed++
    if (this.prefix === '' || !tag.startsWith(this.prefix)) return false
    const id = tag.slice(this.prefix.length)
    if (this.ids.has(id)) {
      this.repeated++
      return false
    }
    this.ids.add(id)
    this.lastAt = performance.now()
    if (this.ids.size >= this.wanted) this.done()
    return false
  }

  begin(jid: string): void {
    this.ids.clear()
    this.repeated = 0
    this.failed = 0
    this.failures = `salt/job/${jid}/sub/`
    this.wanted = Number.POSITIVE_INFINITY
    this.prefix = `salt/job/${jid}/ret/`
  }

  async until(wanted: number, timeoutMs: number): Promise<number> {
    this.wanted = wanted
    const timer = new AbortController()
    const all = new Promise<void>((done) => {
      this.done = done
    })
    if (this.ids.size < wanted) {
      await Promise.race([all, sleep(timeoutMs, undefined, { signal: timer.signal }).catch(() => undefined)])
    }
    timer.abort()
    return this.ids.size
  }
}

/** Publish a job; resolves with the number of minions that the master means. */
async function publish(client: ClearClient, counting: ReturnCount, key: string, load: JobLoad): Promise<number> {
  const { target: tgt, fun, timeoutMs } = load
  const jid = newJid(true)
  counting.begin(jid)
  const request = {
    cmd: 'publish',
    tgt,
    fun,
    arg: [],
    key,
    tgt_type: 'glob',
    ret: '',
    jid,
    user: 'root',
    ...OWN_CLIENT,
  }
  const tries = { timeout: Math.min(PUBLISH_S, timeoutMs / 1000), tries: 1 }
  const reply = await client.send(new Map(Object.entries(request)), tries)
  const body = isDict(reply) ? (reply.get('load') ?? reply) : reply
  const minions = isDict(body) ? (body.get('minions') ?? []) : []
  return isList(minions) ? minions.length : 0
}

async function runJob(client: ClearClient, counting: ReturnCount, key: string, load: JobLoad): Promise<JobResult> {
  const began = performance.now()
  const targeted = await publish(client, counting, key, load)
  const returned = targeted === 0 ? 0 : await counting.until(targeted, load.timeoutMs)
  const lastReturnMs = returned === 0 ? 0 : counting.lastAt - began
  const returnsPerS = returned === 0 ? 0 : (returned * 1000) / lastReturnMs
  return { targeted, returned, failed: counting.failed, lastReturnMs, returnsPerS }
}

export type RequestKind = 'auth' | 'events' | 'file' | 'files' | 'pillar'

export interface RequestLoad {
  kind: RequestKind
  /** How many requests, and minions that send them. */
  count: number
  connections: number
  /** For `file`: the path; for `files`: the prefix before the number. */
  path?: string
}

let pool: Promise<KeyPool> | undefined

async function requester(target: LoadTarget, number: number): Promise<SimulatedMinion> {
  pool ??= keyPool({ size: 1, bits: 2048 })
  const id = `req-${number}`
  const minion = new SimulatedMinion({
    transport: await openTransport('zeromq'),
    settings: {
      id,
      key: (await pool).pairs[0]!,
      pkiDir: join(target.sockets, '..', 'requesters', id),
      authTimeout: 30,
      acceptanceWaitTime: 1,
      requestTries: 1,
    },
    requests: () => ({ host: HOST, port: target.port }),
    publications: (port) => ({ host: HOST, port }),
    grains: () =>
      new Map<Value, Value>([
        ['id', id],
        ['os', 'Sim'],
      ]),
    run: () => undefined,
    sockets: { maxConnections: 1 },
  })
  await minion.connect()
  return minion
}

async function fetchFile(minion: SimulatedMinion, path: string): Promise<number> {
  const hash = createHash('sha256')
  let loc = 0
  for (;;) {
    const request = { cmd: '_serve_file', path, saltenv: 'base', loc }
    const answer = await minion.ask(Object.entries(request), true)
    const data = isDict(answer) ? answer.get('data') : undefined
    if (!(data instanceof Uint8Array) || data.length === 0) return loc
    hash.update(data)
    loc += data.length
  }
}

/** Send requests; return how many a second, or for `file` megabytes a second. */
export async function sendRequests(target: LoadTarget, load: RequestLoad): Promise<number> {
  const { kind, count, connections, path = '' } = load
  const minions = await Promise.all(Array.from({ length: connections }, (_, i) => requester(target, i)))
  try {
    if (kind === 'events') return await sendEvents(target, minions, count)
    const began = performance.now()
    let bytes = 0
    await spread(minions, count, async (minion, index) => {
      if (kind === 'auth') await minion.signIn()
      if (kind === 'pillar') await minion.fetchPillar()
      if (kind === 'file') bytes += await fetchFile(minion, path)
      if (kind === 'files') await fetchHashed(minion, `${path}f${index}.txt`)
    })
    const seconds = (performance.now() - began) / 1000
    return kind === 'file' ? bytes / 1e6 / seconds : count / seconds
  } finally {
    for (const minion of minions) minion.close()
  }
}

async function fetchHashed(minion: SimulatedMinion, path: string): Promise<void> {
  const answer = await minion.ask(Object.entries({ cmd: '_file_hash', path, saltenv: 'base' }))
  if (!isDict(answer) || !answer.has('hsum')) throw new Error(`no hash of ${path}`)
  await fetchFile(minion, path)
}

async function spread(
  minions: readonly SimulatedMinion[],
  count: number,
  work: (minion: SimulatedMinion, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async (minion: SimulatedMinion): Promise<void> => {
    while (next < count) await work(minion, next++)
  }
  await Promise.all(minions.map(lane))
}

/** Events a second, counted by a listener. */
async function sendEvents(target: LoadTarget, minions: readonly SimulatedMinion[], count: number): Promise<number> {
  let [seen, last] = [0, 0]
  const hear = (tag: string): boolean => {
    if (tag.startsWith('swarm/req')) [seen, last] = [seen + 1, performance.now()]
    return false
  }
  const bus = await BusClient.open({ paths: pathsOf(target), filter: hear })
  const data = new Map<Value, Value>([['data', 'x'.repeat(100)]])
  const began = performance.now()
  await spread(minions, count, async (minion, index) => void (await minion.fireEvent(`swarm/req/${index}`, data)))
  const limit = performance.now() + 10_000
  while (seen < count && performance.now() < limit) await sleep(10)
  bus.close()
  return (seen * 1000) / (last - began)
}
