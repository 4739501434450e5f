// A job on targets without minions: the targets of the roster, a bounded number at a time, each with its answer. The job and its
// answers are in the job store and on the bus of the master, like those of minions.
import { BrineError, newJid, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, repr, type Value } from '../data/mod.ts'
import { rawCommand } from '../host/mod.ts'
import { CallFailure, callOnce } from '../minion/mod.ts'
import type { FunctionContext } from '../sdk/mod.ts'
import {
  connectionError,
  failedCall,
  functionAnswer,
  rawAnswer,
  type SshAnswer,
  textAnswer,
  unreached,
  withoutReturns,
} from './answer.ts'
import { askMaster } from './master-side.ts'
import type { SshParts } from './parts.ts'
import { keepPlan, readPlan } from './plans.ts'
import { inPool } from './pool.ts'
import { hasPreFlight, runPreFlight, runPreHook } from './pre-flight.ts'
import { type RosterEntry, sshTarget } from './roster/mod.ts'
import { runtimeFolder } from './runtime-folder.ts'
import { SshSession } from './session.ts'
import { isWrapped } from './wrapped.ts'

export interface SshJobRequest {
  tgt: Value
  tgtType: string
  fun: string
  /** As on a command line: `name=value` is a keyword. */
  words: readonly Value[]
  noParse?: readonly Value[]
  /** The command of `-r`, in place of a function. */
  raw?: string
  jid?: string
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
  stores.jobs.saveJob({ jid, load, minions })
  await announce(parts, `salt/job/${jid}/new`, new Map<Value, Value>([...load, ['minions', minions]]))
  const runtimeDir = runtimeFolder(opts)
  const answers = inPool(targets, option(opts, 'ssh_max_procs') ?? MOST_AT_ONCE, (entry) =>
    answerOf({ ...parts, runtimeDir }, entry, request),
  )
  for await (const answer of answers) {
    const data = returnData(answer, load)
    await stores.jobs.saveReturn({ jid, id: answer.id, data: keptData(answer, load) })
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

/** What the job store keeps: the whole answer is the return, as in Salt. */
function keptData({ id, full, retcode }: SshAnswer, load: Dict): Dict {
  const data = new Map<Value, Value>([
    ['jid', load.get('jid')!],
    ['id', id],
    ['return', full],
    ['fun', load.get('fun')!],
  ])
  return retcode === 0 ? data : data.set('failed', true)
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
    if (request.raw !== undefined && !hasPreFlight(entry)) return await rawOn(parts, entry, request.raw)
    const hint: FunctionContext['hint'] = (told) => parts.hint?.(id, told)
    session = await SshSession.open(
      { ...parts, hint, askMaster: (asking, load) => askMaster(parts, asking, load) },
      entry,
    )
    parts.progress?.(id, 'running')
    return (await runPreFlight(parts, session)) ?? (await callOn(parts, session, request))
  } catch (error) {
    return failureOf(parts, id, error)
  } finally {
    if (session) parts.log('debug', `Target ${id} took ${session.machine.roundTrips} round trips`)
    await session?.close()
    parts.progress?.(id, 'done')
  }
}

/** A command line needs no more than a login. */
async function rawOn(
  { opts, log, runtimeDir, signal }: TargetParts,
  entry: RosterEntry,
  line: string,
): Promise<SshAnswer> {
  const options = { log, runtimeDir, ...(signal && { signal }) }
  const { retcode, stdout, stderr } = await rawCommand(sshTarget(entry, opts), line, options)
  return rawAnswer(entry.id, { retcode, stdout: text(stdout), stderr: withoutReturns(text(stderr)) })
}

async function callOn(parts: TargetParts, session: SshSession, request: Numbered): Promise<SshAnswer> {
  const { id, machine } = session
  const { raw, fun, jid } = request
  if (raw !== undefined) {
    const { retcode, stdout, stderr } = await machine.raw(raw, parts.signal && { signal: parts.signal })
    return rawAnswer(id, { retcode, stdout: text(stdout), stderr: text(stderr) })
  }
  const published = new Map<string, Value>([
    ['fun', fun],
    ['pid', process.pid],
    ['jid', jid],
    ['tgt', 'salt-call'],
  ])
  const { words, noParse = [] } = request
  const plan = { opts: parts.opts, id, fun, words }
  // the first read that is needed waits for them
  void machine.prefetch(readPlan(plan))
  try {
    const functions = await session.functions()
    return functionAnswer(id, await callOnce(functions, { fun, jid, words, noParse, published }, parts.log))
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    const lost = connectionError(error.cause)
    if (lost) return unreached(id, lost)
    return isWrapped(fun) ? wrappedFailure(parts, id, fun, error) : failedCall(id, error)
  } finally {
    keepPlan(plan, machine.recorded())
  }
}

/** What a function says about a keyword that it does not take. */
const STRANGE_KEYWORD = /^The following keyword arguments are not valid: (\w+)=/

/** Functions that Salt runs on the side of the master fail with a line. */
function wrappedFailure({ log }: SshParts, id: string, fun: string, { cause, message }: CallFailure): SshAnswer {
  const isType = cause instanceof BrineError && ['TypeError', 'SaltInvocationError'].includes(cause.code)
  const reason = cause === undefined ? message.trim() : toError(cause).message
  const keyword = STRANGE_KEYWORD.exec(reason)?.[1]
  const name = fun.slice(fun.indexOf('.') + 1)
  const why = keyword === undefined ? reason : `${name}() got an unexpected keyword argument '${keyword}'`
  const line = `${isType ? 'TypeError encountered' : 'An Exception occurred while'} executing ${fun}: ${why}`
  log('error', repr(new Map<Value, Value>([['local', line]])))
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
