// Area `gitfs`: cases about GitFS and git_pillar, played with the programs of dist/ against real repositories and servers.
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { toError } from '../../../src/base/mod.ts'
import { ours, realSalt } from '../../live/programs.ts'
import { noSshd, startSshd } from '../../ssh/sshd.ts'
import { caseFiles, readCases } from '../corpus.ts'
import { differences, type GitCase, stepName } from '../gitfs/case.ts'
import { type CaseVerdict, play } from '../gitfs/play.ts'
import { type Shared, World } from '../gitfs/world.ts'
import { type AreaReport, RequestError, type RunOptions } from '../report.ts'

export async function runGitCases({
  cases: directory,
  filter,
  salt = false,
  every = 1,
}: RunOptions): Promise<AreaReport> {
  const cases = readCases(caseFiles('gitfs', directory), filter) as unknown as GitCase[]
  if (cases.length === 0) throw new RequestError(`No cases for 'gitfs' in ${directory ?? 'cases/'}`)
  const report: AreaReport = { passed: 0, failures: [], known: new Map(), skipped: new Map() }
  const able: GitCase[] = []
  for (const testCase of cases.filter((_, index) => index % every === 0)) {
    const reason = obstacle(testCase)
    if (reason === undefined) able.push(testCase)
    else report.skipped.set(testCase.id, reason)
  }
  for (const [index, verdict] of (await playAll(able, salt)).entries()) {
    count(verdict, able[index]!, directory !== undefined, report)
  }
  if (directory === undefined && filter === undefined) report.failures.push(...unusedDifferences(cases))
  return report
}

/** Say why this machine cannot play a case. */
const obstacle = (testCase: GitCase): string | undefined => (/<SSH/.test(JSON.stringify(testCase)) ? noSshd : undefined)

/** A case of others that names a better answer may differ, as its recording says; in ours each such step is declared. */
function count(
  { id, problems, known }: CaseVerdict,
  { better }: GitCase,
  isOfOthers: boolean,
  report: AreaReport,
): void {
  const isPermitted = isOfOthers && better !== undefined && known.size === 0
  if (problems.length === 0) report.passed++
  else if (isPermitted) report.known.set(id, `differs, as the case permits: ${better}\n${problems.join('\n')}`)
  else report.failures.push({ name: id, problem: problems.join('\n') })
  for (const [name, reason] of known) report.known.set(name, reason)
}

function unusedDifferences(cases: readonly GitCase[]): AreaReport['failures'] {
  const names = new Set(cases.flatMap(({ id, steps }) => [...steps.keys()].map((index) => stepName(id, index))))
  return Object.keys(differences)
    .filter((name) => !names.has(name))
    .map((name) => ({ name: 'gitfs/differences.json', problem: `names no step: ${name}` }))
}

/** Play all cases. */
async function playAll(cases: readonly GitCase[], isSalt: boolean): Promise<CaseVerdict[]> {
  return inWorlds(cases, isSalt, join(tmpdir(), 'brine-git-'), (testCase, root, shared) =>
    playOne(testCase, root, shared, isSalt),
  )
}

/** Play all cases with real Salt, and return the result of `T` for each. */
export const recordedWith = <T>(
  cases: readonly GitCase[],
  prefix: string,
  record: (testCase: GitCase, world: World) => Promise<T>,
): Promise<T[]> =>
  inWorlds(cases, true, prefix, async (testCase, root, shared) => {
    const world = await World.open(root, shared, testCase)
    try {
      return await record(testCase, world)
    } finally {
      await world.close()
    }
  })

/** Call a function for each case, each in its own directory, as many at once as the machine has processors. */
async function inWorlds<T>(
  cases: readonly GitCase[],
  isSalt: boolean,
  prefix: string,
  work: (testCase: GitCase, root: string, shared: Shared) => Promise<T>,
): Promise<T[]> {
  const scratch = mkdtempSync(prefix)
  const shared = await prepare(scratch, cases, isSalt)
  try {
    const results: T[] = []
    const left = [...cases.entries()]
    const worker = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift()) {
        results[next[0]] = await work(next[1], join(scratch, String(next[0])), shared)
      }
    }
    await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker))
    return results
  } finally {
    await shared.sshd?.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function playOne(testCase: GitCase, root: string, shared: Shared, isSalt: boolean): Promise<CaseVerdict> {
  let world: World | undefined
  try {
    world = await World.open(root, shared, testCase)
    return await play(testCase, world, isSalt)
  } catch (thrown) {
    const { stack, message } = toError(thrown)
    return { id: testCase.id, problems: [`cannot be played: ${stack ?? message}`], known: new Map() }
  } finally {
    await world?.close()
  }
}

async function prepare(scratch: string, cases: readonly GitCase[], isSalt: boolean): Promise<Shared> {
  const [bin, keys] = [join(scratch, 'bin'), join(scratch, 'keys')]
  for (const folder of [bin, keys]) mkdirSync(folder)
  const isSshUsed = noSshd === undefined && /<(SSH|KEYS|HOST:ssh|PORT:ssh)/.test(JSON.stringify(cases))
  const sshd = isSshUsed ? await startSshd() : undefined
  if (sshd) {
    const pairs = { id: sshd.identity, other: sshd.strangeIdentity }
    for (const [name, file] of Object.entries(pairs)) {
      for (const end of ['', '.pub']) copyFileSync(file + end, join(keys, name + end))
      chmodSync(join(keys, name), 0o600)
    }
    // ssh reads known hosts from the home directory of the account, ignoring HOME
    const line = `exec /usr/bin/ssh -F ${sshd.target.configFile} -o UserKnownHostsFile=${sshd.knownHosts} "$@"`
    writeFileSync(join(bin, 'ssh'), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  }
  return { programs: isSalt ? saltWithLoop(scratch) : ours, sshd, keys, bin }
}

const LOOP_WHEN_ASKED = `import asyncio
class Policy(asyncio.DefaultEventLoopPolicy):
    def get_event_loop(self):
        try:
            return super().get_event_loop()
        except RuntimeError:
            self.set_event_loop(self.new_event_loop())
            return super().get_event_loop()
asyncio.set_event_loop_policy(Policy())
`

/** Real Salt, with an event loop where an old tornado has none. */
function saltWithLoop(scratch: string) {
  const folder = join(scratch, 'python')
  if (!existsSync(folder)) mkdirSync(folder)
  writeFileSync(join(folder, 'sitecustomize.py'), LOOP_WHEN_ASKED)
  const salt = realSalt()
  return { ...salt, env: { ...salt.env, PYTHONPATH: `${folder}:${salt.env['PYTHONPATH']}` } }
}
