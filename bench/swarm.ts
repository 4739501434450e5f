// A master under load, ours and Salt's in one run: returns of many minions, sign-ins, events, files, pillar, old jobs.
// The minions are simulated and speak the real protocol. Goals are for CPU time: the swarm has to share the machine.
//   npm run -s bench -- swarm [--minions 200,1000] [--repeat 3] [--jobs 200] [--only jobs,requests,history]
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BenchMaster, type Side, sides } from './bench-master.ts'
import { type Figure, printed } from './figures.ts'
import { median } from './measure.ts'
import type { Bench } from './run.ts'

interface Settings {
  root: string
  sizes: number[]
  repeat: number
  jobs: number
}

type Measure = (side: Side, settings: Settings) => Promise<Figure[]>

const JOBS = [
  { what: 'test.ping', fun: 'test.ping', goal: 30 },
  { what: '20 states', fun: 'state.apply', goal: 30 },
]

async function withMaster<T>(side: Side, root: string, work: (master: BenchMaster) => Promise<T>): Promise<T> {
  const master = await BenchMaster.start(side, root)
  try {
    return await work(master)
  } finally {
    await master.stop()
  }
}

async function jobFigures(master: BenchMaster, size: number, repeat: number): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { what, fun, goal } of JOBS) {
    const runs: { cpu: number; last: number; rate: number; lost: number }[] = []
    for (let i = 0; i < repeat; i++) {
      const before = master.cost.cpuS
      const job = (await master.ping('sim-*', fun, 120_000))!
      await sleep(300)
      const cpu = ((master.cost.cpuS - before) * 1000) / size
      runs.push({ cpu, last: job['last_return_ms']!, rate: job['returns_per_s']!, lost: size - job['returned']! })
    }
    const of = (name: 'cpu' | 'last' | 'rate'): number => median(runs.map((run) => run[name]))
    const label = `${size} × ${what}`
    figures.push(
      { what: `${label}: per return`, unit: 'ms CPU', value: of('cpu'), goal },
      { what: `${label}: publish to last return`, unit: 'ms', value: of('last') },
      { what: `${label}: returns`, unit: '/s', value: of('rate') },
      { what: `${label}: lost`, unit: 'lost', value: Math.max(...runs.map(({ lost }) => lost)) },
    )
  }
  return figures
}

const manyMinions: Measure = async (side, { root, sizes, repeat }) => {
  const figures: Figure[] = []
  for (const size of sizes) {
    await withMaster(side, root, async (master) => {
      const before = master.cost.cpuS
      const connect = await master.minions(size)
      const cpu = ((master.cost.cpuS - before) * 1000) / size
      figures.push(
        { what: `${size} sign in`, unit: '/s', value: connect['auths_per_s']! },
        { what: `${size} sign in: each`, unit: 'ms CPU', value: cpu, goal: 5 },
      )
      await sleep(1000)
      figures.push(...(await jobFigures(master, size, repeat)))
      figures.push({ what: `${size} minions: memory after`, unit: 'MiB', value: master.cost.memoryMiB })
    })
  }
  return figures
}

function prepareTrees(master: BenchMaster): void {
  mkdirSync(master.path('srv/salt/small'))
  writeFileSync(master.path('srv/salt/big.bin'), randomBytes(50_000_000))
  for (let i = 0; i < 300; i++)
    writeFileSync(master.path(`srv/salt/small/f${i}.txt`), randomBytes(1024).toString('hex'))
  writeFileSync(master.path('srv/pillar/top.sls'), "base:\n  '*': [app]\n")
  const keys = Array.from({ length: 50 }, (_, i) => `  key${i}: {name: v${i}, n: ${i}}\n`)
  writeFileSync(master.path('srv/pillar/app.sls'), `app:\n${keys.join('')}`)
}

/** What is asked, which number of the answer counts, and how many of it one run does. */
const REQUESTS = [
  {
    what: 'sign in again',
    bench: 'auth',
    args: ['--count', '300', '--conns', '20'],
    field: 'per_s',
    goal: 5,
    unit: '/s',
    count: 300,
  },
  {
    what: 'events to a listener',
    bench: 'events',
    args: ['--count', '3000', '--conns', '20'],
    field: 'seen_per_s',
    goal: 20,
    unit: '/s',
    count: 3000,
  },
  {
    what: 'one big file',
    bench: 'file',
    args: ['--path', 'big.bin'],
    field: 'mb_per_s',
    goal: 3,
    unit: 'MB/s',
    count: 50,
  },
  {
    what: 'small files',
    bench: 'files',
    args: ['--count', '300', '--conns', '4'],
    field: 'files_per_s',
    goal: 10,
    unit: '/s',
    count: 300,
  },
  {
    what: 'pillar',
    bench: 'pillar',
    args: ['--count', '60', '--conns', '4'],
    field: 'per_s',
    goal: 10,
    unit: '/s',
    count: 60,
  },
]

const requests: Measure = (side, { root, repeat }) =>
  withMaster(side, root, async (master) => {
    prepareTrees(master)
    const figures: Figure[] = []
    for (const { what, bench, args, field, goal, unit, count } of REQUESTS) {
      const rates: number[] = []
      const costs: number[] = []
      for (let i = 0; i < repeat; i++) {
        const before = master.cost.cpuS
        const answer = await master.tool('req.mjs', ['--bench', bench, ...args])
        if (!answer) throw new Error(`${side}: the ${bench} bench failed`)
        costs.push(((master.cost.cpuS - before) * 1000) / count)
        rates.push(answer[field]!)
      }
      figures.push(
        { what, unit, value: median(rates) },
        { what: `${what}: each`, unit: 'ms CPU', value: median(costs), goal },
      )
    }
    return figures
  })

const history: Measure = (side, { root, jobs }) =>
  withMaster(side, root, async (master) => {
    await master.minions(1)
    await master.ping('sim-*', 'test.ping', 5000, jobs)
    const { wallS, stdout } = await master.run('salt-run', ['jobs.list_jobs', '--out=json'])
    const listed = Object.keys(JSON.parse(stdout)).length
    return [{ what: `jobs.list_jobs over ${listed}`, unit: 's', value: wallS }]
  })

const MEASURES: Readonly<Record<string, Measure>> = { jobs: manyMinions, requests, history }

const swarm: Bench = async ({ root, args }) => {
  const { values } = parseArgs({
    args,
    options: {
      minions: { type: 'string', default: '200' },
      repeat: { type: 'string', default: '3' },
      jobs: { type: 'string', default: '200' },
      only: { type: 'string', default: Object.keys(MEASURES).join(',') },
    },
  })
  const sizes = values.minions.split(',').map(Number)
  const settings = { root, sizes, repeat: Number(values.repeat), jobs: Number(values.jobs) }
  const rows: Figure[][] = []
  for (const name of values.only.split(',')) {
    const results: Figure[][] = []
    for (const side of sides()) results.push(await MEASURES[name]!(side, settings))
    rows.push(...results[0]!.map((_, index) => results.map((figures) => figures[index]!)))
  }
  return printed(rows)
}

export default swarm satisfies Bench
