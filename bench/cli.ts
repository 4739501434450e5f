// What an operator feels with one minion: `salt '*' test.ping` from keystroke to printed line, and what master and minion
// hold while nothing happens. Ours, and Salt's where SALT_TREE names a checkout.
import { setTimeout as sleep } from 'node:timers/promises'
import { BenchMaster, type Side, sides } from './bench-master.ts'
import { median } from './measure.ts'
import { treeCost } from './process-tree.ts'
import type { Bench } from './run.ts'

const ROUNDS = 5

interface Felt {
  pingS: number
  masterMiB: number
  minionMiB: number
}

async function felt(side: Side, root: string): Promise<Felt> {
  const master = await BenchMaster.start(side, root)
  try {
    const minion = master.daemon('salt-minion')
    await master.until(
      'the minion answers',
      async () => (await master.ping('*', 'test.ping', 1000))?.['returned'] === 1,
    )
    const walls: number[] = []
    for (let i = 0; i < ROUNDS; i++) {
      const { stdout, wallS } = await master.run('salt', ['*', 'test.ping'])
      if (!stdout.includes('True')) throw new Error(`${side}: salt '*' test.ping printed ${stdout}`)
      walls.push(wallS)
    }
    await sleep(1000)
    return {
      pingS: median(walls),
      masterMiB: master.cost.memoryMiB,
      minionMiB: treeCost(minion.pid!).memoryMiB,
    }
  } finally {
    await master.stop()
  }
}

const ROWS: readonly [keyof Felt, string, string][] = [
  ['pingS', "salt '*' test.ping", 's'],
  ['masterMiB', 'idle master', 'MiB'],
  ['minionMiB', 'idle minion', 'MiB'],
]

const cli: Bench = async ({ root }) => {
  const results: Felt[] = []
  for (const side of sides()) results.push(await felt(side, root))
  const [ours, theirs] = results
  for (const [field, what, unit] of ROWS) {
    const peer = theirs
      ? `  salt ${theirs[field].toFixed(2)} ${unit}  ${(theirs[field] / ours![field]).toFixed(1)}×`
      : ''
    process.stdout.write(`${what.padEnd(20)}  brine ${ours![field].toFixed(2)} ${unit}${peer}\n`)
  }
  return theirs === undefined || ROWS.every(([field]) => ours![field] <= theirs[field])
}

export default cli satisfies Bench
