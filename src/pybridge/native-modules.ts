// Users' own modules in TypeScript and JavaScript: files beside the Python ones, run in this process. A default export
// made with `brine/sdk` is used unchanged; in a file with exported functions only, each is a function of the module,
// with its context as `this`.
import { statSync } from 'node:fs'
import type { Value } from '../data/mod.ts'
import type { ModuleFile } from '../python/mod.ts'
import * as sdk from '../sdk/mod.ts'
import { parametersOf } from './function-parameters.ts'
import { evaluateFile } from './native-source.ts'

/** The common part of declarations of all families. */
export interface NativeModule {
  name: string
  doc: string
  virtual?: string
  functions: Record<string, NativeModuleFunction>
}

export interface NativeModuleFunction {
  doc: string
  args: Record<string, sdk.Arg<unknown>>
  effect: 'change'
  run(ctx: unknown, bound: Record<string, unknown>): sdk.Result | Promise<sdk.Result>
}

interface Loaded {
  /** The files it was made of, each as it was then. */
  made: ReadonlyMap<string, string>
  module: NativeModule
}

const loaded = new Map<string, Loaded>()

/** Return the state of a file; a changed time or size means changed content. */
function stamp(path: string): string {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts ? `${facts.mtimeMs}:${facts.size}:${facts.ino}` : ''
}

/** Return the module of a file, loaded again when it or its imports have changed. */
export async function nativeModule(file: ModuleFile): Promise<NativeModule> {
  const known = loaded.get(file.path)
  if (known && [...known.made].every(([path, was]) => stamp(path) === was)) return known.module
  const { exported, paths } = await evaluateFile(file.path)
  const module = moduleOf(file, exported)
  loaded.set(file.path, { module, made: new Map(paths.map((path) => [path, stamp(path)])) })
  return module
}

/** One of these shows that a default export is a declaration: of functions, of an engine, of a beacon. */
const KINDS_OF_WHOLE = ['functions', 'start', 'beacon']

function moduleOf({ name }: ModuleFile, exported: Record<string, unknown>): NativeModule {
  const whole = exported['default'] as NativeModule | undefined
  const isWhole = typeof whole === 'object' && whole !== null && KINDS_OF_WHOLE.some((part) => part in whole)
  if (isWhole) return { ...whole, name: whole.name ?? name }
  const functions: Record<string, NativeModuleFunction> = {}
  for (const [fun, value] of Object.entries(exported)) {
    if (typeof value === 'function' && !fun.startsWith('_') && fun !== 'default') functions[fun] = plain(value as Plain)
  }
  return { name, doc: '', functions }
}

type Plain = (...args: unknown[]) => sdk.Result | Promise<sdk.Result>

/** Return a function with the parameters in its text; omitted ones are undefined, so that its own defaults apply. */
function plain(body: Plain): NativeModuleFunction {
  const parameters = parametersOf(body)
  const args: Record<string, sdk.Arg<unknown>> = {}
  for (const { name, isOptional, isRest } of parameters) {
    if (isRest) args[name] = sdk.arg.rest('')
    else args[name] = isOptional ? sdk.arg.any('', { optional: true }) : sdk.arg.any('')
  }
  return {
    doc: '',
    args,
    effect: 'change',
    run: (ctx, bound) => {
      const given = parameters.flatMap(({ name, isOptional, isRest }) => {
        if (isRest) return bound[name] as Value[]
        return [isOptional && bound[name] === null ? undefined : bound[name]]
      })
      return body.apply(ctx, given)
    },
  }
}
