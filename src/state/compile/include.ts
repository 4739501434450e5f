// The SLS files of an entry of `include`: a name, a glob, a relative name, or a name in another environment.
import { fnmatchFilter, PyError, str, typeName, type Value } from '../../data/mod.ts'
import { textKey } from './text-key.ts'
import type { StateList } from './tree.ts'

/** Search all environments that the minion uses. */
const ANY_ENV = '_xenv'

export interface Includer {
  sls: string
  saltenv: string
  /** The file of the including SLS, below the root. */
  path: string
  /** Environments of the run, when it has some. */
  environments: readonly string[]
}

export interface IncludeTargets {
  saltenv: string
  names: string[]
}

/** The targets, or the text of the error. */
export async function resolveInclude(
  entry: Value,
  includer: Includer,
  states: StateList,
): Promise<IncludeTargets | string> {
  const { sls, saltenv } = includer
  const [env, named] = entry instanceof Map ? lastItem(entry) : [saltenv, entry]
  const envKey = str(env)
  if (!(await states.has(envKey)) && !(await states.has('__env__'))) {
    return `Nonexistent saltenv '${envKey}' found in include of '${str(named)}' within SLS '${saltenv}:${sls}'`
  }
  const name = textKey(named)
  const absolute = name.startsWith('.') ? absoluteName(name, includer) : name
  if (absolute === undefined) {
    return `Attempted relative include of '${name}' within SLS '${saltenv}:${sls}' goes beyond top level package `
  }
  const resolved = await environmentsOf(envKey, absolute, includer, states)
  if (resolved.length === 1 || resolved.includes(saltenv)) {
    const found = fnmatchFilter(await states.of(saltenv), absolute)
    // a name that is nowhere is left to be rendered, which reports it
    return { saltenv: resolved.length === 1 ? resolved[0]! : saltenv, names: found.length > 0 ? found : [absolute] }
  }
  return unresolved(envKey, absolute, resolved, includer)
}

function lastItem(entry: ReadonlyMap<Value, Value>): [Value, Value] {
  const last = [...entry].at(-1)
  if (last === undefined) throw new PyError('KeyError', "'dictionary is empty'")
  return last
}

function absoluteName(name: string, { sls, path }: Includer): string | undefined {
  const dots = /^\.+/.exec(name)![0].length
  const parts = sls.split('.')
  if (path.endsWith('/init.sls')) parts.push('init')
  if (dots > parts.length) return undefined
  return [...parts.slice(0, parts.length - dots), name.slice(dots)].join('.')
}

async function environmentsOf(env: string, name: string, { environments }: Includer, states: StateList) {
  const has = async (saltenv: string): Promise<boolean> => fnmatchFilter(await states.of(saltenv), name).length > 0
  if (env !== ANY_ENV) return environments.includes(env) || (await has(env)) ? [env] : []
  const found: string[] = []
  for (const saltenv of environments) if (await has(saltenv)) found.push(saltenv)
  return found
}

function unresolved(env: string, name: string, resolved: readonly string[], { environments }: Includer): string {
  if (resolved.length > 1) {
    const where = resolved.join(', ')
    return `Ambiguous include: Specified SLS ${env}: ${name} is available on the salt master in multiple available saltenvs: ${where}`
  }
  const where = env === ANY_ENV ? environments.join(', ') : env
  return `Unknown include: Specified SLS ${env}: ${name} is not available on the salt master in saltenv(s): ${where} `
}

/** Return Python's error for marking an included ID whose body is no dict. */
export function unmarkable(body: Value): PyError {
  if (typeof body === 'string') return new PyError('TypeError', "'str' object does not support item assignment")
  if (Array.isArray(body)) return new PyError('TypeError', 'list indices must be integers or slices, not str')
  return new PyError('TypeError', `argument of type '${typeName(body)}' is not iterable`)
}

/** Return Python's error for reading the IDs of an included file that rendered to text or a list. */
export function indexedByText(state: Value): PyError {
  const isText = typeof state === 'string'
  return new PyError(
    'TypeError',
    isText ? "string indices must be integers, not 'str'" : 'list indices must be integers or slices, not str',
  )
}
