// Requests of Python while one of its functions runs: other functions by name, of every family that the caller has, and
// YAML as Salt parses it. A Python function is answered with its place, and Python calls it directly.
import { type Dict, str, type Value } from '../data/mod.ts'
import { type DumpOptions, load } from '../yaml/mod.ts'
import type { ScopeFunction } from './scope.ts'

/** The place of a Python function. */
export interface PythonSource {
  path: string
  attr: string
  /** Whether the function runs on a target, which has all of users' modules; the local worker has only those for this machine. */
  onTarget?: boolean
}

export interface FoundFunction {
  doc: string
  /** Absent for functions in TypeScript. */
  origin?: PythonSource | undefined
}

/** One family of functions, as Python may use it. */
export interface AnswerFamily {
  /** Undefined if the function does not exist. */
  find(name: string): FoundFunction | undefined | Promise<FoundFunction | undefined>
  names(): Iterable<string> | Promise<Iterable<string>>
  call(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Value | Promise<Value>
}

export type Families = Readonly<Record<string, AnswerFamily>>

const none: AnswerFamily = {
  find: () => undefined,
  names: () => [],
  call: (name) => {
    throw new Error(`'${name}' is not available.`)
  },
}

const keywordsOf = (dict: Dict): Map<string, Value> => new Map([...dict].map(([key, value]) => [str(key), value]))

export function answersOf(
  families: Families,
  more: Readonly<Record<string, ScopeFunction>> = {},
): Map<string, ScopeFunction> {
  const family = (name: Value): AnswerFamily => families[str(name)] ?? none
  const answers: Record<string, ScopeFunction> = {
    find: async ([kind, name], asker) => {
      const found = await family(kind!).find(str(name!))
      if (!found) return null
      const { origin } = found
      const isBeside = origin !== undefined && (asker.onTarget || !origin.onTarget)
      return isBeside ? ['python', origin.path, origin.attr] : ['host']
    },
    doc: async ([kind, name]) => (await family(kind!).find(str(name!)))?.doc ?? null,
    names: async ([kind]) => [...(await family(kind!).names())],
    call: ([kind, name, args, kwargs]) => family(kind!).call(str(name!), args as Value[], keywordsOf(kwargs as Dict)),
    yaml: ([text]) => load(str(text!)),
    yaml_dump: async ([value, options]) => {
      const { dump } = await import('../yaml/mod.ts')
      return dump(value!, Object.fromEntries(options as Dict) as DumpOptions)
    },
  }
  return new Map(Object.entries({ ...answers, ...more }))
}
