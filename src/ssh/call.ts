// One target of a job: the connection, the scripts around the first contact, the call and its answer.
import { type Asker, askedBy, BrineError, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, repr, str, textOf, type Value } from '../data/mod.ts'
import { rawCommand } from '../host/mod.ts'
import { askerOf } from '../loader/mod.ts'
import { CallFailure, callOnce } from '../minion/mod.ts'
import { CommandError, type FunctionContext } from '../sdk/mod.ts'
import {
  asText,
  connectionErrorIn,
  failedCall,
  functionAnswer,
  rawAnswer,
  type SshAnswer,
  textAnswer,
  unreached,
  withoutReturns,
} from './answer.ts'
import { askMaster } from './master-side.ts'
import { mineCall } from './mine-function.ts'
import { NestedCalls } from './nested.ts'
import type { NumberedRequest, RunSshCommand, SshParts } from './parts.ts'
import { keepPlan, readSshPlan } from './plans.ts'
import { hasPreFlight, runPreFlight, runPreHook } from './pre-flight.ts'
import { type RosterEntry, sshTarget } from './roster/mod.ts'
import { SshSession } from './session.ts'
import { noteStateRun } from './state-runs.ts'
import { isWrapped, wrappedOutputter } from './wrapped.ts'
import { sessionTable } from './wrappers/table.ts'

export interface TargetParts extends SshParts {
  runtimeDir: string
  leavesShell: boolean
  /** Resolved when the job was noted; nothing runs on a target before. */
  published: Promise<void>
  /** For functions that call functions of other targets. */
  runCommand: RunSshCommand
}

export async function answerOf(parts: TargetParts, entry: RosterEntry, request: NumberedRequest): Promise<SshAnswer> {
  const { id } = entry
  parts.progress?.(id, 'connecting')
  let session: SshSession | undefined
  try {
    const refusal = await runPreHook(parts, entry)
    if (refusal) return rawAnswer(id, refusal)
    if (request.raw !== undefined && !hasPreFlight(entry)) {
      await parts.published
      return await rawOn(parts, entry, request.raw)
    }
    const hint: FunctionContext['hint'] = (told) => parts.hint?.(id, told)
    session = await SshSession.open(
      {
        ...parts,
        hint,
        jid: request.jid,
        fun: request.fun,
        table: sessionTable(new NestedCalls(parts, id, parts.runCommand), request.fun),
        askMaster: (asking, load) => askMaster(parts, asking, load),
      },
      entry,
    )
    parts.progress?.(id, 'running')
    await parts.published
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
  const requestTimeout = option(opts, 'ssh_request_timeout')
  const options = { log, runtimeDir, requestTimeout, ...(signal && { signal }) }
  const { stderr, ...ended } = asText(await rawCommand(sshTarget(entry, opts), line, options))
  return rawAnswer(entry.id, { ...ended, stderr: withoutReturns(stderr).replace(/\n$/, '') })
}

async function callOn(parts: TargetParts, session: SshSession, request: NumberedRequest): Promise<SshAnswer> {
  const { id, machine } = session
  const { raw, jid, noParse = [] } = request
  if (raw !== undefined) {
    return rawAnswer(id, asText(await machine.raw(raw, parts.signal && { signal: parts.signal })))
  }
  const plan = { opts: parts.opts, id, fun: request.fun, words: request.words }
  // the first needed read waits for them
  void machine.prefetch(readSshPlan(plan))
  const functions = await session.functions()
  const { fun, words } = request.isMine ? mineCallOf(parts, session, functions.ctx.pillar, request.fun) : request
  const published = new Map<string, Value>([
    ['fun', fun],
    ['pid', process.pid],
    ['jid', jid],
    ['tgt', 'salt-call'],
  ])
  const ended = noteStateRun(option(session.opts, 'cachedir'), { fun, jid })
  try {
    const call = { fun, jid, words, noParse, published }
    const answer = await askedBy(whoAsks(request, fun, words), () => callOnce(functions, call, parts.log))
    // a function such as test.ping sends no request itself
    await machine.reached()
    return functionAnswer(id, { ...answer, out: wrappedOutputter(fun) ?? answer.out })
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    const lost = connectionErrorIn(error.cause)
    if (lost) return unreached(id, lost)
    if (error.cause instanceof CommandError && isPillarFailure(fun, error.cause)) return pillarFailure(id, error.cause)
    return isWrapped(fun) ? wrappedFailure(parts, id, fun, error) : failedCall(id, error)
  } finally {
    ended()
    keepPlan(plan, machine.recorded())
  }
}

/**
 * Return the party for which a function runs. The rights of an outside caller on a target are no rights on this
 * machine.
 */
function whoAsks({ isFromOutside = false }: NumberedRequest, fun: string, words: readonly Value[]): Asker {
  if (!isFromOutside) return 'owner'
  const keywords = words.flatMap((word) =>
    isDict(word) ? [...word.keys()].map(str) : [/^\s*(\w+)\s*=/.exec(textOf(word) ?? '')?.[1] ?? []].flat(),
  )
  return askerOf(fun, keywords)
}

/** The error of a function for an unknown keyword. */
const STRANGE_KEYWORD = /^The following keyword arguments are not valid: (\w+)=/

/** Return the call for a mine name on a target. */
function mineCallOf({ opts }: SshParts, { entry }: SshSession, pillar: Dict, name: string) {
  const sources = [entry.settings, pillar, opts].map((source) => source.get('mine_functions'))
  return mineCall(name, sources)
}

const PILLAR_FAILURE = 5

const isPillarFailure = (fun: string, { error }: CommandError): boolean =>
  fun.startsWith('state.') && isWrapped(fun) && error === 'Pillar failed to render'

/** Errors of the pillar keep all functions of states from running. */
function pillarFailure(id: string, { info }: CommandError): SshAnswer {
  const full = ['Pillar failed to render with the following messages:', ...(isList(info) ? info : [info])]
  return { id, shown: full, full, retcode: PILLAR_FAILURE, outputter: 'nested' }
}

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
  const lost = connectionErrorIn(error)
  if (lost) return unreached(id, lost)
  const { message, stack } = toError(error)
  log('debug', stack ?? message)
  return textAnswer(id, message)
}
