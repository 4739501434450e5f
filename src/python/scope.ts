// The context of a Python function call: the numbers of its documents, and answers to its requests.
import { askedBy, asker, LOG_LEVELS, type Log, type LogLevel } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isInt, str, type Value } from '../data/mod.ts'
import type { RemotePrograms } from '../host/mod.ts'
import type { Documents } from './documents.ts'
import { installationOf } from './extensions.ts'
import { launchHere, type WorkerSettings } from './launch.ts'
import { targetWorker } from './target-worker.ts'
import { Worker, type WorkerCall } from './worker.ts'

export type ScopeFunction = (params: readonly Value[], asker: Asker) => Value | Promise<Value>

export interface Asker {
  /** Whether the requesting module runs on a target. */
  onTarget: boolean
}

/** The context of every caller, for all kinds of functions. */
export interface Scope {
  opts: Dict
  grains: Dict
  pillar: Dict
  memory: Dict
  log: Log
  /** Time limit of a call in seconds, if neither the options nor the call set one. */
  most?: number | undefined
  /** Whether calls run until they are aborted, like servers. */
  lasts?: boolean
  /** Ends the call from outside. */
  ending?: AbortSignal | undefined
  /** On a proxy minion: the `__context__` of its proxy module. */
  proxyMemory?: Dict | undefined
  /** The name of a separate Python process, for work that must not share one with modules. */
  process?: string | undefined
  /** The programs of the machine on which modules run. Default: this machine. */
  remote?: RemotePrograms | undefined
  /** The context of functions in TypeScript. Default: this scope. */
  context?: unknown
  /** Further facts: `low`, `env`, folders of `_utils`, the families behind dunders. */
  facts?: ReadonlyMap<Value, Value>
  /** Answers to methods by name. */
  answers: ReadonlyMap<string, ScopeFunction>
}

const MEGABYTE = 1 << 20

const workers = new Map<string, Worker>()

const settingsOf = (opts: Dict): WorkerSettings => ({
  memory: Math.max(0, Math.ceil(option(opts, 'modules_max_memory') / MEGABYTE)),
  upstream: option(opts, 'python_upstream_modules'),
  level: leastLevel(opts),
})

/** Return the worker of this process for these options. */
function theWorker(opts: Dict, log: Log, name = ''): Worker {
  const { env } = process
  const python = option(opts, 'python_executable') || 'python3'
  const settings = settingsOf(opts)
  const { extras } = installationOf(opts)
  // each proxy minion of a process has its own state of the modules
  const proxy = opts.has('proxyid') ? option(opts, 'proxyid') : ''
  const key = [python, settings.memory, settings.upstream, extras, env['PYTHONPATH'], proxy, name].join(':')
  const launch = () => launchHere(python, settings, extras)
  const worker = workers.get(key) ?? new Worker({ launch, name: 'The Python worker' })
  workers.set(key, worker)
  worker.log = log
  return worker
}

/** Return the id of the process for calls with these options; undefined before the first call, and after the process ended. */
export const pythonProcess = (opts: Dict, log: Log): number | undefined => theWorker(opts, log).pid

/** The least level that a log of these options keeps. */
function leastLevel(opts: Dict): number {
  const levels = (['log_level', 'log_level_logfile'] as const).map((name) => option(opts, name))
  const numbers = levels.map((level) =>
    isInt(level) ? Number(level) : LOG_LEVELS[str(level).toLowerCase() as LogLevel],
  )
  return Math.min(...numbers.filter((number) => number !== undefined), LOG_LEVELS.warning)
}

function factsOf({ opts, grains, pillar, memory, proxyMemory, facts }: Scope, documents: Documents): Dict {
  return new Map<Value, Value>([
    ['opts', documents.numberOf(opts, true)],
    ['grains', documents.numberOf(grains)],
    ['pillar', documents.numberOf(pillar)],
    ['memory', documents.identityOf(memory)],
    ['retcode', memory.has('retcode')],
    ...(proxyMemory ? [['proxy', documents.identityOf(proxyMemory)] as const] : []),
    ...(facts ?? []),
  ])
}

export interface PythonCall {
  method: string
  params: readonly Value[]
  what: string
  /** Whether the call runs until it is aborted, like an engine. */
  lasts?: boolean
  /** Time limit in seconds, if the options set none. */
  most?: number | undefined
  /** Whether it runs on the target of the scope instead of here. */
  onTarget?: boolean | undefined
}

/** Call a Python function on behalf of a scope. */
export function callPython(scope: Scope, request: PythonCall): Promise<Value> {
  const { method, params, what, lasts = scope.lasts ?? false, most = scope.most ?? 0, onTarget = false } = request
  const { opts, memory, log, remote } = scope
  const who = onTarget ? 'target' : asker()
  const call: WorkerCall = {
    method,
    params,
    what,
    facts: (documents) => factsOf(scope, documents),
    ask: ({ method: wanted, params: given }) => {
      if (wanted === 'memory') return memory.has(given[0]!) ? [memory.get(given[0]!)!] : null
      const answer = scope.answers.get(wanted)
      if (!answer) throw new Error(`Nothing here answers '${wanted}'`)
      return askedBy(who, () => answer(given, { onTarget }))
    },
    signal: scope.ending,
    timeout: lasts ? 0 : option(opts, 'python_call_timeout') || most,
    limit: option(opts, 'python_call_timeout') ? ' (python_call_timeout)' : '',
    remember: (kept, gone) => {
      for (const [key, value] of kept) memory.set(key, value)
      for (const key of gone) memory.delete(key)
    },
  }
  if (!onTarget) return theWorker(opts, log, scope.process).call(call)
  if (!remote) throw new Error(`There is no target to run ${what} on`)
  return targetWorker(remote, settingsOf(opts), log).call(call, opts)
}
