// One call to a minion of a recorded case, in the surroundings the recording had: environment, umask and directory.
import { BrineError } from '../../../src/base/mod.ts'
import { typeName, type Value } from '../../../src/data/mod.ts'
import { LoaderError } from '../../../src/loader/mod.ts'
import type { Json } from '../area.ts'
import { type CaseConfig, caseMinion } from './case-minion.ts'
import type { CaseRoot } from './case-root.ts'
import { asJson, asValue, normalised } from './normalise.ts'

export interface Call {
  fun: string
  args?: Json[]
  kwargs?: Record<string, Json>
}

type Answer = Record<string, Json>

/** environment variables of a case are removed before the next one, as in a fresh process */
const environment = { ...process.env }

export function enter(root: CaseRoot): void {
  process.umask(0o022)
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment, {
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

export async function answerOf(root: CaseRoot, config: CaseConfig, call: Call, form: string): Promise<Answer> {
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
  // recordings have the name of the class without its module
  return { type: error.name.split('.').at(-1)!, message: normalised(error.message) }
}
