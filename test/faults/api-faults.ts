// Faults of the REST API: processes that end while requests run, many readers of events, and bodies that stop, are too long or
// cannot be read. The master serves the API, and the program salt-api takes its place.
import { isDeepStrictEqual } from 'node:util'
import { openFiles } from '../../src/wire/mod.ts'
import { API } from '../live/cluster.ts'
import { until } from '../until.ts'
import { ApiCaller } from './api-caller.ts'
import type { Fault } from './faults.ts'
import type { Held } from './holds.ts'
import type { FaultSite } from './site.ts'

/** Seconds that a request waits for its job, longer than any fault takes. */
const PATIENCE = 100

const NOTE = [{ client: 'local', tgt: 'sim-*', fun: 'fault.note', timeout: PATIENCE }]

async function caller(site: FaultSite): Promise<ApiCaller> {
  const api = new ApiCaller(site.cluster.apiPort)
  await until('the API answers', () => api.isServed())
  await api.logIn()
  return api
}

/** A request whose job all minions hold back: its job, how it ends, and what lets the job go on. */
async function heldRequest(site: FaultSite, api: ApiCaller) {
  const release = site.holdJobs()
  const some = site.sims[0]!
  const known = new Set(some.ran.keys())
  const isNew = (jid: string): boolean => !known.has(jid)
  const end = api.ask('/', NOTE).catch((): undefined => undefined)
  await until('the job of the request is out', () => [...some.ran.keys()].some(isNew))
  const jid = [...some.ran.keys()].find(isNew)!
  await until('all minions run it', () => site.sims.every(({ ran }) => ran.has(jid)))
  return { jid, end, release }
}

const expected = ({ sims }: FaultSite, jid: string): object =>
  Object.fromEntries(sims.map(({ id }) => [id, `${id} ran ${jid}`]))

/** Return the problem of an answer that should contain the returns of a job. */
function wrongReturns(site: FaultSite, jid: string, what: string, text: string): string[] {
  const returned = JSON.parse(text).return?.[0]
  return isDeepStrictEqual(returned, expected(site, jid)) ? [] : [`${what} is ${text.slice(0, 300)}`]
}

/** The process that serves is killed: the job is not lost, and neither are the sessions. */
async function killedDuringRequest(site: FaultSite, api: ApiCaller, kill: () => Promise<void>): Promise<string[]> {
  const { jid, end, release } = await heldRequest(site, api)
  await kill()
  const problems: string[] = []
  const answer = await end
  if (answer) problems.push(`the request was answered with ${answer.status} by a process that was killed`)
  release()
  await until('the API answers again', () => api.isServed())
  problems.push(...(await site.judge(jid, true)))
  const { status, text } = await api.ask(`/jobs/${jid}`)
  if (status !== 200) return [...problems, `the session does not hold: ${status}`]
  problems.push(...wrongReturns(site, jid, `/jobs/${jid}`, text))
  return problems
}

const apiKilled: Fault = async (site) => {
  site.duration = () => 0
  const problems = await killedDuringRequest(site, await caller(site), async () => {
    await site.cluster.stop('master', 'SIGKILL')
    await site.startMaster()
  })
  await site.listening()
  return problems
}

/**
 * The master restarts under salt-api while a request and a stream of events run; then salt-api is killed. The first of the two
 * processes serves the port, and a stream ends with the process that serves it, so salt-api must serve before the master starts.
 */
const masterUnderApi: Fault = async (site) => {
  site.duration = () => 0
  const { cluster } = site
  const api = await caller(site)
  const problems: string[] = []
  await cluster.stop('master')
  cluster.start(API)
  try {
    await until('salt-api serves', () => api.isServed())
    await site.startMaster()
    await until('salt-api answers', async () => (await api.isServed()) && (await api.ask('/jobs')).status === 200)
    await site.listening()
    const stream = api.stream()
    let heard = ''
    stream.on('data', (data) => void (heard += data))
    await until('the stream is open', () => heard.includes('retry: '))
    const { jid, end, release } = await heldRequest(site, api)
    await cluster.stop('master', 'SIGKILL')
    release()
    await site.startMaster()
    problems.push(...(await site.judge(jid, true)))
    const answer = await end
    if (answer?.status === 200) problems.push(...wrongReturns(site, jid, 'the answer over a restart', answer.text))
    else if (answer?.status !== 503) problems.push(`the request over a restart was answered with ${answer?.status}`)
    const isHeard = (): boolean => site.sims.every(({ id }) => heard.includes(`tag: salt/job/${jid}/ret/${id}\n`))
    await until('the stream has all returns, or breaks', () => isHeard() || stream.destroyed)
    if (!isHeard()) problems.push('the stream broke when the master was killed')
    stream.destroy()
    await site.listening()
    problems.push(...(await killedDuringRequest(site, api, () => cluster.stop(API, 'SIGKILL'))))
    return problems
  } finally {
    await cluster.stop(API)
  }
}

/** Fewer where this process and the master may have few files open. */
const READERS = Math.min(2000, Math.floor(openFiles() / 10) * 2)

/** Memory that 2,000 streams may add to the serving process, with the garbage of their start. */
const READERS_MIB = 250

/** Descriptors that come and go beside: of connections that just ended, and of files. */
const BESIDE = 20

const grown = (what: string, before: Held, now: Held, most: number): string[] =>
  now.memoryMiB - before.memoryMiB <= most
    ? []
    : [`${what}: the memory grew from ${before.memoryMiB.toFixed()} to ${now.memoryMiB.toFixed()} MiB`]

/** Streams that get little, and stay: others are served beside them. */
const idleStreams: Fault = async (site) => {
  site.duration = () => 0
  const api = await caller(site)
  const before = site.holds()
  const streams = Array.from({ length: READERS }, () => api.stream())
  const problems: string[] = []
  const heard = streams.map(() => '')
  try {
    for (const [index, stream] of streams.entries())
      stream.on('data', (data) => void (heard[index] = `${heard[index]}${data}`))
    await until('the streams are open', () => heard.every((text) => text.includes('retry: ')))
    const jid = await site.publish()
    problems.push(...(await site.judge(jid, true)))
    const { status } = await api.ask('/', NOTE)
    if (status !== 200) problems.push(`beside the streams a request was answered with ${status}`)
    const last = `tag: salt/job/${jid}/ret/${site.sims.at(-1)!.id}\n`
    await until('all streams have the returns', () => heard.every((text) => text.includes(last)))
    problems.push(...grown(`${READERS} streams`, before, site.holds(), READERS_MIB))
  } finally {
    for (const stream of streams) stream.destroy()
  }
  await until('the master closes them', () => site.holds().descriptors <= before.descriptors + BESIDE)
  return problems
}

const HALVES = 200
const LONG = 100_000_000
/** Memory that bodies may add: ten of 1 MiB at a time, and garbage. */
const BODIES_MIB = 150

const POST = ['POST / HTTP/1.1', 'Content-Type: application/json']
const ANNOUNCED = [...POST, `Content-Length: ${LONG}`]
const CHUNKED = [...POST, 'Transfer-Encoding: chunked']

/** Bodies that are complete and cannot be used, and the statuses that say so. */
const BROKEN: ReadonlyArray<[what: string, body: string | Buffer, status: number]> = [
  ['invalid UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0x22, 0x5d]), 400],
  ['JSON that breaks off', '[{"client": "local", ', 400],
  ['deep JSON', '['.repeat(400_000) + ']'.repeat(400_000), 400],
  ['deep JSON in an argument', `[{"client":"local","tgt":"sim-*","fun":"fault.note","arg":${'['.repeat(100_000)}`, 400],
]

const badBodies: Fault = async (site) => {
  site.duration = () => 0
  const api = await caller(site)
  const stranger = new ApiCaller(site.cluster.apiPort)
  const before = site.holds()
  const problems: string[] = []
  const halves = Array.from({ length: HALVES }, () => api.begin([...POST, 'Content-Length: 1000'], '[{"client": '))
  try {
    await until('half a body is there', () => site.holds().descriptors >= before.descriptors + HALVES - BESIDE)
    for (const [what, body, wanted] of BROKEN) {
      const { status } = await api.ask('/', body)
      if (status !== wanted) problems.push(`${what} was answered with ${status}`)
    }
    const floods = [
      { of: api, head: ANNOUNCED, wanted: 413 },
      { of: api, head: CHUNKED, wanted: 413 },
      { of: stranger, head: ANNOUNCED, wanted: 401 },
      { of: stranger, head: CHUNKED, wanted: 401 },
    ]
    const ends = await Promise.all(floods.map(({ of, head }) => of.flood(head, LONG)))
    for (const [index, { status, sent }] of ends.entries()) {
      const { head, wanted } = floods[index]!
      if (status !== wanted || sent >= LONG / 2)
        problems.push(`a body of 100 MB (${head[2]}) was answered with ${status}, not ${wanted}, after ${sent} bytes`)
    }
    const { status } = await api.ask('/', NOTE)
    if (status !== 200) problems.push(`beside them a request was answered with ${status}`)
    problems.push(...grown('bad bodies', before, site.holds(), BODIES_MIB))
  } finally {
    for (const half of halves) half.destroy()
  }
  await until('the master closes them', () => site.holds().descriptors <= before.descriptors + BESIDE)
  return problems
}

export const API_FAULTS: Readonly<Record<string, Fault>> = {
  'API killed during a request': apiKilled,
  'API bodies that stop, are too long or broken': badBodies,
  'thousands of event streams': idleStreams,
  'master restarted under salt-api': masterUnderApi,
}
