// Whole runs of `salt-call --local` as an operator starts them, with their output, against Salt's: wall time, CPU time
// and peak memory. SALT_TREE names Salt's source tree, and SALT_PYTHONPATH may add directories with its dependencies;
// without SALT_TREE only Brine is measured.
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchMinion, benchMinion, SIZES } from './local-trees.ts'
import { median } from './measure.ts'
import { findPython } from './peer.ts'
import { medianCost, type ProcessCost, processCost } from './process-cost.ts'
import type { Bench } from './run.ts'

const GOAL_WALL = 0.25
const GOAL_MARGINAL = 0.3
/** How much dearer a state of 10,000 may be than one of 1,000: room for noise, none for a square. */
const GOAL_FLAT = 1.5

interface Workload {
  what: string
  /** The function and its arguments, for a minion that lives in a directory. */
  words(home: string): string[]
  rounds: number
  /** Ours over Salt's, at most. */
  goal?: number
  /** Too long for Salt to be worth waiting for. */
  oursOnly?: boolean
}

const apply = (kind: string, count: number) => () => ['state.apply', `${kind}-${count}`]
const showLow = (count: number) => (home: string) => [`--file-root=${home}/related-${count}`, 'state.show_lowstate']

const WORKLOADS: Workload[] = [
  { what: 'test.ping', words: () => ['test.ping'], rounds: 5, goal: GOAL_WALL },
  { what: '10 trivial states', words: apply('trivial', 10), rounds: 21 },
  { what: '100 trivial states', words: apply('trivial', 100), rounds: 3 },
  { what: '1,000 trivial states', words: apply('trivial', 1000), rounds: 21, goal: GOAL_WALL },
  { what: '10,000 trivial states', words: apply('trivial', 10_000), rounds: 3, oursOnly: true },
  { what: '10 templated files', words: apply('managed', 10), rounds: 3 },
  { what: '1,000 templated files', words: apply('managed', 1000), rounds: 2 },
  { what: 'low data of 1,000 states', words: showLow(1000), rounds: 3 },
  { what: 'low data of 10,000 states', words: showLow(10_000), rounds: 1 },
]

type Program = (words: Workload['words']) => Promise<ProcessCost>

function program(minion: BenchMinion, command: string, first: string[], env: NodeJS.ProcessEnv): Program {
  return (words) => {
    minion.reset()
    const options = ['--local', '-c', join(minion.home, 'etc')]
    return processCost(command, [...first, ...options, ...words(minion.home)], env)
  }
}

function saltProgram(folder: string, tree: string): Program {
  const start = "import sys; sys.argv[0] = 'salt-call'; from salt.scripts import salt_call; salt_call()"
  const path = [tree, process.env['SALT_PYTHONPATH'] ?? ''].filter((part) => part !== '').join(':')
  const python = findPython(['yaml', 'jinja2', 'msgpack'])
  return program(benchMinion(folder, 'salt'), python, ['-W', 'ignore', '-c', start], { PYTHONPATH: path })
}

interface Costs {
  ours: ProcessCost
  theirs?: ProcessCost | undefined
  /** The wall times, round by round. */
  walls: { ours: number[]; theirs: number[] }
}

/** All in turns, so that other work on the machine hits both sides, and short and long runs, alike. */
async function measure(brine: Program, salt?: Program): Promise<Map<string, Costs>> {
  const ours = new Map(WORKLOADS.map(({ what }) => [what, [] as ProcessCost[]]))
  const theirs = new Map(WORKLOADS.map(({ what }) => [what, [] as ProcessCost[]]))
  for (let round = 0; round < Math.max(...WORKLOADS.map(({ rounds }) => rounds)); round++) {
    for (const { what, words, oursOnly } of WORKLOADS.filter(({ rounds }) => round < rounds)) {
      ours.get(what)!.push(await brine(words))
      if (salt && !oursOnly) theirs.get(what)!.push(await salt(words))
    }
  }
  return new Map(WORKLOADS.map(({ what }) => [what, summary(ours.get(what)!, theirs.get(what)!)]))
}

function summary(ours: ProcessCost[], theirs: ProcessCost[]): Costs {
  const walls = (costs: ProcessCost[]): number[] => costs.map(({ wallMs }) => wallMs)
  return {
    ours: medianCost(ours),
    theirs: theirs.length > 0 ? medianCost(theirs) : undefined,
    walls: { ours: walls(ours), theirs: walls(theirs) },
  }
}

const cell = (text: string, width: number): string => text.padStart(width)
const time = (ms: number): string => (ms >= 100 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(2)} ms`)

interface Line {
  what: string
  ours: number
  theirs?: number | undefined
  goal?: number | undefined
  rest?: string
}

/** Prints a line and says whether its goal was reached; without a peer there is nothing to miss. */
function say({ what, ours, theirs, goal, rest = '' }: Line): boolean {
  const ratio = theirs === undefined ? undefined : ours / theirs
  const missed = ratio !== undefined && goal !== undefined && ratio > goal
  const numbers = [cell(time(ours), 10), cell(theirs === undefined ? '-' : time(theirs), 10)]
  const judged = [cell(ratio === undefined ? '-' : `${ratio.toFixed(2)}×`, 7), cell(goal ? `${goal}×` : '', 6)]
  const end = missed ? '  MISSED' : ''
  process.stdout.write(`${what.padEnd(34)}${[...numbers, ...judged].join('  ')}${rest}${end}\n`)
  return !missed
}

function details({ ours, theirs }: Costs): string {
  const pair = (what: keyof ProcessCost, digits: number, scale = 1): string => {
    const text = (cost?: ProcessCost): string => (cost === undefined ? '-' : (cost[what] / scale).toFixed(digits))
    return `${text(ours)}/${text(theirs)}`
  }
  return `${cell(pair('cpuMs', 2, 1000), 14)} s${cell(pair('peakMiB', 0), 10)} MiB`
}

interface Marginal {
  ours: number
  theirs: number | undefined
}

/**
 * Return the cost of one more state, from a short run to a long one: the median over the rounds, in each of which both
 * ran shortly after one another, so that slow times of the machine affect both or neither.
 */
function marginal({ walls: short }: Costs, { walls: long }: Costs, states: number): Marginal {
  const between = (from: number[], to: number[]): number => {
    const rounds = Math.min(from.length, to.length)
    return Math.max(median(from.slice(0, rounds).map((wall, i) => (to[i]! - wall) / states)), 0.001)
  }
  const isCompared = short.theirs.length > 0 && long.theirs.length > 0
  return { ours: between(short.ours, long.ours), theirs: isCompared ? between(short.theirs, long.theirs) : undefined }
}

function sayMarginals(costs: Map<string, Costs>): boolean {
  const of = (what: string): Costs => costs.get(what)!
  const [thousand, tenThousand] = [of('1,000 trivial states'), of('10,000 trivial states')]
  const state = marginal(of('10 trivial states'), thousand, 990)
  const file = marginal(of('10 templated files'), of('1,000 templated files'), SIZES.managed[1]! - SIZES.managed[0]!)
  const low = marginal(of('low data of 1,000 states'), of('low data of 10,000 states'), 9000)
  const further = marginal(thousand, tenThousand, 9000).ours
  const goal = GOAL_MARGINAL
  const judged = [
    say({ what: 'one more trivial state', ...state, goal }),
    say({ what: 'one more templated file', ...file, goal }),
    say({ what: 'low data of one more state', ...low }),
  ]
  const flat = further / state.ours
  process.stdout.write(
    `one more trivial state beyond 1,000: ${time(further)}, ${flat.toFixed(2)}× that below; goal: ${GOAL_FLAT}×\n`,
  )
  return judged.every(Boolean) && flat <= GOAL_FLAT
}

const local: Bench = async ({ root }) => {
  execFileSync(process.execPath, ['--import', 'tsx', join(root, 'tools', 'build.ts')], { cwd: root })
  const folder = join(root, '.brine', 'bench', 'local')
  // a copy, so that a build meanwhile does not pull the program from under the bench
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  const brine = program(benchMinion(folder, 'brine'), process.execPath, [join(folder, 'dist', 'salt-call.js')], {})
  const tree = process.env['SALT_TREE']
  const salt = tree ? saltProgram(folder, tree) : undefined
  if (!salt) process.stdout.write('SALT_TREE is not set: there is nothing to compare with\n')
  process.stdout.write(`salt-call --local, wall time${' '.repeat(11)}brine        salt    ratio    goal`)
  process.stdout.write(`${cell('CPU, both', 16)}${cell('peak, both', 14)}\n`)
  const costs = await measure(brine, salt)
  let reached = true
  for (const { what, goal } of WORKLOADS) {
    const cost = costs.get(what)!
    const walls = { ours: cost.ours.wallMs, theirs: cost.theirs?.wallMs }
    reached = say({ what, ...walls, goal, rest: details(cost) }) && reached
  }
  return sayMarginals(costs) && reached
}

export default local satisfies Bench
