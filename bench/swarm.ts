// A master under load, ours and Salt's in one run: returns of many minions, sign-ins, events, files, pillar, old jobs.
// The minions are simulated and speak the real protocol. Goals are for CPU time: the swarm has to share the machine. What is
// repeated is run before without being counted, because a master runs for months.
//   npm run -s bench -- swarm [--short] [--only jobs,events] [--minions 1000,5000] [--salt-minions 5000] [--repeat 3] [--jobs 10000]
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BenchMaster, mostMinions, type Side, sides } from './bench-master.ts'
import type { RequestLoad } from './load.ts'
import { median } from './measure.ts'
import type { Bench } from './run.ts'
import { type Figure, printTable } from './swarm-table.ts'

interface Settings {
  root: string
  sizes: number[]
  /** Salt's master is not asked to serve more. */
  saltMost: number
  repeat: number
  jobs: number
}

type Measure = (side: Side, settings: Settings) => Promise<Figure[]>

const JOBS = [
  { what: 'test.ping', fun: 'test.ping' },
  { what: '20 states', fun: 'state.apply' },
]

async function withMaster<T>(side: Side, root: string, work: (master: BenchMaster) => Promise<T>): Promise<T> {
  const master = await BenchMaster.start(side, root)
  try {
    return await work(master)
  } finally {
    await master.stop()
  }
}

const LONGEST_JOB_MS = 300_000
/** Wait until background writes are done too. */
const SETTLE_MS = 500
/** Number of returns before the measured ones. */
const WARM_UP = 10_000

async function jobFigures(master: BenchMaster, size: number, repeat: number): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { what, fun } of JOBS) {
    const runs: { last: number; rate: number; lost: number; fleetS: number; cpuS: number; peakMiB: number }[] = []
    const uncounted = Math.ceil(WARM_UP / size)
    for (let i = 0; i < uncounted + repeat; i++) {
      const { result, ...cost } = await master.costOf(async () => {
        const before = master.minionsCpuS
        const job = await master.ping('sim-*', fun, LONGEST_JOB_MS)
        await sleep(SETTLE_MS)
        const fleetS = master.minionsCpuS - before
        return { last: job.lastReturnMs, rate: job.returnsPerS, lost: size - job.returned, fleetS }
      })
      if (i >= uncounted) runs.push({ ...result, ...cost })
    }
    const of = (name: 'last' | 'rate' | 'cpuS' | 'fleetS'): number => median(runs.map((run) => run[name]))
    const cost = { cpuS: of('cpuS'), peakMiB: Math.max(...runs.map(({ peakMiB }) => peakMiB)) }
    const label = `${size} × ${what}`
    figures.push(
      { what: `${label}: returns`, unit: '/s', value: of('rate'), goal: 30, ...cost },
      { what: `${label}: publish to last return`, unit: 'ms', value: of('last') },
      { what: `${label}: CPU of the simulated minions`, unit: 's', value: of('fleetS') },
      { what: `${label}: lost`, unit: 'lost', value: Math.max(...runs.map(({ lost }) => lost)) },
    )
  }
  return figures
}

const manyMinions: Measure = async (side, { root, sizes, saltMost, repeat }) => {
  const figures: Figure[] = []
  for (const size of sizes) {
    if (side === 'salt' && size > saltMost) continue
    await withMaster(side, root, async (master) => {
      const { result: connect, ...cost } = await master.costOf(() => master.minions(size, ['--no-pillar']))
      figures.push({
        what: `${size} sign in for the first time`,
        unit: '/s',
        value: connect.perSecond,
        ...cost,
        goal: 5,
      })
      await sleep(2000)
      figures.push(...(await jobFigures(master, size, repeat)))
    })
  }
  return figures
}

/** Number of files: enough that the slower first ones do not matter. */
const SMALL_FILES = 1000

/** Files of the environment in a storm, and their bytes. */
const STORM = { files: 200, bytes: 4096 }

function preparePillar(master: BenchMaster): void {
  writeFileSync(master.path('srv/pillar/top.sls'), "base:\n  '*': [app]\n")
  const keys = Array.from({ length: 50 }, (_, i) => `  key${i}: {name: v${i}, n: ${i}}\n`)
  writeFileSync(master.path('srv/pillar/app.sls'), `app:\n${keys.join('')}`)
}

/** All minions fetch their pillar and the files of the environment at once; then again, when they have the files. */
const storm: Measure = async (side, { root, sizes, repeat }) => {
  // simulated minions fetch files one by one from a master of Salt, which takes too long
  if (side === 'salt') return []
  const figures: Figure[] = []
  for (const size of sizes) {
    await withMaster(side, root, async (master) => {
      preparePillar(master)
      for (let i = 0; i < STORM.files; i++)
        writeFileSync(master.path(`srv/salt/f${i}.txt`), randomBytes(STORM.bytes / 2).toString('hex'))
      await master.minions(size, ['--no-pillar', '--fetch-files', '--states', '5'])
      for (let run = 0; run <= repeat; run++) {
        const before = master.minionsCpuS
        const { result: job, ...cost } = await master.costOf(async () => {
          const job = await master.ping('sim-*', 'state.apply', LONGEST_JOB_MS)
          await sleep(SETTLE_MS)
          return job
        })
        const what = `${size} × pillar and ${STORM.files} files of 4 kB, ${run === 0 ? 'all new' : 'unchanged'}`
        figures.push({ what: `${what}: last return`, unit: 'ms', value: job.lastReturnMs, ...cost })
        const fleetS = master.minionsCpuS - before
        figures.push({ what: `${what}: CPU of the simulated minions`, unit: 's', value: fleetS })
        const lost = size - job.returned + job.failed
        figures.push({ what: `${what}: lost or not served`, unit: 'lost', value: lost })
      }
    })
  }
  return figures
}

function prepareTrees(master: BenchMaster): void {
  mkdirSync(master.path('srv/salt/small'))
  writeFileSync(master.path('srv/salt/big.bin'), randomBytes(100_000_000))
  for (let i = 0; i < SMALL_FILES; i++)
    writeFileSync(master.path(`srv/salt/small/f${i}.txt`), randomBytes(1024).toString('hex'))
  preparePillar(master)
}

interface Request {
  what: string
  load: RequestLoad
  unit: string
  goal: number
}

const REQUESTS: Readonly<Record<string, Request>> = {
  auth: { what: 'sign in again', load: { kind: 'auth', count: 1000, connections: 20 }, unit: '/s', goal: 10 },
  events: {
    what: 'events to a listener',
    load: { kind: 'events', count: 5000, connections: 20 },
    unit: '/s',
    goal: 20,
  },
  file: {
    what: 'a file of 100 MB',
    load: { kind: 'file', count: 1, connections: 1, path: 'big.bin' },
    unit: 'MB/s',
    goal: 3,
  },
  files: {
    what: 'files of 2 kB',
    load: { kind: 'files', count: SMALL_FILES, connections: 4, path: 'small/' },
    unit: '/s',
    goal: 10,
  },
  pillar: { what: 'pillar', load: { kind: 'pillar', count: 60, connections: 4 }, unit: '/s', goal: 10 },
}

function request({ what, load, unit, goal }: Request): Measure {
  return (side, { root, repeat }) =>
    withMaster(side, root, async (master) => {
      prepareTrees(master)
      const runs: { rate: number; cpuS: number; peakMiB: number }[] = []
      for (let i = 0; i <= repeat; i++) {
        const { result, ...cost } = await master.costOf(async () => {
          const rate = await master.requests(load)
          await sleep(SETTLE_MS)
          return rate
        })
        if (i > 0) runs.push({ rate: result, ...cost })
      }
      const value = median(runs.map(({ rate }) => rate))
      const cpuS = median(runs.map((run) => run.cpuS))
      return [{ what, unit, value, cpuS, peakMiB: Math.max(...runs.map(({ peakMiB }) => peakMiB)), goal }]
    })
}

const history: Measure = (side, { root, jobs }) =>
  withMaster(side, root, async (master) => {
    await master.minions(1, ['--no-pillar'])
    await master.ping('sim-*', 'test.ping', 5000, jobs)
    const { wallS, cpuS, peakMiB, stdout } = await master.run('salt-run', ['jobs.list_jobs', '--out=json'])
    const listed = Object.keys(JSON.parse(stdout)).length
    return [{ what: `jobs.list_jobs over ${listed}`, unit: 's', value: wallS, cpuS, peakMiB }]
  })

const MEASURES: Readonly<Record<string, Measure>> = {
  jobs: manyMinions,
  storm,
  ...Object.fromEntries(Object.entries(REQUESTS).map(([name, asked]) => [name, request(asked)])),
  history,
}

/** Pair the rows of both sides by their label: Salt may have fewer. */
function paired(ours: readonly Figure[], theirs: readonly Figure[]): [Figure, Figure | undefined][] {
  const same = (what: string): string => what.replace(/over \d+$/, '')
  return ours.map((figure) => [figure, theirs.find(({ what }) => same(what) === same(figure.what))])
}

const swarm: Bench = async ({ root, args }) => {
  const { values } = parseArgs({
    args,
    options: {
      short: { type: 'boolean', default: false },
      minions: { type: 'string' },
      'salt-minions': { type: 'string', default: '5000' },
      repeat: { type: 'string', default: '3' },
      jobs: { type: 'string' },
      only: { type: 'string', default: Object.keys(MEASURES).join(',') },
    },
  })
  const sizes = (values.minions ?? (values.short ? '500' : '1000,2000,5000,10000')).split(',').map(Number)
  const settings: Settings = {
    root,
    sizes: sizes.map((size) => Math.min(size, mostMinions())),
    saltMost: Number(values['salt-minions']),
    repeat: Number(values.repeat),
    jobs: Number(values.jobs ?? (values.short ? '200' : '10000')),
  }
  const rows: [Figure, Figure | undefined][] = []
  for (const name of values.only.split(',')) {
    const results: Figure[][] = []
    for (const side of sides()) results.push(await MEASURES[name]!(side, settings))
    rows.push(...paired(results[0]!, results[1] ?? []))
  }
  return printTable(rows)
}

export default swarm satisfies Bench
