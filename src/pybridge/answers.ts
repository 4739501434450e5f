// Functions and states of Brine for Python.
import { BrineError, isA, recover } from '../base/mod.ts'
import { type Dict, isDict, str, type Value } from '../data/mod.ts'
import type { AnswerFamily, Families, FoundFunction, PythonSource, ScopeFunction } from '../python/mod.ts'
import {
  bind,
  callSerializer,
  type FunctionContext,
  type FunctionDescription,
  SERIALIZER_NAMES,
  type StateContext,
  serializerFor,
} from '../sdk/mod.ts'

const origins = new WeakMap<object, PythonSource>()

/** Notes where the Python behind a declaration is. */
export function setOrigin(declaration: object, origin: PythonSource): void {
  origins.set(declaration, origin)
}

export const foundIn = (declaration: { doc: string } | undefined): FoundFunction | undefined =>
  declaration && { doc: declaration.doc, origin: origins.get(declaration) }

const moduleOf = (name: string): string => name.slice(0, name.indexOf('.'))
const functionOf = (name: string): string => name.slice(name.indexOf('.') + 1)

/** Execution functions of a context. */
export function functionFamily(ctx: FunctionContext): AnswerFamily {
  return {
    find: async (name) => {
      if (!ctx.has(name)) return undefined
      // a module that does not support this minion counts as missing
      return recover(isA(BrineError), undefined, async () =>
        foundIn((await ctx.module(moduleOf(name))).functions[functionOf(name)]),
      )
    },
    names: () => ctx.names(),
    call: (name, args, kwargs) => ctx.call(name, args, kwargs),
  }
}

/** Return the functions of the proxy module on a proxy minion: `TYPE.function`. */
export function proxyFamilies({ proxy }: Pick<FunctionContext, 'proxy'>): Families {
  if (!proxy) return {}
  const own = (name: string): string | undefined =>
    moduleOf(name) === proxy.type && proxy.has(functionOf(name)) ? functionOf(name) : undefined
  const family: AnswerFamily = {
    find: async (name) => {
      const fun = own(name)
      return fun === undefined ? undefined : { doc: '', origin: await proxy.source(fun) }
    },
    names: () => proxy.names().map((fun) => `${proxy.type}.${fun}`),
    call: (name, args, kwargs) => {
      const fun = own(name)
      if (fun === undefined) throw new Error(`'${name}' is not available.`)
      return proxy.call(fun, args, new Map<Value, Value>(kwargs))
    },
  }
  return { proxy: family }
}

/** Return formats, such as `json.serialize`, including users' own. */
export function serializerFamily(ctx: FunctionContext): AnswerFamily {
  const kinds = ['serialize', 'deserialize'] as const
  const kindOf = (name: string) => kinds.find((kind) => kind === functionOf(name))
  return {
    find: async (name) => {
      const kind = kindOf(name)
      return kind && (await serializerFor(ctx, moduleOf(name)))?.[kind] ? { doc: '' } : undefined
    },
    names: () => SERIALIZER_NAMES.flatMap((name) => kinds.map((kind) => `${name}.${kind}`)),
    call: (name, [value = null], kwargs) => {
      const kind = kindOf(name)
      if (!kind) throw new Error(`'${name}' is not available.`)
      return callSerializer(ctx, [moduleOf(name), kind], value, kwargs)
    },
  }
}

/** State functions that a running state may call. */
export function stateFamily(ctx: StateContext): AnswerFamily {
  const load = async (name: string): Promise<FunctionDescription | undefined> =>
    (await ctx.states.load(moduleOf(name)))?.functions[functionOf(name)]
  return {
    find: async (name) => foundIn(await load(name)),
    names: () => ctx.states.names(),
    call: async (name, args, kwargs) => {
      const declaration = await load(name)
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

/** Return the functions for rendering and output in the salt package. */
export function textAnswers(ctx: Pick<FunctionContext, 'render' | 'opts'>): Record<string, ScopeFunction> {
  return {
    render: ([renderer, text, context, path]) =>
      ctx.render({
        text: str(text!),
        renderer: str(renderer!),
        saltenv: 'base',
        context: new Map([...(context as Dict)].map(([key, value]) => [str(key), value])),
        ...(path !== null && { path: str(path!) }),
      }),
    output: async ([data, out, opts]) => {
      const { display } = await import('../output/mod.ts')
      return display(str(out!), data!, isDict(opts!) ? opts : new Map([['color', false]]))
    },
  }
}
