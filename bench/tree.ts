// A tree of masters under load: a master of masters, syndics below it, and simulated minions below these. Each run publishes one job at
// the top and waits until the returns of all minions are there; lost and doubled returns are counted, and the cost of each tier.
//   npm run -s build && npm run -s bench -- tree [--syndics 4] [--minions 2000] [--fun test.ping] [--repeat 3]
import { parseArgs } from 'node:util'
import { BenchMaster } from './bench-master.ts'
import { countReturns, type TreeReturns } from './load.ts'
import { median } from './measure.ts'
import { treeCost } from './process-tree.ts'
import type { Bench } from './run.ts'

const LONGEST_JOB_MS = 300_000
/** Wait until late repetitions of returns have arrived. */
const SETTLE_MS = 2000

interface Tier {
  name: string
  cost(): { cpuS: number; memoryMiB: number }
}

/** The sum over several processes. */
const tierOf = (name: string, pids: readonly number[]): Tier => ({
  name,
  cost: () => {
    const costs = pids.map(treeCost)
    const sum = (of: 'cpuS' | 'memoryMiB'): number => costs.reduce((total, cost) => total + cost[of], 0)
    return { cpuS: sum('cpuS'), memoryMiB: sum('memoryMiB') }
  },
})

class MasterTree {
  readonly top: BenchMaster
  private readonly lower: BenchMaster[] = []
  private readonly syndics: number[] = []

  static async start(root: string, syndics: number, minions: number): Promise<MasterTree> {
    const tree = new MasterTree(await BenchMaster.start('brine', root, () => ({ order_masters: true })))
    try {
      for (let index = 0; index < syndics; index++) await tree.grow(root, index, minions)
      return tree
    } catch (error) {
      await tree.stop()
      throw error
    }
  }

  private constructor(top: BenchMaster) {
    this.top = top
  }

  /** Add a master with its syndic and its minions. */
  private async grow(root: string, index: number, minions: number): Promise<void> {
    const { port, publishPort } = this.top
    const above = {
      syndic_master: '127.0.0.1',
      syndic_master_port: port,
      syndic_master_publish_port: publishPort,
    }
    const master = await BenchMaster.start('brine', root, () => above, `syndic-${index}`)
    this.lower.push(master)
    this.syndics.push(master.daemon('salt-syndic').pid!)
    await master.minions(minions, ['--no-pillar', '--prefix', `sim-${index}-`])
  }

  get tiers(): Tier[] {
    return [
      tierOf('top', [this.top.pid]),
      tierOf(
        'masters below',
        this.lower.map(({ pid }) => pid),
      ),
      tierOf('syndics', this.syndics),
    ]
  }

  get minionsCpuS(): number {
    return this.lower.reduce((sum, { minionsCpuS }) => sum + minionsCpuS, 0)
  }

  async stop(): Promise<void> {
    for (const master of [...this.lower, this.top]) await master.stop()
  }
}

interface Run extends TreeReturns {
  cpuS: number[]
  minionsS: number
}

async function runOnce(tree: MasterTree, fun: string, wanted: number): Promise<Run> {
  const { tiers } = tree
  const [before, minionsBefore] = [tiers.map((tier) => tier.cost().cpuS), tree.minionsCpuS]
  const load = { target: 'sim-*', fun, timeoutMs: LONGEST_JOB_MS, repeat: 1 }
  const returns = await countReturns(tree.top.target, load, wanted, SETTLE_MS)
  const cpuS = tiers.map((tier, index) => tier.cost().cpuS - before[index]!)
  return { ...returns, cpuS, minionsS: tree.minionsCpuS - minionsBefore }
}

const show = (what: string, value: number, unit: string): void =>
  void process.stdout.write(
    `${what.padEnd(44)}${value.toFixed(value >= 100 || unit === '' ? 0 : 2).padStart(10)} ${unit}\n`,
  )

const tree: Bench = async ({ root, args }) => {
  const { values } = parseArgs({
    args,
    options: {
      syndics: { type: 'string', default: '4' },
      minions: { type: 'string', default: '2000' },
      fun: { type: 'string', default: 'test.ping' },
      repeat: { type: 'string', default: '3' },
    },
  })
  const [syndics, minions] = [Number(values.syndics), Number(values.minions)]
  const wanted = syndics * minions
  const masters = await MasterTree.start(root, syndics, minions)
  try {
    const runs: Run[] = []
    // the first one warms up
    for (let i = 0; i <= Number(values.repeat); i++) runs.push(await runOnce(masters, values.fun, wanted))
    const counted = runs.slice(1)
    const lost = runs.reduce((sum, { returned }) => sum + wanted - returned, 0)
    const doubled = runs.reduce((sum, { repeated }) => sum + repeated, 0)
    process.stdout.write(`${values.fun} on ${wanted} minions of ${syndics} syndics\n`)
    show('publish to last return at the top', median(counted.map(({ lastReturnMs }) => lastReturnMs / 1000)), 's')
    show('lost returns', lost, '')
    show('doubled returns', doubled, '')
    for (const [index, tier] of masters.tiers.entries()) {
      show(`${tier.name}: CPU`, median(counted.map(({ cpuS }) => cpuS[index]!)), 's')
      show(`${tier.name}: memory`, tier.cost().memoryMiB, 'MiB')
    }
    show('simulated minions: CPU', median(counted.map(({ minionsS }) => minionsS)), 's')
    return lost === 0 && doubled === 0
  } finally {
    await masters.stop()
  }
}

export default tree satisfies Bench
