// One target of a job: the connection, the scripts around the first contact, the call and what it answers.
import { BrineError, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, repr, type Value } from '../data/mod.ts'
import { rawCommand } from '../host/mod.ts'
import { CallFailure, callOnce } from '../minion/mod.ts'
import type { FunctionContext } from '../sdk/mod.ts'
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
        table: sessionTable(new NestedCalls(parts, id, parts.runCommand)),
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
  // the first read that is needed waits for them
  void machine.prefetch(readSshPlan(plan))
  const functions = await session.functions()
  const { fun, words } = request.isMine ? mineCallOf(parts, session, functions.ctx.pillar, request.fun) : request
  const published = new Map<string, Value>([
    ['fun', fun],
    ['pid', process.pid],
    ['jid', jid],
    ['tgt', 'salt-call'],
  ])
  try {
    const answer = await callOnce(functions, { fun, jid, words, noParse, published }, parts.log)
    // a function such as test.ping asks for nothing itself
    await machine.reached()
    return functionAnswer(id, { ...answer, out: wrappedOutputter(fun) ?? answer.out })
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    const lost = connectionErrorIn(error.cause)
    if (lost) return unreached(id, lost)
    return isWrapped(fun) ? wrappedFailure(parts, id, fun, error) : failedCall(id, error)
  } finally {
    keepPlan(plan, machine.recorded())
  }
}

/** What a function says about a keyword that it does not take. */
const STRANGE_KEYWORD = /^The following keyword arguments are not valid: (\w+)=/

/** What a name of the mine means on a target. */
function mineCallOf({ opts }: SshParts, { entry }: SshSession, pillar: Dict, name: string) {
  const sources = [entry.settings, pillar, opts].map((source) => source.get('mine_functions'))
  return mineCall(name, sources)
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
