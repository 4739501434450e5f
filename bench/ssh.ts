// salt-ssh against real salt-ssh (SALT_TREE names a checkout) and Ansible, over the same servers: a ping, and a tree of 30 states on targets
// that have nothing of it (cold) and everything (warm), on 1 and 20 targets, with and without a long way to them. Wall and CPU time of
// whole runs. `--only <words>` takes the cases whose names contain them, `--sides brine,ansible` some of the programs.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../test/free-port.ts'
import { startSshd, type TestSshd } from '../test/ssh/sshd.ts'
import { medianCost, type ProcessCost, processCost } from './process-cost.ts'
import type { Bench, BenchContext } from './run.ts'
import { ansibleSide, brineSide, realSaltSide, type Side, STATES, type Way, type Work } from './ssh-peers.ts'

const TARGETS = 20
const DELAY_MS = 80
/** How many times faster than real salt-ssh, and than the best of the others, a case with a goal must be. */
const GOALS = { salt: 8, others: 2 }

interface Case {
  what: string
  work: Work
  scope: 'one' | 'all'
  isCold: boolean
  way: Way
  times: number
}

function casesOf(ways: readonly Way[]): Case[] {
  const scopes = [
    { scope: 'one', times: 3, on: '1 target' } as const,
    { scope: 'all', times: 1, on: `${TARGETS} targets` } as const,
  ]
  return ways.flatMap((way) =>
    scopes.flatMap(({ scope, times, on }) => {
      const where = `${on}, ${way.name}`
      return [
        { what: `${STATES} states cold, ${where}`, work: 'tree' as const, scope, isCold: true, way, times: 1 },
        { what: `${STATES} states warm, ${where}`, work: 'tree' as const, scope, isCold: false, way, times },
        { what: `ping, ${where}`, work: 'ping' as const, scope, isCold: false, way, times },
      ]
    }),
  )
}

/** The costs of a case by side, measured in turns, so that other work on the machine hits all alike. */
async function costsOf(
  sides: readonly Side[],
  { work, scope, isCold, way, times }: Case,
): Promise<Map<string, ProcessCost>> {
  const costs = new Map(sides.map(({ name }) => [name, [] as ProcessCost[]]))
  for (let round = 0; round < times; round++) {
    for (const side of sides) {
      prepare(side, { isCold, way, scope })
      // pause as a user does between two commands, so that background work of the last program ends
      await sleep(1000)
      const { argv, env } = side.command(work, way, scope)
      costs.get(side.name)!.push(await processCost(argv[0]!, argv.slice(1), env))
      if (work === 'tree') checkTargets(side, way.targets.slice(0, scope === 'one' ? 1 : TARGETS))
    }
  }
  return new Map([...costs].map(([name, all]) => [name, medianCost(all)]))
}

/** Remove the caches before a cold run. For a warm one, open the connections: those of earlier cases may have ended by now. */
function prepare(side: Side, { isCold, way, scope }: Pick<Case, 'isCold' | 'way' | 'scope'>): void {
  if (isCold) return side.forget()
  const { argv, env } = side.command('ping', way, scope)
  spawnSync(argv[0]!, argv.slice(1), { env: { ...process.env, ...env }, stdio: 'ignore' })
}

/** Return how often a run of Brine waited for each target, from its log. */
function roundTrips(side: Side, { work, isCold, way, scope }: Case): number {
  prepare(side, { isCold, way, scope })
  const { argv, env } = side.command(work, way, scope)
  const options = { env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 1 << 28 } as const
  const { stderr } = spawnSync(argv[0]!, [...argv.slice(1), '-l', 'debug'], options)
  const counts = [...stderr.matchAll(/ took (\d+) round trips/g)].map(([, count]) => Number(count))
  if (counts.length === 0) throw new Error(`${side.name} tells of no round trips: ${stderr.slice(-1000)}`)
  return counts.reduce((sum, count) => sum + count) / counts.length
}

/** Print the round trips of the cases on one target, for the whole run and for each state. */
function sayRoundTrips(side: Side, cases: readonly Case[]): void {
  for (const one of cases.filter(({ scope, way }) => scope === 'one' && way.key === 'direct')) {
    const count = roundTrips(side, one)
    const each = one.work === 'tree' ? `, ${(count / STATES).toFixed(2)} per state` : ''
    process.stdout.write(`${one.what}: ${count} round trips${each}\n`)
  }
}

/** Fail unless each target has everything that the tree makes. */
function checkTargets(side: Side, targets: Way['targets']): void {
  for (const { id } of targets) {
    const left = side.left(id)
    if (left.length !== STATES)
      throw new Error(`${side.name} left ${left.length} of ${STATES} things on ${id}: ${left.join(' ')}`)
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

/** Print a line for a case and return whether its goals were reached. */
function say({ what, isCold, way }: Case, costs: ReadonlyMap<string, ProcessCost>): boolean {
  const ours = costs.get('brine')
  const hasGoal = !isCold || way.key === 'far'
  let isGood = true
  const cells = [...costs].map(([name, { wallMs, cpuMs }]) => {
    const cell = `${name} ${seconds(wallMs)} (CPU ${seconds(cpuMs)})`
    if (name === 'brine' || ours === undefined) return cell
    const ratio = wallMs / ours.wallMs
    const goal = name === 'salt' ? GOALS.salt : GOALS.others
    const isMissed = hasGoal && ratio < goal
    if (isMissed) isGood = false
    return `${cell} ${ratio.toFixed(1)}×${hasGoal ? `, goal ${goal}×` : ''}${isMissed ? ' MISSED' : ''}`
  })
  process.stdout.write(`${what.padEnd(36)}  ${cells.join(' | ')}\n`)
  return isGood
}

/** The files of root's server: an empty home, so that no shell configuration of this machine affects a measurement. */
const EMPTY_HOME = [
  'unshare',
  '--mount',
  '--propagation',
  'private',
  'sh',
  '-ec',
  'mount --bind "$1" "$2"; shift 2; exec "$@"',
  'sh',
]

function startServer(folder: string): Promise<TestSshd> {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const wrapper = process.geteuid?.() === 0 ? [...EMPTY_HOME, home, userInfo().homedir] : []
  return startSshd({ folder, wrapper })
}

/** The same targets over a long way. */
async function delayed(direct: Way, context: BenchContext): Promise<{ way: Way; relay: ChildProcess }> {
  const targets = await Promise.all(direct.targets.map(async ({ id, key }) => ({ id, key, port: await freePort() })))
  const pairs = targets.map(({ port }, i) => `${port}:${direct.targets[i]!.port}`)
  const argv = [await context.bundle('ssh-relay'), String(DELAY_MS / 2), ...pairs]
  const relay = spawn(process.execPath, argv, { stdio: ['pipe', 'ignore', 'inherit'] })
  return { way: { name: `${DELAY_MS} ms`, key: 'far', targets }, relay }
}

function sidesOf(root: string, folder: string, wanted: readonly string[]): Side[] {
  const dist = join(folder, 'dist')
  const makers: Record<string, () => Side | undefined> = {
    brine: () => {
      execFileSync(process.execPath, ['--import', 'tsx', join(root, 'tools', 'build.ts')], { cwd: root })
      // a copy, so that a build meanwhile does not pull the program from under the bench
      cpSync(join(root, 'dist'), dist, { recursive: true })
      return brineSide(folder, dist)
    },
    salt: () => realSaltSide(folder),
    ansible: () => ansibleSide(folder),
    pyinfra: () => undefined,
  }
  return wanted.flatMap((name) => {
    const side = makers[name]?.()
    if (side === undefined) process.stdout.write(`${name}: absent\n`)
    return side ?? []
  })
}

const ssh: Bench = async (context) => {
  const options = {
    only: { type: 'string', default: '' },
    sides: { type: 'string', default: 'brine,salt,ansible,pyinfra' },
  } as const
  const { values } = parseArgs({ args: context.args, options })
  const folder = join(context.root, '.brine', 'bench', `ssh-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  const servers: TestSshd[] = []
  while (servers.length < TARGETS) servers.push(await startServer(join(folder, `sshd-${servers.length}`)))
  const targets = servers.map(({ port, identity: key }, i) => ({ id: `t${String(i + 1).padStart(2, '0')}`, port, key }))
  const direct: Way = { name: 'no delay', key: 'direct', targets }
  const { way, relay } = await delayed(direct, context)
  try {
    const sides = sidesOf(context.root, folder, values.sides.split(','))
    let isGood = true
    const cases = casesOf([direct, way]).filter(({ what }) => what.includes(values.only))
    for (const one of cases) {
      isGood = say(one, await costsOf(sides, one)) && isGood
    }
    for (const side of sides.filter(({ name }) => name === 'brine')) sayRoundTrips(side, cases)
    for (const side of sides) side.forget()
    return isGood
  } finally {
    relay.stdin!.end()
    for (const sshd of servers) await sshd.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

export default ssh satisfies Bench
