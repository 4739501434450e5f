// Area `ssh`: scenarios recorded from real salt-ssh, each played against a real sshd in separate namespaces.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { caseDirectory } from '../corpus.ts'
import { type AreaReport, RequestError, type RunOptions } from '../report.ts'
import { accidentSteps } from '../ssh/accidents.ts'
import { makeKeys } from '../ssh/keys.ts'
import type { StepVerdict } from '../ssh/play.ts'
import { readScenarios, type Scenario } from '../ssh/scenario.ts'

/** Namespaces that end with the process that opens them, together with all it started. */
const UNSHARE = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc']

/** Say why this machine cannot play any scenario; undefined when it can. */
function obstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can open a private mount namespace'
  for (const [what, file] of Object.entries({
    'sshd (package openssh-server)': '/usr/sbin/sshd',
    sudo: '/usr/bin/sudo',
  })) {
    if (!existsSync(file)) return `there is no ${what}`
  }
  return spawnSync('unshare', [...UNSHARE, 'true']).status === 0 ? undefined : 'namespaces are not permitted here'
}

export async function runScenarios({ cases, filter, salt = false, every = 1 }: RunOptions): Promise<AreaReport> {
  const scenarios = readScenarios(cases ?? caseDirectory('ssh'), filter)
  if (scenarios.length === 0) throw new RequestError(`No scenarios for 'ssh' in ${cases ?? 'cases/'}`)
  const report: AreaReport = { passed: 0, failures: [], known: new Map(), skipped: new Map() }
  const reason = obstacle()
  if (reason !== undefined) {
    for (const { scenario, steps } of scenarios)
      for (const index of steps.keys()) report.skipped.set(`${scenario}/${index}`, reason)
    return report
  }
  for (const verdict of await playAll(
    scenarios.filter((_, index) => index % every === 0),
    salt,
  ))
    count(verdict, report)
  if (cases === undefined && filter === undefined) report.failures.push(...unusedAccidents(scenarios))
  return report
}

function count({ name, problem, skipped, accident }: StepVerdict, report: AreaReport): void {
  if (problem !== undefined) report.failures.push({ name, problem })
  else if (skipped !== undefined) report.skipped.set(name, skipped)
  else {
    report.passed++
    if (accident !== undefined) report.known.set(name, accident)
  }
}

function unusedAccidents(scenarios: readonly Scenario[]): AreaReport['failures'] {
  const names = new Set(
    scenarios.flatMap(({ scenario, steps }) => [...steps.keys()].map((index) => `${scenario}/${index}`)),
  )
  return accidentSteps()
    .filter((name) => !names.has(name))
    .map((name) => ({ name: 'ssh/accidents.json', problem: `names no step: ${name}` }))
}

/** Play all scenarios, as many at once as there are processors. */
async function playAll(scenarios: readonly Scenario[], salt: boolean): Promise<StepVerdict[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'brine-ssh-'))
  try {
    const keys = join(scratch, 'keys')
    makeKeys(keys)
    spawnSync('chmod', ['0755', scratch])
    const verdicts: StepVerdict[][] = []
    const left = [...scenarios.entries()]
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift()) {
        verdicts[next[0]] = await playOne(next[1], join(scratch, String(next[0])), keys, salt)
      }
    }
    await Promise.all(Array.from({ length: availableParallelism() }, work))
    return verdicts.flat()
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function playOne(scenario: Scenario, scratch: string, keys: string, salt: boolean): Promise<StepVerdict[]> {
  mkdirSync(scratch, { mode: 0o755 })
  const file = join(scratch, 'scenario.json')
  writeFileSync(file, JSON.stringify(scenario))
  const inside = join(import.meta.dirname, '../ssh/inside.ts')
  const words = [process.execPath, '--import', 'tsx', inside, file, scratch, keys, ...(salt ? ['salt'] : [])]
  const child = spawn('unshare', [...UNSHARE, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes
  })
  const code = await new Promise((done) => child.once('close', done))
  rmSync(scratch, { recursive: true, force: true })
  try {
    return JSON.parse(text) as StepVerdict[]
  } catch {
    return [{ name: `${scenario.scenario}/setup`, problem: `the runner ended with ${code}: ${text}` }]
  }
}
