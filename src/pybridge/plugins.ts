// Users' own plug-ins of families with a host elsewhere: returners, beacons, outputters, external pillars, tops,
// authentication, matchers and renderers, in Python or in TypeScript. The host of a family finds them by name and calls
// their functions.
import { toError } from '../base/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import {
  callNativeBy,
  callPython,
  type FamilyName,
  type ModuleFile,
  type PythonSource,
  type Scope,
  upstreamFiles,
} from '../python/mod.ts'
import { type BeaconContext, type BeaconDeclaration, beaconOptions, bind, toValue } from '../sdk/mod.ts'
import type { ModuleFacts } from './declare.ts'
import { describeModules } from './describe.ts'
import { familyFiles, mayServe } from './family-files.ts'
import type { NativeModule } from './native-modules.ts'

export interface UserPlugin {
  /** The name it serves under. */
  readonly name: string
  readonly functions: readonly string[]
  has(fun: string): boolean
  /** The names of a function's parameters. */
  parameters(fun: string): string[]
  /** Return the place of a Python function. */
  source?(fun: string): PythonSource | undefined
  call(scope: Scope, fun: string, args: readonly Value[], kwargs?: Dict): Promise<Value>
}

function pythonPlugin(family: FamilyName, { name, functions }: ModuleFacts): UserPlugin {
  return {
    name,
    functions: [...functions.keys()],
    has: (fun) => functions.has(fun),
    parameters: (fun) => Object.keys(functions.get(fun)?.args ?? {}),
    source: (fun) => functions.get(fun)?.origin,
    call: (scope, fun, args, kwargs = new Map()) => {
      const { path, attr, onTarget } = functions.get(fun)!.origin
      const params = [family, path, attr, [...args], kwargs]
      return callPython(scope, { method: 'call', params, what: `${name}.${fun}`, onTarget })
    },
  }
}

type Raw = (ctx: unknown, ...args: Value[]) => unknown

/**
 * Functions of declarations such as `defineReturner` get their context as the first argument; plain ones have it as
 * `this`.
 */
function nativePlugin(module: NativeModule): UserPlugin {
  const name = module.virtual ?? module.name
  const functions: Record<string, NativeModule['functions'][string] | Raw> =
    module.functions ?? beaconFunctions(module as unknown as BeaconDeclaration)
  return {
    name,
    functions: Object.keys(functions),
    has: (fun) => Object.hasOwn(functions, fun),
    parameters: (fun) => {
      const declared = functions[fun]
      return typeof declared === 'object' ? Object.keys(declared.args) : []
    },
    call: async (scope, fun, args, kwargs = new Map()) => {
      const declared = functions[fun]!
      const ctx = scope.context ?? scope
      if (typeof declared === 'function') return toValue((await declared(ctx, ...args)) as Value)
      const named = new Map([...kwargs].map(([key, value]) => [str(key), value]))
      return toValue(await declared.run(ctx, bind(declared, fun, args, named)))
    },
  }
}

/** A declaration of a beacon by the names and in the forms of Salt. */
const beaconFunctions = ({ beacon, validate }: BeaconDeclaration): Record<string, Raw> => ({
  beacon: (ctx, config) => beacon(ctx as BeaconContext, beaconOptions(config!)),
  validate: (ctx, config) => {
    const problem = validate(beaconOptions(config!), (ctx as BeaconContext).has)
    return [problem === undefined, problem ?? '']
  },
})

callNativeBy(async (scope, { file, fun, args, kwargs }) => {
  const { nativeModule } = await import('./native-modules.ts')
  return nativePlugin(await nativeModule(file)).call(scope, fun, args, kwargs)
})

async function nativePlugins(files: readonly ModuleFile[], { log }: Scope): Promise<UserPlugin[]> {
  const plugins: UserPlugin[] = []
  if (files.length === 0) return plugins
  const { nativeModule } = await import('./native-modules.ts')
  for (const file of files) {
    try {
      plugins.push(nativePlugin(await nativeModule(file)))
    } catch (error) {
      log('error', toError(error).message)
    }
  }
  return plugins
}

/** The files of a real Salt that may serve under one of the names. */
const upstreamServing = ({ opts }: Scope, family: FamilyName, names: readonly string[]): ModuleFile[] =>
  upstreamFiles(opts, family).filter((file) => names.some((name) => mayServe(file, name)))

/**
 * Return the available plug-ins of a family by name; without any, this costs the listing of a few folders. With names,
 * only files that may have one of them are read, and those that are not among `builtIn` may come from a real Salt.
 */
export async function userPlugins(
  scope: Scope,
  family: FamilyName,
  names?: readonly string[],
  builtIn?: readonly string[],
): Promise<Map<string, UserPlugin>> {
  const files = familyFiles(scope.opts, family, scope.remote)
  const own = files.python.filter((file) => names === undefined || names.some((name) => mayServe(file, name)))
  const lacking = builtIn ? (names ?? []).filter((name) => !builtIn.includes(name)) : []
  const read = [...own, ...(lacking.length > 0 && !scope.remote ? upstreamServing(scope, family, lacking) : [])]
  // of several with one name the first is used; those of extensions are last in the list
  const python = (await describeModules(scope, family, read)).filter(({ reason }) => reason === undefined).reverse()
  const native = await nativePlugins(files.native, scope)
  const all = [...python.map((facts) => pythonPlugin(family, facts)), ...native]
  return new Map(all.map((plugin) => [plugin.name, plugin]))
}
