// The experience of an operator with one minion: `salt '*' test.ping` from keystroke to printed line, and the resources
// of idle master and minion. Brine's, and Salt's if SALT_TREE names a checkout.
import { setTimeout as sleep } from 'node:timers/promises'
import { BenchMaster, type Side, sides } from './bench-master.ts'
import { median } from './measure.ts'
import { treeCost } from './process-tree.ts'
import type { Bench } from './run.ts'

const ROUNDS = 7

/** Daemons let go of what they needed for their start in the first quiet moments. */
const IDLE_MS = 40_000

interface Felt {
  pingS: number
  masterMiB: number
  minionMiB: number
}

interface Row {
  field: keyof Felt
  what: string
  unit: string
  /** Ours is at most that much of Salt's, and at most that many of its unit. */
  ratio: number
  most: number
}

const ROWS: readonly Row[] = [
  { field: 'pingS', what: "salt '*' test.ping", unit: 's', ratio: 0.3, most: Number.POSITIVE_INFINITY },
  { field: 'masterMiB', what: 'idle master, resident', unit: 'MiB', ratio: 1, most: 150 },
  { field: 'minionMiB', what: 'idle minion, resident', unit: 'MiB', ratio: 1, most: 80 },
]

async function felt(side: Side, root: string): Promise<Felt> {
  const master = await BenchMaster.start(side, root)
  try {
    const minion = master.daemon('salt-minion')
    await master.until('the minion answers', async () => (await master.ping('*', 'test.ping', 1000)).returned === 1)
    const walls: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const { stdout, wallS } = await master.run('salt', ['*', 'test.ping'])
      if (!stdout.includes('True')) throw new Error(`${side}: salt '*' test.ping printed ${stdout}`)
      walls.push(wallS)
    }
    await sleep(IDLE_MS)
    return {
      pingS: median(walls),
      masterMiB: master.cost.residentMiB,
      minionMiB: treeCost(minion.pid!).residentMiB,
    }
  } finally {
    await master.stop()
  }
}

function line({ field, what, unit, ratio, most }: Row, ours: Felt, theirs: Felt | undefined): string {
  const bounds = [theirs && `${ratio}×`, Number.isFinite(most) && `${most} ${unit}`].filter(Boolean)
  const parts = [
    what.padEnd(22),
    `brine ${ours[field].toFixed(2)} ${unit}`,
    ...(theirs ? [`salt ${theirs[field].toFixed(2)} ${unit}`, `${(ours[field] / theirs[field]).toFixed(2)}×`] : []),
    ...(bounds.length > 0 ? [`at most ${bounds.join(' and ')}`] : []),
  ]
  return `${parts.join('  ')}\n`
}

const cli: Bench = async ({ root }) => {
  const results: Felt[] = []
  for (const side of sides()) results.push(await felt(side, root))
  const [ours, theirs] = results
  for (const row of ROWS) process.stdout.write(line(row, ours!, theirs))
  return ROWS.every(
    ({ field, ratio, most }) => ours![field] <= most && (!theirs || ours![field] <= ratio * theirs[field]),
  )
}

export default cli satisfies Bench
