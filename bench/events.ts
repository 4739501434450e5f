// Events of minions through a master, ours and Salt's in one run: to a listener, past a listener that has stopped to read, and
// to a reactor that calls a runner, with the time from event to reaction at a steady rate. Goals are for CPU time.
//   npm run -s bench -- events [--count 6000] [--reactions 1000] [--rate 1000] [--seconds 10] [--repeat 3]
import { writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BusClient } from '../src/bus/mod.ts'
import { str } from '../src/data/mod.ts'
import { BenchMaster, type Side, sides } from './bench-master.ts'
import { type Figure, printed } from './figures.ts'
import { median } from './measure.ts'
import type { Bench } from './run.ts'

interface Settings {
  root: string
  count: number
  reactions: number
  rate: number
  seconds: number
  repeat: number
}

/** The reaction's event contains the number of the event that caused it. */
const REACTION = `
answer:
  runner.event.send:
    - args:
      - tag: answered/{{ data['_stamp'] }}
`

const reacting = (master: BenchMaster): object => {
  writeFileSync(master.path('react.sls'), REACTION)
  return { reactor: [{ 'swarm/*': [master.path('react.sls')] }] }
}

async function withMaster<T>(
  side: Side,
  root: string,
  more: ((master: BenchMaster) => object) | undefined,
  work: (master: BenchMaster) => Promise<T>,
): Promise<T> {
  const master = await BenchMaster.start(side, root, more)
  try {
    return await work(master)
  } finally {
    await master.stop()
  }
}

const paths = (master: BenchMaster) => ({
  pub: master.path('sock/master_event_pub.ipc'),
  pull: master.path('sock/master_event_pull.ipc'),
})

/** Milliseconds of a stamp, with its microseconds. */
const timeOf = (stamp: string): number => Date.parse(`${stamp.slice(0, 23)}Z`) + Number(stamp.slice(23, 26)) / 1000

/** Reads events until the returned function is called. */
async function listen(master: BenchMaster, hear: (tag: string, stamp: number) => void): Promise<() => void> {
  const bus = await BusClient.open({ paths: paths(master), filter: (tag) => /^(swarm|answered)\//.test(tag) })
  void (async () => {
    for (;;) {
      const event = await bus.next(3600)
      if (!event) return
      hear(event.tag, timeOf(str(event.data.get('_stamp') ?? '')))
    }
  })()
  return () => bus.close()
}

const burst = (master: BenchMaster, count: number) => master.requests({ kind: 'events', count, connections: 20 })

/** Some rounds of many events as fast as they go. */
async function rounds(master: BenchMaster, { count, repeat }: Settings): Promise<{ rate: number; cpu: number }> {
  const [rates, costs]: [number[], number[]] = [[], []]
  await burst(master, Math.min(count, 500))
  for (let i = 0; i < repeat; i++) {
    const before = master.cost.cpuS
    rates.push(await burst(master, count))
    costs.push(((master.cost.cpuS - before) * 1000) / count)
  }
  return { rate: median(rates), cpu: median(costs) }
}

const toListeners = (side: Side, settings: Settings): Promise<Figure[]> =>
  withMaster(side, settings.root, undefined, async (master) => {
    const { rate, cpu } = await rounds(master, settings)
    const memory = master.cost.memoryMiB
    const idle = createConnection(paths(master).pub)
    idle.pause()
    await sleep(200)
    const beside = await rounds(master, settings)
    const grown = master.cost.memoryMiB - memory
    idle.destroy()
    return [
      { what: 'events to a listener', unit: '/s', value: rate },
      { what: 'events to a listener: each', unit: 'ms CPU', value: cpu, goal: 20 },
      { what: 'beside a listener that stopped', unit: '/s', value: beside.rate },
      { what: 'beside a listener that stopped: each', unit: 'ms CPU', value: beside.cpu },
      { what: 'beside a listener that stopped: memory more', unit: 'MiB', value: Math.max(0, grown) },
    ]
  })

/** A burst of events, each of which is answered. */
const toReactor = (side: Side, { root, reactions }: Settings): Promise<Figure[]> =>
  withMaster(side, root, reacting, async (master) => {
    let answered = 0
    const end = await listen(master, (tag) => void (answered += tag.startsWith('answered/') ? 1 : 0))
    // Salt needs about a second of CPU for ten
    const measured = async (count: number): Promise<{ wallS: number; cpu: number }> => {
      answered = 0
      const [before, started] = [master.cost.cpuS, performance.now()]
      await burst(master, count)
      await master.until(`${count} reactions`, async () => answered >= count, 300)
      const wallS = (performance.now() - started) / 1000
      return { wallS, cpu: ((master.cost.cpuS - before) * 1000) / count }
    }
    const count = side === 'brine' ? reactions : Math.max(50, Math.floor(reactions / 10))
    await measured(Math.ceil(count / 10))
    const { wallS, cpu } = await measured(count)
    end()
    return [
      { what: 'events to a reaction with a runner', unit: '/s', value: count / wallS },
      { what: 'events to a reaction with a runner: each', unit: 'ms CPU', value: cpu, goal: 20 },
    ]
  })

/**
 * Events at a steady rate: the time from each to the event of its reaction, by their stamps. Salt gets a rate that it
 * can handle.
 */
const latency = (side: Side, { root, rate, seconds }: Settings): Promise<Figure[]> =>
  withMaster(side, root, reacting, async (master) => {
    const times: number[] = []
    const end = await listen(master, (tag, time) => {
      if (tag.startsWith('answered/')) times.push(time - timeOf(tag.slice('answered/'.length)))
    })
    const given = side === 'brine' ? rate : 10
    const cpu = master.cost.cpuS
    const started = performance.now()
    await master.minions(50, [
      '--events',
      String(given),
      '--event-tag',
      'swarm/event',
      '--no-start-event',
      '--no-pillar',
    ])
    await sleep(2000)
    times.splice(0)
    await sleep(seconds * 1000)
    end()
    const load = (master.cost.cpuS - cpu) / ((performance.now() - started) / 1000)
    const sorted = times.sort((one, other) => one - other)
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    const what = `event to reaction at ${side === 'brine' ? rate : given}/s`
    return [
      { what: `${what}: answered`, unit: '/s', value: times.length / seconds },
      { what: `${what}: p50`, unit: 'ms', value: at(0.5) },
      { what: `${what}: p99`, unit: 'ms', value: at(0.99), ...(side === 'brine' && { below: 20 }) },
      { what: `${what}: cores busy`, unit: 's', value: load },
    ]
  })

const MEASURES = { listener: toListeners, reactor: toReactor, latency } as const

const events: Bench = async ({ root, args }) => {
  const { values } = parseArgs({
    args,
    options: {
      count: { type: 'string', default: '6000' },
      reactions: { type: 'string', default: '1000' },
      rate: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '10' },
      repeat: { type: 'string', default: '3' },
      only: { type: 'string', default: Object.keys(MEASURES).join(',') },
    },
  })
  const [count, reactions, rate, seconds, repeat] = [
    values.count,
    values.reactions,
    values.rate,
    values.seconds,
    values.repeat,
  ].map(Number) as [number, number, number, number, number]
  const settings = { root, count, reactions, rate, seconds, repeat }
  const rows: Figure[][] = []
  for (const name of values.only.split(',') as (keyof typeof MEASURES)[]) {
    const results: Figure[][] = []
    for (const side of sides()) results.push(await MEASURES[name](side, settings))
    rows.push(...results[0]!.map((_, index) => results.map((figures) => figures[index]!)))
  }
  return printed(rows)
}

export default events satisfies Bench
