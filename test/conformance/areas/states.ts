// States and the functions they rest on, masterless (cases/states/README.md): each case gets a folder of its own, a
// minion in it, and one call.
import { BrineError } from '../../../src/base/mod.ts'
import { typeName, type Value } from '../../../src/data/mod.ts'
import { LoaderError } from '../../../src/loader/mod.ts'
import type { Area, Case, Json, Outcome } from '../area.ts'
import { type CaseConfig, caseMinion } from '../minion/case-minion.ts'
import { CaseRoot } from '../minion/case-root.ts'
import { differences } from '../minion/difference.ts'
import { asJson, asValue, normalised } from '../minion/normalise.ts'

interface Call {
  fun: string
  args?: Json[]
  kwargs?: Record<string, Json>
}

type Answer = Record<string, Json>

const SAME = 'as recorded'

/** What cases set in the environment is gone before the next one, as in a fresh process. */
const environment = { ...process.env }

function enter(root: CaseRoot): void {
  process.umask(0o022)
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, {
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    SHELL: '/bin/bash',
    HOME: `${root.path}/home`,
    TMPDIR: `${root.path}/tmp`,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@x',
    GIT_AUTHOR_DATE: '2020-01-01T00:00:00Z',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@x',
    GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z',
    GIT_CONFIG_NOSYSTEM: '1',
  })
  process.chdir(root.path)
}

async function answerOf(root: CaseRoot, config: CaseConfig, call: Call, form: string): Promise<Answer> {
  const { functions, memory } = await caseMinion(root.path, config)
  const [fun, args] = call.fun === 'exec' ? [String(call.args![0]), call.args!.slice(1)] : [call.fun, call.args ?? []]
  const kwargs = new Map(Object.entries(call.kwargs ?? {}).map(([name, value]) => [name, asValue(value)]))
  try {
    const value = await functions.call(fun, args.map(asValue), kwargs)
    return { ...shown(value, form), retcode: asJson(memory.get('retcode') ?? 0) }
  } catch (error) {
    return { exception: exceptionOf(error, fun) }
  }
}

function shown(value: Value, form: string): Answer {
  if (form === 'type') return { type: typeName(value).replace('collections.', '') }
  if (form === 'keys' && value instanceof Map) return { keys: [...value.keys()].map(String).sort() }
  return { return: normalised(asJson(value)) }
}

function exceptionOf(error: unknown, fun: string): Json {
  if (error instanceof LoaderError && error.code === 'FunctionUnknown') return { type: 'KeyError', message: `'${fun}'` }
  if (!(error instanceof BrineError)) throw error
  return { type: error.name, message: normalised(error.message) }
}

async function run(testCase: Case): Promise<Outcome> {
  const root = new CaseRoot()
  const form = String(testCase['compare'] ?? 'exact')
  try {
    enter(root)
    root.write((testCase['files'] ?? {}) as Record<string, string>)
    root.run((testCase['setup'] ?? []) as string[])
    const config = root.fill(testCase['minion'] as Json) as unknown as CaseConfig
    for (const call of (testCase['pre'] ?? []) as Call[]) {
      await answerOf(root, config, root.fill(call as unknown as Json) as unknown as Call, form)
    }
    const call = root.fill(testCase['call'] as Json) as unknown as Call
    const answer = await answerOf(root, config, call, form)
    const out = root.out()
    const got = root.strip(Object.keys(out).length > 0 ? { ...answer, out } : answer)
    const problems = differences(testCase.expect as Json, got, form === 'unordered')
    return { expect: problems.length === 0 ? SAME : problems.join('\n') }
  } finally {
    root.remove()
  }
}

const area: Area = { name: 'states', recorded: () => ({ expect: SAME }), run }

export default area
