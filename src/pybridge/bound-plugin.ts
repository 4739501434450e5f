// Plugins that options of a master name: drivers of the data cache, file server backends, stores of tokens, cloud providers. A plugin is
// looked for at its first use, and each of its calls is bounded, so that one that hangs does not stop its host for good.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { type FamilyName, moduleFiles, type Scope, upstreamFiles } from '../python/mod.ts'
import { mayServe } from './family-files.ts'
import { functionScope } from './function-modules.ts'
import { plainFunctions } from './plain-functions.ts'
import { userPlugins } from './plugins.ts'

/** Seconds that a call may take unless `python_call_timeout` says otherwise. */
const SECONDS = 60

export interface PluginWish {
  family: FamilyName
  name: string
  /** Names that need no real Salt. */
  builtIn: readonly string[]
  opts: Dict
  log: Log
}

export interface BoundPlugin {
  has(fun: string): boolean
  /** The names of a function's parameters. */
  parameters(fun: string): string[]
  call(fun: string, args: readonly Value[], more?: BoundCall): Promise<Value>
}

export interface BoundCall {
  kwargs?: Dict
  /** Seconds that it may take, where that is not the usual. */
  most?: number
  facts?: ReadonlyMap<Value, Value>
  /** Ends the call from outside. */
  signal?: AbortSignal
}

/** Whether a file that is not built in may have a plugin of that name, judged by the names and texts of files. */
export function mayBeOwn({ family, name, builtIn, opts }: Omit<PluginWish, 'log'>): boolean {
  const further = builtIn.includes(name) ? [] : upstreamFiles(opts, family)
  return [...moduleFiles(opts, family), ...further].some((file) => mayServe(file, name))
}

/** The plugin of that name that serves here; undefined when none does, which costs the listing of a few folders. */
export async function boundPlugin(wish: PluginWish): Promise<BoundPlugin | undefined> {
  if (!mayBeOwn(wish)) return undefined
  const { family, name, builtIn, opts, log } = wish
  const functions = await plainFunctions(opts, log)
  const scope: Scope = { ...functionScope(functions.ctx), log, memory: new Map(), most: SECONDS }
  const plugin = (await userPlugins(scope, family, [name], builtIn)).get(name)
  if (!plugin) return undefined
  return {
    has: plugin.has,
    parameters: plugin.parameters,
    call: (fun, args, { kwargs, most = SECONDS, facts, signal } = {}) => {
      if (!plugin.has(fun)) throw new Error(`'${name}.${fun}' is not available.`)
      const all = new Map([...(scope.facts ?? []), ...(facts ?? [])])
      return plugin.call({ ...scope, most, facts: all, ending: signal }, fun, args, kwargs)
    },
  }
}
