// Proxy modules from users' own files, extensions and a real Salt: they connect a proxy minion with its device.
import type { Dict, Value } from '../data/mod.ts'
import { callPython, type PythonSource, pythonProcess, type Scope, upstreamFiles } from '../python/mod.ts'
import type { FunctionContext } from '../sdk/mod.ts'
import { describeModules } from './describe.ts'
import { familyFiles, mayServe } from './family-files.ts'
import { functionScope } from './function-modules.ts'
import { type UserPlugin, userPlugins } from './plugins.ts'

/** Seconds that a call of the proxy module may take unless `python_call_timeout` says otherwise. */
const SECONDS = 60

/** Functions that get the options as their argument. */
const WITH_OPTIONS: ReadonlySet<string> = new Set(['init', 'shutdown', 'alive'])

export interface OwnProxy {
  readonly functions: readonly string[]
  /** Return the place of a Python function. */
  source(fun: string): PythonSource | undefined
  /** The id of the Python process with the state of the module; undefined if there is none, and for other languages. */
  process(): number | undefined
  call(ctx: FunctionContext, fun: string, args: readonly Value[], kwargs?: Dict): Promise<Value>
  /** Call `init`, `shutdown` or `alive`. */
  callWithOptions(ctx: FunctionContext, fun: string): Promise<Value>
}

export interface ProxyRequest {
  name: string
  /** The `__context__` of the module. */
  memory: Dict
  /** Names of built-in proxy modules, which need no real Salt. */
  builtIn: readonly string[]
}

/** Return the proxy module with this name, or the reason why it does not exist. */
export async function ownProxy(
  ctx: FunctionContext,
  { name, memory, builtIn }: ProxyRequest,
): Promise<OwnProxy | string> {
  const scopeOf = (own: FunctionContext): Scope => ({ ...functionScope(own), memory, most: SECONDS })
  const plugin = (await userPlugins(scopeOf(ctx), 'proxy', [name], builtIn)).get(name)
  if (!plugin) return absence(scopeOf(ctx), name)
  return {
    functions: plugin.functions,
    source: (fun) => plugin.source?.(fun),
    process: () => (plugin.source ? pythonProcess(ctx.opts, ctx.log) : undefined),
    call: (own, fun, args, kwargs) => plugin.call(scopeOf(own), fun, args, kwargs),
    callWithOptions: (own, fun) => callWithOptions(plugin, name, fun, scopeOf(own)),
  }
}

function callWithOptions(plugin: UserPlugin, name: string, fun: string, scope: Scope): Promise<Value> {
  const source = plugin.source?.(fun)
  if (!source || !WITH_OPTIONS.has(fun)) return plugin.call(scope, fun, [scope.opts])
  const params = ['proxy', source.path, source.attr]
  return callPython(scope, { method: 'with_options', params, what: `${name}.${fun}` })
}

/** Return why there is no proxy module with this name. */
async function absence(scope: Scope, name: string): Promise<string> {
  const files = [...familyFiles(scope.opts, 'proxy').python, ...upstreamFiles(scope.opts, 'proxy')]
  const near = files.filter((file) => file.name === name || mayServe(file, name))
  const facts = (await describeModules(scope, 'proxy', near)).find((each) => each.file === name || each.name === name)
  return facts?.reason ? facts.reason : `there is no file for it in '_proxy' of the file server or in an extension`
}
