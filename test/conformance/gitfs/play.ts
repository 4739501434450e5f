// Plays one case: does its steps in order, and says which came out otherwise than recorded.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { dumpJson, str } from '../../../src/data/mod.ts'
import { EventLog } from '../../live/event-log.ts'
import { until } from '../../until.ts'
import { differences, type Expectation, type GitCase, type Step, stepName } from './case.ts'
import { answerOf, answerProblems, logOf, logProblems } from './compare.ts'
import { filledIn, matches } from './placeholders.ts'
import { endGroup, listens } from './servers.ts'
import { outputOf, type World } from './world.ts'

/** How long to wait for events that must not come, in milliseconds. */
const SETTLE_MS = 500

export interface CaseVerdict {
  id: string
  /** The differences, step by step. */
  problems: string[]
  /** Step → why it is other here than recorded. */
  known: Map<string, string>
}

/** Play a case in its world. Declared differences do not apply to real Salt, which must give every recorded answer. */
export async function play(testCase: GitCase, world: World, isSalt: boolean): Promise<CaseVerdict> {
  const verdict: CaseVerdict = { id: testCase.id, problems: [], known: new Map() }
  for (const [index, step] of testCase.steps.entries()) {
    const name = stepName(testCase.id, index)
    const difference = isSalt ? undefined : differences[name]
    if (difference) verdict.known.set(name, difference.reason)
    const expected = { ...step, ...(difference && { expect: difference.expect }) }
    const problems = await perform(expected, world)
    if (problems.length > 0) verdict.problems.push(`step ${index}, ${titleOf(step)}:`, ...problems)
  }
  verdict.problems.push(...world.wrongShas(testCase.shas))
  return verdict
}

const titleOf = ({ cmd, read, tree, git, master }: Step): string =>
  cmd?.join(' ') ?? read ?? tree ?? git ?? (master ? 'salt-master' : 'a change')

async function perform(step: Step, world: World): Promise<string[]> {
  if (step.cmd !== undefined) return command(step, world)
  if (step.master !== undefined) return master(step, step.expect ?? {}, world)
  if (step.read !== undefined) return look(step.read, step.expect ?? {}, world)
  return applyChange(step, world)
}

/** Do a step that changes something and has no answer. */
export function applyChange(step: Step, world: World): string[] {
  if (step.git !== undefined) world.operate(step.git, step.ops ?? [])
  else if (step.config !== undefined) world.configure(step.config)
  else if (step.write !== undefined) world.write(step.write, step.text ?? '')
  else if (step.remove !== undefined) rmSync(world.place(step.remove), { recursive: true, force: true })
  // the layout of a cache is not compared
  else if (step.tree === undefined) return [`no way to do: ${JSON.stringify(step)}`]
  return []
}

async function command(step: Step, world: World): Promise<string[]> {
  const ran = await world.run(step.cmd!)
  const problems = answerProblems(step, step.expect ?? {}, answerOf(step.cmd![0]!, ran), world.values)
  return problems.length > 0 ? [...problems, `stderr: ${ran.stderr.slice(0, 3000)}`] : []
}

/** Files that must equal the recorded ones: the map of remotes, locks, and files that a user requested. */
const isOfConcern = (path: string): boolean =>
  !/^<(CACHE|MCACHE)>/.test(path) || /(\/remote_map\.txt|\.lk)$/.test(path) || /^<MCACHE>\/(extrn_)?files\//.test(path)

function look(path: string, expect: Expectation, world: World): string[] {
  const file = world.place(path)
  if (!isOfConcern(path)) return []
  if (!existsSync(file)) return expect.missing === undefined ? [`${path} is not there`] : []
  if (expect.missing !== undefined) return [`${path} is there`]
  const [content, { text, base64, sha256, size, mode }] = [readFileSync(file), filledIn(expect, world.values)]
  const problems: string[] = []
  if (text !== undefined && !matches(text, content.toString())) problems.push(`text ${content.toString()}\nnot ${text}`)
  if (base64 !== undefined && content.toString('base64') !== base64) problems.push('other bytes')
  if (size !== undefined && content.length !== size) problems.push(`${content.length} bytes, not ${size}`)
  if (sha256 !== undefined && createHash('sha256').update(content).digest('hex') !== sha256)
    problems.push('other bytes')
  const bits = (statSync(file).mode & 0o7777).toString(8)
  if (mode !== undefined && Number.parseInt(bits, 8) !== Number.parseInt(mode, 8))
    problems.push(`mode ${bits}, not ${mode}`)
  return problems
}

/** Lines of a daemon's log that no recording may lack: those about git. */
const ABOUT_GIT = /^\[(ERROR|CRITICAL)\].*git/

async function master({ master: task }: Step, expect: Expectation, world: World): Promise<string[]> {
  const daemon = world.start('salt-master', ['-l', 'warning'])
  const output = outputOf(daemon)
  try {
    const isUp = await cameUp(daemon, world.retPort)
    if (task?.start_only !== true) {
      if (!isUp) return [`the master ended: ${(await output).stderr.slice(0, 3000)}`]
      return await beside(task?.do ?? [], expect, world)
    }
    if (isUp) await endGroup(daemon, 'SIGTERM')
    const { status, stderr } = await output
    const rc = isUp ? 'running' : (status ?? 'killed')
    const problems = rc === expect.rc ? [] : [`rc ${rc}, not ${expect.rc}`]
    problems.push(...logProblems(filledIn(expect.log ?? [], world.values), logOf(stderr), ABOUT_GIT))
    return problems.length > 0 ? [...problems, `stderr: ${stderr.slice(0, 3000)}`] : []
  } finally {
    await endGroup(daemon)
  }
}

/** Wait until a master answers, or has ended. */
async function cameUp(daemon: ReturnType<World['start']>, port: number): Promise<boolean> {
  let isUp = false
  await until('the master is up or has ended', async () => {
    if (daemon.exitCode !== null || daemon.signalCode !== null) return true
    isUp = await listens(port, daemon).catch(() => false)
    return isUp
  })
  return isUp
}

/** Do steps beside a running master, and compare their answers and the events of the file server. */
async function beside(steps: readonly Step[], expect: Expectation, world: World): Promise<string[]> {
  const log = new EventLog(world.place('run/master_event_pub.ipc'))
  await until('the bus of the master listens', () => log.listen())
  const events = () =>
    log.seen
      .filter(({ tag }) => tag.startsWith('salt/fileserver'))
      .map(({ tag, data }) => ({ tag, data: plain(JSON.parse(dumpJson(data, { default: str }))) }))
  try {
    // the master's own first update is no part of the recording
    await world.run(['salt-run', 'fileserver.update'])
    await sleep(SETTLE_MS)
    const before = events().length
    const problems: string[] = []
    const runs = [...(expect.runs ?? [])]
    for (const step of steps) {
      const expected = step.cmd ? { ...step, expect: runs.shift() ?? {} } : step
      problems.push(...(await perform(expected, world)))
    }
    const wanted = JSON.stringify(expect.events ?? [])
    await until('events come', () => events().length - before >= (expect.events ?? []).length, 10).catch(
      () => undefined,
    )
    await sleep(SETTLE_MS)
    const seen = JSON.stringify(events().slice(before))
    return seen === wanted ? problems : [...problems, `events ${seen}\nnot ${wanted}`]
  } finally {
    log.close()
  }
}

/** An event without the time that each has. */
const plain = ({ _stamp, ...data }: Record<string, never>): Record<string, never> => data
