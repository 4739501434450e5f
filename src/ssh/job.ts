// A job on targets without minions: the targets of the roster, a bounded number at a time, each with its answer. The job and its
// answers are in the job store and on the bus of the master, like those of minions.
import { BrineError, type Log, newJid, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, type Value } from '../data/mod.ts'
import { CallFailure, callOnce } from '../minion/mod.ts'
import type { MasterAccess } from '../runner/mod.ts'
import type { FunctionContext, MasterStores } from '../sdk/mod.ts'
import {
  connectionError,
  failedCall,
  functionAnswer,
  rawAnswer,
  type SshAnswer,
  textAnswer,
  unreached,
} from './answer.ts'
import { askMaster } from './master-side.ts'
import { mineCall } from './mine-function.ts'
import { NestedCalls } from './nested.ts'
import { inPool } from './pool.ts'
import { runPreFlight, runPreHook } from './pre-flight.ts'
import type { RosterEntry } from './roster/mod.ts'
import { runtimeFolder } from './runtime-folder.ts'
import { SshSession } from './session.ts'
import { isWrapped } from './wrapped.ts'
import { sessionTable } from './wrappers/table.ts'

export interface SshParts {
  /** The master's options, with those of the program laid over them. */
  opts: Dict
  log: Log
  stores: Pick<MasterStores, 'jobs' | 'cache' | 'keys'>
  /** Fires an event on the bus of the master; rejects when there is no master. */
  fire: (tag: string, data: Dict) => Promise<void>
  /** The master beside, for what functions of targets ask of minions and of runners. */
  master?: MasterAccess
  /** Shows what a runner function returned that a target called. */
  display?: (value: Value) => Promise<void>
  /** The number of jobs of salt-ssh that this job is part of. */
  depth?: number
  /** Ends what runs on the targets. */
  signal?: AbortSignal
  hint?: (id: string, hint: Parameters<FunctionContext['hint']>[0]) => void
  /** Hears what a target is doing. */
  progress?: (id: string, doing: SshProgress) => void
}

export type SshProgress = 'connecting' | 'running' | 'done'

export interface SshJobRequest {
  tgt: Value
  tgtType: string
  fun: string
  /** As on a command line: `name=value` is a keyword. */
  words: readonly Value[]
  noParse?: readonly Value[]
  /** The function is a name of the mine: `mine_functions` says which function is called. */
  isMine?: boolean
  /** The command of `-r`, in place of a function. */
  raw?: string
  jid?: string
  /** The job `jid` is in the job store already, and was told of. */
  isPublished?: boolean
  user: string
}

export interface SshJob {
  jid: string
  answers: AsyncIterable<SshAnswer>
}

/** Run a function on targets. Answers come as they are ready. */
export function runSshJob(parts: SshParts, targets: readonly RosterEntry[], request: SshJobRequest): SshJob {
  const { opts } = parts
  const jid = request.jid ?? newJid(option(opts, 'unique_jid'))
  return { jid, answers: answersOf(parts, targets, { ...request, jid }) }
}

type Numbered = SshJobRequest & { jid: string }

const RAW = 'ssh._raw'

const MOST_AT_ONCE = 25

async function* answersOf(
  parts: SshParts,
  targets: readonly RosterEntry[],
  request: Numbered,
): AsyncGenerator<SshAnswer> {
  const { stores, log, opts } = parts
  const { jid, raw, tgt, tgtType, user } = request
  const fun = raw === undefined ? request.fun : RAW
  const load: Dict = new Map<Value, Value>([
    ['jid', jid],
    ['tgt_type', tgtType],
    ['tgt', tgt],
    ['user', user],
    ['fun', fun],
    ['arg', raw === undefined ? [...request.words] : [raw]],
  ])
  const minions = targets.map(({ id }) => id)
  if (!request.isPublished) {
    stores.jobs.saveJob({ jid, load, minions })
    await announce(parts, `salt/job/${jid}/new`, new Map<Value, Value>([...load, ['minions', minions]]))
  }
  const runtimeDir = runtimeFolder(opts)
  const answers = inPool(targets, option(opts, 'ssh_max_procs') ?? MOST_AT_ONCE, (entry) =>
    answerOf({ ...parts, runtimeDir }, entry, request),
  )
  for await (const answer of answers) {
    const data = returnData(answer, load)
    await stores.jobs.saveReturn({ jid, id: answer.id, data: new Map([...data, ['return', answer.full]]) })
    await announce(parts, `salt/job/${jid}/ret/${answer.id}`, data)
    log('debug', `Target ${answer.id} answered job ${jid} with status ${answer.retcode}`)
    yield answer
  }
}

/** The event of a return: what the target answered, with what belongs to the job. */
function returnData({ id, full, shown, retcode }: SshAnswer, load: Dict): Dict {
  const known: Dict = isDict(full) ? new Map(full) : new Map<Value, Value>([['return', full]])
  const given: Array<[string, Value]> = [
    ['id', id],
    ['fun', load.get('fun')!],
    ['fun_args', load.get('arg')!],
    ['retcode', retcode],
    ['success', retcode === 0],
    ['return', isDict(full) ? ((retcode === 0 ? full.get('stdout') : full.get('stderr')) ?? shown) : shown],
  ]
  for (const [name, value] of given) if (!known.has(name)) known.set(name, value)
  return known.set('jid', load.get('jid')!)
}

/** Without a master nobody listens. */
async function announce({ fire, log }: SshParts, tag: string, data: Dict): Promise<void> {
  try {
    await fire(tag, data)
  } catch (error) {
    log('debug', `The event ${tag} was not fired: ${toError(error).message}`)
  }
}

interface TargetParts extends SshParts {
  runtimeDir: string
}

async function answerOf(parts: TargetParts, entry: RosterEntry, request: Numbered): Promise<SshAnswer> {
  const { id } = entry
  parts.progress?.(id, 'connecting')
  let session: SshSession | undefined
  try {
    const refusal = await runPreHook(parts, entry)
    if (refusal) return rawAnswer(id, refusal)
    const hint: FunctionContext['hint'] = (told) => parts.hint?.(id, told)
    session = await SshSession.open(
      {
        ...parts,
        hint,
        table: sessionTable(new NestedCalls(parts, id)),
        askMaster: (asking, load) => askMaster(parts, asking, load),
      },
      entry,
    )
    parts.progress?.(id, 'running')
    return (await runPreFlight(parts, session)) ?? (await callOn(parts, session, request))
  } catch (error) {
    return failureOf(parts, id, error)
  } finally {
    await session?.close()
    parts.progress?.(id, 'done')
  }
}

async function callOn(parts: TargetParts, session: SshSession, request: Numbered): Promise<SshAnswer> {
  const { id, machine } = session
  const { raw, jid, noParse = [] } = request
  if (raw !== undefined) {
    const { retcode, stdout, stderr } = await machine.raw(raw, parts.signal && { signal: parts.signal })
    return rawAnswer(id, { retcode, stdout: text(stdout), stderr: text(stderr) })
  }
  const functions = await session.functions()
  const { fun, words } = request.isMine ? mineCallOf(parts, session, functions.ctx.pillar, request.fun) : request
  const published = new Map<string, Value>([
    ['fun', fun],
    ['pid', process.pid],
    ['jid', jid],
    ['tgt', 'salt-call'],
  ])
  try {
    return functionAnswer(id, await callOnce(functions, { fun, jid, words, noParse, published }, parts.log))
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    const lost = connectionError(error.cause)
    if (lost) return unreached(id, lost)
    return isWrapped(fun) ? wrappedFailure(parts, id, fun, error) : failedCall(id, error)
  }
}

/** What a name of the mine means on a target. */
function mineCallOf({ opts }: SshParts, { entry }: SshSession, pillar: Dict, name: string) {
  const sources = [entry.settings, pillar, opts].map((source) => source.get('mine_functions'))
  return mineCall(name, sources)
}

/** Functions that Salt runs on the side of the master fail with a line. */
function wrappedFailure({ log }: SshParts, id: string, fun: string, { cause, message }: CallFailure): SshAnswer {
  const isType = cause instanceof BrineError && cause.code === 'TypeError'
  const reason = cause === undefined ? message.trim() : toError(cause).message
  const line = isType
    ? `TypeError encountered executing ${fun}: ${reason}`
    : `An Exception occurred while executing ${fun}: ${reason}`
  log('error', `${id}: ${line}`)
  return textAnswer(id, line)
}

function failureOf({ log }: SshParts, id: string, error: unknown): SshAnswer {
  const lost = connectionError(error)
  if (lost) return unreached(id, lost)
  const { message, stack } = toError(error)
  log('debug', stack ?? message)
  return textAnswer(id, message)
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
