// What Python asks while one of its functions runs: other functions by name, of every family that the caller has. A
// function that is Python itself is named by its place, and called there without a way through here.
import { BrineError } from '../base/mod.ts'
import { type Dict, loadJson, str, type Value } from '../data/mod.ts'
import {
  bind,
  type FunctionContext,
  type FunctionDeclaration,
  type StateContext,
  type StateFunction,
} from '../sdk/mod.ts'
import { load as loadYaml } from '../yaml/mod.ts'

/** Where the Python behind a declaration is. */
export interface Origin {
  path: string
  attr: string
}

const origins = new WeakMap<object, Origin>()

export function setOrigin(declaration: object, origin: Origin): void {
  origins.set(declaration, origin)
}

/** One family of functions, as Python may use it. */
export interface Family {
  /** The declaration, or undefined when there is none. */
  find(name: string): Promise<{ doc: string } | undefined>
  names(): Iterable<string> | Promise<Iterable<string>>
  call(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Value | Promise<Value>
}

export type Families = ReadonlyMap<string, Family>

type Answer = (params: readonly Value[]) => Value | Promise<Value>

const none: Family = {
  find: async () => undefined,
  names: () => [],
  call: (name) => {
    throw new Error(`'${name}' is not available.`)
  },
}

export function answersOf(families: Families, more: Iterable<[string, Answer]> = []): Map<string, Answer> {
  const family = (name: Value): Family => families.get(str(name)) ?? none
  return new Map<string, Answer>([
    [
      'find',
      async ([kind, name]) => {
        const declaration = await family(kind!).find(str(name!))
        if (!declaration) return null
        const origin = origins.get(declaration)
        return origin ? ['python', origin.path, origin.attr] : ['host']
      },
    ],
    ['doc', async ([kind, name]) => (await family(kind!).find(str(name!)))?.doc ?? null],
    ['names', async ([kind]) => [...(await family(kind!).names())]],
    [
      'call',
      ([kind, name, args, kwargs]) => family(kind!).call(str(name!), args as Value[], keywordsOf(kwargs as Dict)),
    ],
    ['yaml', ([text]) => loadYaml(str(text!))],
    ['json', ([text]) => loadJson(str(text!))],
    ...more,
  ])
}

const keywordsOf = (dict: Dict): Map<string, Value> => new Map([...dict].map(([key, value]) => [str(key), value]))

const moduleOf = (name: string): string => name.slice(0, name.indexOf('.'))
const functionOf = (name: string): string => name.slice(name.indexOf('.') + 1)

/** Execution functions of a context. */
export function functionFamily(ctx: FunctionContext): Family {
  return {
    find: async (name): Promise<FunctionDeclaration | undefined> => {
      if (!ctx.has(name)) return undefined
      try {
        return (await ctx.module(moduleOf(name))).functions[functionOf(name)]
      } catch (error) {
        // a module that cannot serve this minion is not there
        if (error instanceof BrineError) return undefined
        throw error
      }
    },
    names: () => ctx.names(),
    call: (name, args, kwargs) => ctx.call(name, args, kwargs),
  }
}

/** State functions of a running state. */
export function stateFamily(ctx: StateContext): Family {
  const find = async (name: string): Promise<StateFunction | undefined> =>
    (await ctx.states.load(moduleOf(name)))?.functions[functionOf(name)]
  return {
    find,
    names: () => ctx.states.names(),
    call: async (name, args, kwargs) => {
      const declaration = await find(name)
      if (!declaration || args.length === 0) return ctx.state(name, kwargs)
      const bound = bind(declaration, functionOf(name), args, kwargs)
      const given = new Map(kwargs)
      for (const [parameter, { kind }] of Object.entries(declaration.args)) {
        if (kind !== 'rest' && kind !== 'open') given.set(parameter, bound[parameter] as Value)
      }
      return ctx.state(name, given)
    },
  }
}
