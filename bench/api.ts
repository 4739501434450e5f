// The REST API of a master with 100 simulated minions, ours and Salt's rest_cherrypy in one run: requests and what they cost in CPU
// time, and many readers of the event stream. Ours is measured twice: inside the master, and in the program salt-api beside it.
// CPU seconds are those of master and API together. Whatever is measured runs before without being counted.
//   npm run -s bench -- api [--short] [--seconds 10] [--only login,ping1] [--readers 200] [--rate 500] [--jobs 1000]
//   npm run -s bench -- api --minutes 15    (our event streams only: the memory of the process, minute by minute)
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../test/free-port.ts'
import { ApiCaller, type ApiRequest, EventSource, LOGIN, type StreamReader } from './api-load.ts'
import { BenchMaster, type Side, sides } from './bench-master.ts'
import { treeCost } from './process-tree.ts'
import type { Bench } from './run.ts'
import { type Figure, printTable } from './swarm-table.ts'

interface Settings {
  root: string
  /** Seconds that a request is repeated. */
  seconds: number
  readers: number
  /** Events in a second. */
  rate: number
  jobs: number
  only: readonly string[]
}

/** The process that serves the API. */
interface Form {
  side: Side
  isApart: boolean
}

const MINIONS = 100

/** How many times more requests than Salt a CPU second must serve. */
const GOAL = 10

/** Wait until the background work of requests is done too: stored returns, events. */
const SETTLE_MS = 500

/** Streams of Salt take a thread each. */
const THREADS = 300

/** A master and its API. */
class ApiBench {
  readonly form: Form
  readonly master: BenchMaster
  readonly port: number
  readonly caller: ApiCaller
  private readonly apiPid: number | undefined
  private token = ''

  static async start(form: Form, { root }: Settings): Promise<ApiBench> {
    const port = await freePort()
    const master = await BenchMaster.start(form.side, root, (begun) => ({
      external_auth: { auto: { bench: ['.*', '@runner', '@wheel', '@jobs'] } },
      netapi_enable_clients: ['local', 'runner'],
      rest_cherrypy: { host: '127.0.0.1', port, disable_ssl: true, thread_pool: THREADS },
      api_logfile: begun.path('api.log'),
      api_pidfile: begun.path('api.pid'),
      api_request_rate: 0,
      ...(form.isApart && { api_in_master: false }),
    }))
    try {
      const bench = new ApiBench(form, master, port)
      const isServed = (): Promise<boolean> =>
        bench.caller.logIn().then(
          () => true,
          () => false,
        )
      await master.until('the API answers', isServed, 120)
      bench.token = await bench.caller.logIn()
      await master.minions(MINIONS, ['--no-start-event', '--no-pillar'])
      return bench
    } catch (error) {
      await master.stop()
      throw error
    }
  }

  private constructor(form: Form, master: BenchMaster, port: number) {
    this.form = form
    this.master = master
    this.port = port
    this.caller = new ApiCaller(port, 64)
    this.apiPid = form.isApart ? master.daemon('salt-api').pid : undefined
  }

  /** CPU seconds of the API process if it is separate, and of all processes. */
  get cpu(): { api: number; all: number } {
    const api = this.apiPid === undefined ? 0 : treeCost(this.apiPid).cpuS
    return { api, all: api + this.master.cost.cpuS }
  }

  /** Memory of the process that serves the API, in MiB. */
  get memoryMiB(): number {
    return this.apiPid === undefined ? this.master.cost.residentMiB : treeCost(this.apiPid).residentMiB
  }

  asUser(request: ApiRequest): ApiRequest {
    return { ...request, token: this.token }
  }

  stream(): Promise<StreamReader> {
    return this.caller.stream(this.token)
  }

  async close(): Promise<void> {
    this.caller.close()
    await this.master.stop()
  }
}

type Measure = (bench: ApiBench, settings: Settings) => Promise<Figure[]>

interface Repeated {
  what: string
  request: ApiRequest
  /** Requests at a time. */
  lanes: number
  /** Throw if the answer is not the requested one. */
  check?(answer: string): void
}

function repeated({ what, request, lanes, check }: Repeated): Measure {
  return async (bench, { seconds }) => {
    const wanted = request.path === '/login' ? request : bench.asUser(request)
    check?.(await bench.caller.send(wanted))
    await bench.caller.load(wanted, lanes, seconds)
    await sleep(SETTLE_MS)
    const before = bench.cpu
    const { requests, seconds: took } = await bench.caller.load(wanted, lanes, seconds)
    await sleep(SETTLE_MS)
    const after = bench.cpu
    const each = (name: 'api' | 'all'): number => ((after[name] - before[name]) * 1000) / requests
    const figures: Figure[] = [
      { what, unit: '/s', value: requests / took, cpuS: each('all'), peakMiB: bench.memoryMiB, goal: GOAL },
    ]
    if (bench.form.isApart) figures.push({ what: `${what}: CPU of the API alone`, unit: 's', value: each('api') })
    return figures
  }
}

/** Check that all minions of a job answered. */
const answeredBy =
  (count: number) =>
  (answer: string): void => {
    const minions = Object.values(JSON.parse(answer).return[0])
    if (minions.length !== count || minions.includes(false)) throw new Error(`not ${count} minions answered: ${answer}`)
  }

const ping = (tgt: string): ApiRequest => ({ path: '/', body: [{ client: 'local', tgt, fun: 'test.ping' }] })

const jobs: Measure = async (bench, settings) => {
  await bench.master.ping('sim-0', 'test.ping', 5000, settings.jobs)
  const what = `/jobs, ${settings.jobs} in the store`
  return repeated({ what, request: { path: '/jobs' }, lanes: 2 })(bench, settings)
}

/** How long readers may take for their missing events at the end, in seconds. */
const DRAIN_S = 10

async function stream(bench: ApiBench, { readers, rate, seconds }: Settings): Promise<Figure[]> {
  const open = await Promise.all(Array.from({ length: readers }, () => bench.stream()))
  const source = new EventSource(bench.master.path('sock/master_event_pull.ipc'))
  try {
    const delivered = (): number => open.reduce((sum, { seen }) => sum + seen, 0)
    const [cpu, began] = [bench.cpu.all, performance.now()]
    await source.fire(rate, seconds)
    const wanted = source.sent * readers
    for (let waited = 0; delivered() < wanted && waited < DRAIN_S; waited += 0.1) await sleep(100)
    const [got, took] = [delivered(), (performance.now() - began) / 1000]
    const what = `events to ${readers} streams at ${rate}/s`
    return [
      {
        what,
        unit: '/s',
        value: got / took,
        cpuS: ((bench.cpu.all - cpu) * 1_000_000) / got,
        peakMiB: bench.memoryMiB,
        goal: GOAL,
      },
      { what: `${what}: missed of ${wanted}`, unit: 'lost', value: wanted - got },
      { what: `${what}: out of order`, unit: 'lost', value: open.reduce((sum, { disordered }) => sum + disordered, 0) },
    ]
  } finally {
    source.close()
    for (const reader of open) reader.close()
  }
}

/** In this order: pings add to the jobs in the store. */
const MEASURES: Readonly<Record<string, Measure>> = {
  jobs,
  login: repeated({ what: '/login', request: { path: '/login', body: LOGIN }, lanes: 4 }),
  ping1: repeated({ what: 'test.ping on 1 minion', request: ping('sim-0'), lanes: 8, check: answeredBy(1) }),
  ping100: repeated({
    what: `test.ping on ${MINIONS} minions`,
    request: ping('sim-*'),
    lanes: 4,
    check: answeredBy(MINIONS),
  }),
  minions: repeated({
    what: `/minions, grains of ${MINIONS}`,
    request: { path: '/minions' },
    lanes: 2,
    check: answeredBy(MINIONS),
  }),
  stream,
}

async function figuresOf(form: Form, settings: Settings): Promise<Figure[]> {
  const bench = await ApiBench.start(form, settings)
  try {
    const figures: Figure[] = []
    for (const [name, measure] of Object.entries(MEASURES))
      if (settings.only.includes(name)) figures.push(...(await measure(bench, settings)))
    return figures
  } finally {
    await bench.close()
  }
}

/** Print the memory of our process once a minute while events flow to many readers; whether none missed an event. */
async function memoryRun(minutes: number, settings: Settings): Promise<boolean> {
  const bench = await ApiBench.start({ side: 'brine', isApart: false }, settings)
  try {
    let isComplete = true
    const say = (minute: number, missed: string): boolean =>
      process.stdout.write(`minute ${minute}: ${bench.memoryMiB.toFixed(0)} MiB${missed}\n`)
    say(0, '')
    const open = await Promise.all(Array.from({ length: settings.readers }, () => bench.stream()))
    const source = new EventSource(bench.master.path('sock/master_event_pull.ipc'))
    for (let minute = 1; minute <= minutes; minute++) {
      await source.fire(settings.rate, 60)
      for (let i = 0; i < DRAIN_S * 10 && open.some(({ seen }) => seen < source.sent); i++) await sleep(100)
      const missed = open.reduce((sum, { seen }) => sum + source.sent - seen, 0)
      if (missed > 0) isComplete = false
      say(minute, `, ${source.sent} events, ${missed} missed by ${open.length} readers`)
    }
    source.close()
    for (const reader of open) reader.close()
    return isComplete
  } finally {
    await bench.close()
  }
}

/** Pair the figures of one of our forms with Salt's. */
function paired(form: Form, ours: readonly Figure[], theirs: readonly Figure[]): [Figure, Figure | undefined][] {
  const same = (what: string): string => what.replace(/missed of \d+$/, 'missed')
  return ours.map((figure) => {
    const other = theirs.find(({ what }) => same(what) === same(figure.what))
    return [form.isApart ? { ...figure, what: `salt-api: ${figure.what}` } : figure, other]
  })
}

const api: Bench = async ({ root, args }) => {
  const { values } = parseArgs({
    args,
    options: {
      short: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      readers: { type: 'string', default: '200' },
      rate: { type: 'string', default: '500' },
      jobs: { type: 'string' },
      minutes: { type: 'string' },
      only: { type: 'string', default: Object.keys(MEASURES).join(',') },
    },
  })
  const settings: Settings = {
    root,
    seconds: Number(values.seconds ?? (values.short ? 3 : 10)),
    readers: Number(values.readers),
    rate: Number(values.rate),
    jobs: Number(values.jobs ?? (values.short ? 200 : 1000)),
    only: values.only.split(','),
  }
  if (values.minutes !== undefined) return memoryRun(Number(values.minutes), settings)
  const theirs = sides().includes('salt') ? await figuresOf({ side: 'salt', isApart: true }, settings) : []
  const rows: [Figure, Figure | undefined][] = []
  for (const isApart of values.short ? [false] : [false, true]) {
    const form: Form = { side: 'brine', isApart }
    rows.push(...paired(form, await figuresOf(form, settings), theirs))
  }
  process.stdout.write(
    'CPU s: of master and API together, for 1,000 requests, or for a million events that readers get\n',
  )
  return printTable(rows)
}

export default api satisfies Bench
