// One recorded case as a promise to keep: the dry run touches nothing and foretells what the real run does, and a
// second real run has nothing left to do. Where Salt itself breaks the promise, `exceptions.json` says so and why.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Area, Case, Json, Outcome } from '../conformance/area.ts'
import { answerOf, type Call, enter } from '../conformance/minion/case-call.ts'
import type { CaseConfig } from '../conformance/minion/case-minion.ts'
import { CaseRoot } from '../conformance/minion/case-root.ts'
import { type Broken, foretold, settled } from './promises.ts'
import { snapshot, touched } from './snapshot.ts'

const KEPT = 'kept'

/** Case name → promise → why Salt does not keep it there. */
type Exceptions = Record<string, Record<string, string>>

const exceptions: Exceptions = JSON.parse(readFileSync(join(import.meta.dirname, 'exceptions.json'), 'utf8'))

async function brokenPromises(root: CaseRoot, testCase: Case): Promise<Broken[]> {
  enter(root)
  root.write((testCase['files'] ?? {}) as Record<string, string>)
  mkdirSync(join(root.path, 'minion/cache'), { recursive: true })
  root.run((testCase['setup'] ?? []) as string[])
  const config = root.fill(testCase['minion'] as Json) as unknown as CaseConfig
  const ask = async (call: Call): Promise<Json> =>
    root.strip(await answerOf(root, config, root.fill(call as unknown as Json) as unknown as Call, 'exact'))
  for (const call of (testCase['pre'] ?? []) as Call[]) await ask(call)
  const call = testCase['call'] as Call
  const before = snapshot(root.path)
  const environment = JSON.stringify(process.env)
  const dry = await ask({ ...call, kwargs: { ...call.kwargs, test: true } })
  const changed = touched(before, snapshot(root.path))
  if (JSON.stringify(process.env) !== environment) changed.push('the environment')
  const real = await ask(call)
  const again = await ask(call)
  const untouched = changed.map((path): Broken => ({ promise: 'untouched', problem: path }))
  return [...untouched, ...foretold(dry, real), ...settled(real, again)]
}

/** Return the broken promises without an excuse, and the excuses that are not needed any more. */
function unexcused(name: string, broken: Broken[]): string[] {
  const excused = exceptions[name] ?? {}
  const open = broken
    .filter(({ promise }) => !(promise in excused))
    .map(({ promise, problem }) => `${promise}: ${problem}`)
  const stale = Object.keys(excused).filter((promise) => !broken.some((one) => one.promise === promise))
  return [...open, ...stale.map((promise) => `${promise}: is kept, but listed in exceptions.json`)]
}

async function run(testCase: Case): Promise<Outcome> {
  const root = new CaseRoot()
  try {
    const problems = unexcused(testCase.name, await brokenPromises(root, testCase))
    return { expect: problems.length === 0 ? KEPT : problems.join('\n') }
  } finally {
    root.remove()
  }
}

const area: Area = { name: 'dry run', recorded: () => ({ expect: KEPT }), run }

export default area
