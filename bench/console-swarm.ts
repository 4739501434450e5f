// The web console over a master with a swarm of simulated minions on the real wire: presence and grains as minions give them, and jobs
// that grow while a page shows them.
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/free-port.ts'
import { BenchMaster, mostMinions } from './bench-master.ts'
import { printRows, type Row } from './console-table.ts'
import { Visit } from './console-visit.ts'

export interface SwarmSettings {
  root: string
  minions: number
  states: number
  chromium: string
  repeat: number
}

const LONGEST_JOB_S = 300

interface Begun {
  jid: string
  /** Milliseconds since 1970. */
  at: number
}

interface Job {
  counts: { returned: number }
  minions: { returned: string | null }[]
}

/** Calls of the API beside the page. */
class Api {
  private readonly url: string
  private token = ''

  constructor(url: string) {
    this.url = url
  }

  async logIn(): Promise<boolean> {
    try {
      const body = { username: 'bench', password: 'bench', eauth: 'auto' }
      const { token } = (await this.send('POST', '/v1/login', body)) as { token: string }
      this.token = token
      return true
    } catch {
      // the API has not begun yet
      return false
    }
  }

  async begin(fun: string): Promise<Begun> {
    const at = Date.now()
    const { jid } = (await this.send('POST', '/v1/jobs', { target: 'sim-*', function: fun })) as { jid: string }
    return { jid, at }
  }

  job(jid: string): Promise<Job> {
    return this.send('GET', `/v1/jobs/${jid}`) as Promise<Job>
  }

  /** How many minions have returned the newest job. */
  async returned(jid: string): Promise<number> {
    const { items } = (await this.send('GET', '/v1/jobs?limit=5')) as { items: (Job & { jid: string })[] }
    return items.find((job) => job.jid === jid)?.counts.returned ?? 0
  }

  async up(): Promise<number> {
    const { minions } = (await this.send('GET', '/v1/status')) as { minions: { up: number } }
    return minions.up
  }

  private async send(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(this.token !== '' && { 'X-Auth-Token': this.token }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`)
    return response.json()
  }
}

interface Fleet {
  master: BenchMaster
  api: Api
  visit: Visit
  size: number
}

/** A page of a job, and how it shows that it has all returns. */
interface JobView {
  what: string
  fun: string
  query: string
  seen: string
  box: string
  hasAll: (size: number) => string
}

const HEAD_HAS_ALL = (size: number): string => `(() => {
  const head = document.querySelector('.job-head')?.textContent ?? ''
  return head.startsWith('done') && head.includes('${size.toLocaleString('en')} minions') && !head.includes('without a return') })()`

const VIEWS: readonly JobView[] = [
  {
    what: 'test.ping, returns',
    fun: 'test.ping',
    query: '',
    seen: '.return-groups, .empty',
    box: '.main',
    hasAll: (size) =>
      `${HEAD_HAS_ALL(size)} && document.querySelector('.return-groups')?.textContent.includes('${size.toLocaleString('en')} minions')`,
  },
  {
    what: 'test.ping, minions',
    fun: 'test.ping',
    query: '?tab=minions',
    seen: '.table .rows [role=row]',
    box: '.table',
    hasAll: HEAD_HAS_ALL,
  },
  {
    what: 'highstate, matrix',
    fun: 'state.highstate',
    query: '?rows=minions',
    seen: '.matrix canvas',
    box: '.matrix-box',
    hasAll: (size) => `document.querySelector('.matrix-box[aria-label*="${size} rows"]') !== null`,
  },
]

/** Open the page of a job that has just begun, and measure until it shows all returns. */
async function watchJob({ master, api, visit, size }: Fleet, view: JobView): Promise<Row> {
  const cpuBefore = master.cost.cpuS
  const { jid, at } = await api.begin(view.fun)
  let [paintMs, shownAt] = [0, 0]
  const strain = await visit.strained(async () => {
    paintMs = await visit.open(`#/jobs/${jid}${view.query}`, view.seen)
    shownAt = await visit.until(view.hasAll(size))
  })
  const masterCpuS = master.cost.cpuS - cpuBefore
  const { minions } = await api.job(jid)
  const last = Math.max(...minions.map(({ returned }) => Date.parse(returned ?? '')))
  return {
    what: view.what,
    paintMs,
    ...strain,
    scrollMs: await visit.scroll(view.box),
    jobMs: last - at,
    allMs: shownAt - at,
    masterCpuS,
    memoryMiB: await visit.memory(),
    heapMiB: await visit.heap(),
  }
}

/** Interval for checking whether all minions have returned. */
const POLL_MS = 1000

/** Keep another view open while a job runs. */
async function watchFleet({ master, api, visit, size }: Fleet, what: string, hash: string, seen: string): Promise<Row> {
  const paintMs = await visit.open(hash, seen)
  const cpuBefore = master.cost.cpuS
  let jobMs = 0
  const strain = await visit.strained(async () => {
    const { jid, at } = await api.begin('test.ping')
    const isDone = async (): Promise<boolean> => {
      await sleep(POLL_MS)
      return (await api.returned(jid)) === size
    }
    await master.until('all minions return', isDone, LONGEST_JOB_S)
    jobMs = Date.now() - at
  })
  const masterCpuS = master.cost.cpuS - cpuBefore
  return { what, paintMs, ...strain, jobMs, masterCpuS, memoryMiB: await visit.memory(), heapMiB: await visit.heap() }
}

async function* measure(fleet: Fleet, repeat: number): AsyncGenerator<Row> {
  for (let round = 0; round < repeat; round++) {
    for (const view of VIEWS) yield await watchJob(fleet, view)
    yield await watchFleet(fleet, 'minions, meanwhile', '#/minions', '.table .rows [role=row]')
    yield await watchFleet(fleet, 'events, meanwhile', '#/events', '.view h1')
    yield await watchFleet(fleet, 'overview, meanwhile', '#/overview', '.card')
  }
}

/** Return whether the console reached its goals over a swarm. */
export async function benchSwarm({ root, minions, states, chromium, repeat }: SwarmSettings): Promise<boolean> {
  const size = Math.min(minions, mostMinions())
  const port = await freePort()
  const master = await BenchMaster.start('brine', root, () => ({
    external_auth: { auto: { bench: ['.*', '@runner', '@wheel', '@jobs'] } },
    netapi_enable_clients: ['local', 'local_async', 'runner', 'wheel'],
    rest_cherrypy: { host: '127.0.0.1', port, disable_ssl: true },
    api_request_rate: 0,
  }))
  let visit: Visit | undefined
  try {
    const url = `http://127.0.0.1:${port}`
    const api = new Api(url)
    await master.until('the API answers', () => api.logIn())
    const { seconds } = await master.minions(size, ['--states', String(states)])
    await master.until('all minions are up', async () => (await api.up()) === size)
    process.stdout.write(`${size} minions signed in within ${seconds.toFixed(0)} s; ${states} states each\n`)
    visit = await Visit.begin(chromium, url)
    return await printRows(measure({ master, api, visit, size }, repeat))
  } finally {
    await visit?.close()
    await master.stop()
  }
}
