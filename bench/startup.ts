// Start-up of a trivial command against that of Node alone, in CPU time of whole processes.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './measure.ts'
import type { Bench } from './run.ts'

const GOAL_MS = 100
/** The time for starting Node alone on the machine for which the goal was set. */
const USUAL_NODE_MS = 60
const ROUNDS = 7
const RUNS = 10
/** The kernel's unit of process times. */
const TICK_MS = 10

/** CPU milliseconds of all children that have ended, from the 16th and 17th field of stat. */
function childrenCpu(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

/** Mean CPU milliseconds of one start. A single start is too short for the kernel's clock. */
function sampleStarts(args: string[]): number {
  const before = childrenCpu()
  for (let i = 0; i < RUNS; i++) {
    const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
    if (status !== 0) throw new Error(`node ${args.join(' ')} failed`)
  }
  return (childrenCpu() - before) / RUNS
}

const startup: Bench = async ({ root }) => {
  const program = join(root, 'dist', 'brine.js')
  if (!existsSync(program)) throw new Error('dist/ is not there: run npm run build first')
  const ours: number[] = []
  const node: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(sampleStarts([program, '--version']))
    node.push(sampleStarts(['-e', '0']))
  }
  const [brine, bare] = [median(ours), median(node)]
  const ratio = brine / bare
  const busy = bare > USUAL_NODE_MS * 1.15 ? ' (this machine is busy or slow: the ratio counts)' : ''
  process.stdout.write(
    `start-up, CPU: brine --version ${brine.toFixed(1)} ms, node -e 0 ${bare.toFixed(1)} ms, ${ratio.toFixed(2)}×; ` +
      `goal: under ${GOAL_MS} ms where Node takes ${USUAL_NODE_MS}${busy}\n`,
  )
  return brine < GOAL_MS || ratio < GOAL_MS / USUAL_NODE_MS
}

export default startup satisfies Bench
