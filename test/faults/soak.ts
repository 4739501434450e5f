// `npm run -s soak -- --minutes N [--minions 200] [--rate 20] [--pace 1]`: a moderate load for a long time. A master
// and a real minion get jobs (also with `--static` and `-b`), events, files, pillar and sign-ins, while listeners
// connect and leave; each minute it prints the resources of both. At the end the memory of both must have levelled off:
// in the last half of the time it grows by less than MOST_SLOPE.
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Chance } from './chance.ts'
import { type Held, holds } from './holds.ts'
import { FaultSite, REAL } from './site.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    minions: { type: 'string', default: '200' },
    /** Requests of minions each second; a job goes to all of them every other second. */
    rate: { type: 'string', default: '20' },
    /** Times as many jobs, commands, listeners and sign-ins as usual, to see sooner what grows with their number. */
    pace: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
  },
})

/** MiB a minute. */
const MOST_SLOPE = 0.1
/** Times a minute that memory is looked at. */
const LOOKS = 12

const counts = { jobs: 0, statics: 0, batches: 0, returns: 0, requests: 0, listeners: 0, signIns: 0, failures: 0 }
const site = new FaultSite(false)
const chance = new Chance(Number(values.seed))
let isOver = false

/** Repeat work with pauses; count failures and continue. */
async function repeat(pause: () => number, deed: () => Promise<unknown>): Promise<void> {
  while (!isOver) {
    await sleep(pause() / Number(values.pace))
    try {
      await deed()
    } catch (error) {
      counts.failures++
      process.stdout.write(`     ${String(error)}\n`)
    }
  }
}

/** A job for all simulated minions, each of whose returns must be kept. */
async function job(): Promise<void> {
  const problems = await site.judge(await site.publish(), true)
  counts.jobs++
  counts.returns += site.sims.length
  if (problems.length > 0) throw new Error(problems.join('; '))
}

const REQUESTS: readonly (() => Record<string, unknown>)[] = [
  () => ({ cmd: '_minion_event', tag: 'soak/event', data: new Map([['text', 'x'.repeat(chance.whole(0, 5000))]]) }),
  () => ({ cmd: '_serve_file', path: 'big.bin', saltenv: 'base', loc: 0 }),
  () => ({ cmd: '_serve_file', path: `small-${chance.whole(0, 99)}.txt`, saltenv: 'base', loc: 0 }),
  () => ({ cmd: '_file_hash', path: `small-${chance.whole(0, 99)}.txt`, saltenv: 'base' }),
  () => ({ cmd: '_file_list', saltenv: 'base' }),
  () => ({ cmd: '_mine', data: new Map([['test.ping', chance.next()]]) }),
  () => ({ cmd: '_mine_get', tgt: '*', fun: 'test.ping', tgt_type: 'glob' }),
]

async function request(): Promise<void> {
  counts.requests++
  const sim = chance.of(site.sims)
  if (chance.next() < 0.1) await sim.pillar()
  else await sim.ask(chance.of(REQUESTS)())
}

/** Connect to the event socket, listen a little, and leave. */
async function listen(): Promise<void> {
  counts.listeners++
  const socket = connect(site.eventSocket)
  await new Promise((done, fail) => socket.once('connect', done).once('error', fail))
  if (chance.next() < 0.7) socket.resume()
  await sleep(chance.whole(100, 3000))
  socket.destroy()
}

async function signIn(): Promise<void> {
  counts.signIns++
  await chance.of(site.sims).signIn()
}

/** Programs, and a minion with everything that belongs to one. */
async function command(): Promise<void> {
  const { stdout, stderr } = await site.cluster.run(`salt ${REAL} test.arg soak --out=txt`)
  if (!stdout.includes('soak')) throw new Error(`salt printed ${stdout}${stderr}`)
}

/** A job by `salt` whose answers come together, or from batches, must have them all. */
async function gathered(how: string): Promise<void> {
  const { stdout, stderr } = await site.cluster.run(`salt ${how} sim-* fault.note --out=json`)
  const answered = new Set(stdout.match(/"sim-\d+"/g)).size
  if (answered !== site.sims.length) throw new Error(`salt ${how} has ${answered} answers\n${stderr}`)
}

function row(minute: number, held: Record<string, Held>): string {
  const parts = Object.entries(held).map(
    ([name, { memoryMiB, descriptors }]) => `${name} ${memoryMiB.toFixed(1)} MiB ${descriptors} fds`,
  )
  const load = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return `${String(minute).padStart(4)} min: ${parts.join(', ')} | ${load.join(', ')}\n`
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

/** MiB a minute: the median of the slopes between any two minutes, which a single peak does not move. */
function slope(memory: readonly number[]): number {
  const slopes = memory.flatMap((late, i) => memory.slice(0, i).map((early, j) => (late - early) / (i - j)))
  return median(slopes)
}

/** Return the growth: memory in the last half of the time, descriptors between the second quarter and the last. */
function growth(name: string, samples: readonly Held[]): string[] {
  const quarter = Math.floor(samples.length / 4)
  if (quarter < 2) return []
  const early = samples.slice(quarter, 2 * quarter)
  const late = samples.slice(-quarter)
  const of = (field: keyof Held): [number, number] => [
    median(early.map((held) => held[field])),
    median(late.map((held) => held[field])),
  ]
  const rise = slope(samples.slice(-Math.floor(samples.length / 2)).map(({ memoryMiB }) => memoryMiB))
  const [memoryBefore, memory] = of('memoryMiB')
  const [, descriptors] = of('descriptors')
  // connections that rest are closed: a quiet minute has fewer
  const descriptorsBefore = Math.max(...early.map((held) => held.descriptors))
  process.stdout.write(
    `${name}: ${memoryBefore.toFixed(1)} → ${memory.toFixed(1)} MiB, ${rise.toFixed(3)} MiB a minute in the last half, ${descriptors} descriptors\n`,
  )
  const problems: string[] = []
  if (memory > memoryBefore * 1.15 + 5 || rise >= MOST_SLOPE) problems.push(`the memory of the ${name} grew`)
  if (descriptors > descriptorsBefore + 5) problems.push(`the descriptors of the ${name} grew`)
  return problems
}

/** Return the medians of the samples of a minute: uncollected garbage varies. */
function typical(looks: readonly Held[]): Held {
  const of = (field: keyof Held): number => median(looks.map((held) => held[field]))
  return { memoryMiB: of('memoryMiB'), descriptors: of('descriptors'), peakMiB: of('peakMiB') }
}

async function main(): Promise<number> {
  site.patience = 60
  await site.cluster.prepare()
  const files = join(site.cluster.root, 'srv/salt')
  for (let i = 0; i < 100; i++) writeFileSync(join(files, `small-${i}.txt`), `file ${i}\n`)
  writeFileSync(join(files, 'big.bin'), Buffer.alloc(1 << 20, 7))
  const samples: Record<string, Held[]> = { master: [], minion: [] }
  try {
    await site.open(Number(values.minions))
    site.cluster.start(REAL)
    const loads = [
      repeat(() => 2000, job),
      repeat(() => 1000 / Number(values.rate), request),
      repeat(() => chance.whole(500, 3000), listen),
      repeat(() => chance.whole(2000, 8000), signIn),
      repeat(() => 20_000, command),
      repeat(
        () => 10_000,
        () => gathered('--static').then(() => counts.statics++),
      ),
      repeat(
        () => 15_000,
        () => gathered('-b 50').then(() => counts.batches++),
      ),
    ]
    for (let minute = 1; minute <= Number(values.minutes); minute++) {
      const looks: Record<'master' | 'minion', Held>[] = []
      for (let i = 0; i < LOOKS; i++) {
        await sleep(60_000 / LOOKS)
        looks.push({ master: site.holds(), minion: holds(site.cluster.pidOf(REAL)) })
      }
      const held = {
        master: typical(looks.map(({ master }) => master)),
        minion: typical(looks.map(({ minion }) => minion)),
      }
      samples['master']!.push(held.master)
      samples['minion']!.push(held.minion)
      process.stdout.write(row(minute, held))
    }
    isOver = true
    await Promise.all(loads)
  } finally {
    isOver = true
    await site.close()
  }
  const problems = Object.entries(samples).flatMap(([name, held]) => growth(name, held))
  if (counts.failures > 0) problems.push(`${counts.failures} requests failed`)
  for (const problem of problems) process.stdout.write(`FAIL ${problem}\n`)
  return problems.length === 0 ? 0 : 1
}

process.exit(await main())
