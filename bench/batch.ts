// A job in batches against the same job without them, on one master: the time of a batch counts against the sum of as many jobs as
// there are waves, each for as many minions as a wave has. The journal of events must grow with the number of minions and no faster:
// what a batch of all of them adds for each is compared with what a batch of half of them adds.
//   npm run -s bench -- batch [--minions 1000] [--size 50] [--states 50]
import { readdirSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BenchMaster, mostMinions } from './bench-master.ts'
import type { Bench } from './run.ts'

/** How many times as long a batch may take as its waves do by themselves. */
const MOST_RATIO = 1.5
/** How many times as much a batch may write to the journal for each minion when there are twice as many. */
const MOST_JOURNAL = 1.2
/** Wait until the journal is written. */
const SETTLE_MS = 2000

interface Measured {
  wallS: number
  answered: number
  journalMiB: number
}

function journalBytes(master: BenchMaster): number {
  const folder = master.path('cache/events')
  return readdirSync(folder).reduce((sum, name) => sum + statSync(`${folder}/${name}`).size, 0)
}

async function measured(master: BenchMaster, args: string[]): Promise<Measured> {
  const before = journalBytes(master)
  const { stdout, stderr, status, wallS } = await master.run('salt', [...args, 'state.apply', '--out=json'])
  if (status !== 0) throw new Error(`salt ${args.join(' ')} ended with ${status}: ${stderr}`)
  await sleep(SETTLE_MS)
  const answered = new Set(stdout.match(/^ {4}"sim-\d+"/gm)).size
  return { wallS, answered, journalMiB: (journalBytes(master) - before) / (1 << 20) }
}

const row = (what: string, { wallS, answered, journalMiB }: Measured): string =>
  `${what.padEnd(32)} ${wallS.toFixed(2).padStart(8)} s ${String(answered).padStart(6)} answers ${journalMiB.toFixed(1).padStart(8)} MiB of journal\n`

const batch: Bench = async ({ root, args }) => {
  const { values } = parseArgs({
    args,
    options: {
      minions: { type: 'string', default: '1000' },
      size: { type: 'string', default: '50' },
      states: { type: 'string', default: '50' },
    },
  })
  const count = Math.min(Number(values.minions), mostMinions())
  const size = Number(values.size)
  const master = await BenchMaster.start('brine', root)
  try {
    await master.minions(count, ['--states', values.states])
    const some = Array.from({ length: size }, (_, i) => `sim-${i}`).join(',')
    await measured(master, ['sim-*'])
    const wave = await measured(master, ['-L', some])
    const all = await measured(master, ['sim-*'])
    const firstHalf = Array.from({ length: count >> 1 }, (_, i) => `sim-${i}`).join(',')
    const half = await measured(master, ['-b', String(size), '-L', firstHalf])
    const batched = await measured(master, ['-b', String(size), 'sim-*'])
    const waves = Math.ceil(count / size)
    const ratio = batched.wallS / (wave.wallS * waves)
    const journal = batched.journalMiB / batched.answered / (half.journalMiB / half.answered)
    process.stdout.write(row(`${size} minions at once`, wave))
    process.stdout.write(row(`${count} minions at once`, all))
    process.stdout.write(row(`${count >> 1} minions by ${size}`, half))
    process.stdout.write(row(`${count} minions by ${size}`, batched))
    process.stdout.write(
      `a batch against its ${waves} waves by themselves: ${ratio.toFixed(2)}× (at most ${MOST_RATIO}×), ` +
        `against all at once: ${(batched.wallS / all.wallS).toFixed(2)}×, journal for each minion: ${journal.toFixed(2)}× (at most ${MOST_JOURNAL}×)\n`,
    )
    return batched.answered === count && ratio <= MOST_RATIO && journal <= MOST_JOURNAL
  } finally {
    await master.stop()
  }
}

export default batch satisfies Bench
