// Plug-ins in options of a master: drivers of the data cache, file server backends, stores of tokens, cloud providers.
// A plug-in is searched at its first use, and each call has a time limit, so that a hanging one does not block its host
// forever.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { type FamilyName, moduleFiles, type Scope, type ScopeFunction, upstreamFiles } from '../python/mod.ts'
import { mayServe } from './family-files.ts'

/** Seconds that a call may take unless `python_call_timeout` says otherwise. */
const SECONDS = 60

export interface PluginRequest {
  family: FamilyName
  name: string
  /** Names that need no real Salt. */
  builtIn: readonly string[]
  opts: Dict
  log: Log
  /** Empty unless given. */
  pillar?: Dict
  /** Whether calls may run beside each other; otherwise one runs at a time, as in Salt. */
  isParallel?: boolean
}

export interface BoundPlugin {
  readonly name: string
  readonly functions: readonly string[]
  /** The file or folder of a Python plug-in. */
  readonly path: string | undefined
  has(fun: string): boolean
  /** The names of a function's parameters. */
  parameters(fun: string): string[]
  call(fun: string, args: readonly Value[], more?: BoundCall): Promise<Value>
}

export interface BoundCall {
  kwargs?: Dict
  /** Time limit in seconds, if it differs from the default. */
  most?: number
  facts?: ReadonlyMap<Value, Value>
  /** Further answers to requests of the plug-in. */
  answers?: Readonly<Record<string, ScopeFunction>>
  /** Ends the call from outside. */
  signal?: AbortSignal
}

/** Whether a file that is not built in may have a plugin of that name, judged by the names and texts of files. */
export function mayBeOwn({ family, name, builtIn, opts }: Omit<PluginRequest, 'log'>): boolean {
  const further = builtIn.includes(name) ? [] : upstreamFiles(opts, family)
  return [...moduleFiles(opts, family), ...further].some((file) => mayServe(file, name))
}

/** The plugin of that name that serves here; undefined when none does, which costs the listing of a few folders. */
export async function boundPlugin(wish: PluginRequest): Promise<BoundPlugin | undefined> {
  if (!mayBeOwn(wish)) return undefined
  const { family, name, builtIn, opts, log, isParallel = false } = wish
  const [{ functionScope }, { plainFunctions }, { userPlugins }] = await Promise.all([
    import('./function-modules.ts'),
    import('./plain-functions.ts'),
    import('./plugins.ts'),
  ])
  const functions = await plainFunctions(opts, log)
  const { pillar = functions.ctx.pillar } = wish
  const scope: Scope = { ...functionScope(functions.ctx), pillar, log, memory: new Map(), most: SECONDS }
  const plugin = (await userPlugins(scope, family, [name], builtIn)).get(name)
  if (!plugin) return undefined
  const queue = new CallQueue()
  return {
    name,
    functions: plugin.functions,
    path: plugin.source?.(plugin.functions[0] ?? '')?.path,
    has: plugin.has,
    parameters: plugin.parameters,
    call: async (fun, args, { kwargs, most = SECONDS, facts, answers, signal } = {}) => {
      if (!plugin.has(fun)) throw new Error(`'${name}.${fun}' is not available.`)
      const own: Scope = {
        ...scope,
        most,
        facts: new Map([...(scope.facts ?? []), ...(facts ?? [])]),
        answers: new Map([...scope.answers, ...Object.entries(answers ?? {})]),
        ending: signal,
      }
      const run = () => plugin.call(own, fun, args, kwargs)
      return isParallel ? run() : queue.take(run, most, `${name}.${fun}`)
    },
  }
}

/**
 * One call at a time. A call that waits too long for earlier ones fails, so that callers do not pile up behind a
 * hanging call.
 */
class CallQueue {
  private last: Promise<unknown> = Promise.resolve()

  take(run: () => Promise<Value>, most: number, what: string): Promise<Value> {
    const end = performance.now() + most * 1000
    const turn = this.last.then(() => {
      if (performance.now() > end) throw new Error(`${what} waited longer than ${most} seconds for calls before it`)
      return run()
    })
    this.last = turn.catch(() => undefined)
    return turn
  }
}
