// salt-run: from the command line to the exit status. The function runs in this process, beside the master, except for
// users of external authentication and with `--async`.
import { BrineError, didYouMean, type Log, newJid, withHint } from '../../base/mod.ts'
import { ClientError, LocalClient, localKey } from '../../client/mod.ts'
import { clientConfig, option } from '../../config/mod.ts'
import { type Dict, EncodedDict, SaltError, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { MasterFunctions, runForEntries, socketAccess, tellNotBegun } from '../../runner/mod.ts'
import {
  bindPublished,
  type CallArguments,
  parseInput,
  publishedArguments,
  signatureOf,
  startsOrchestration,
} from '../../sdk/mod.ts'
import type { CommandLine } from '../command-lines.ts'
import { configSources } from '../config-sources.ts'
import { interruptible } from '../interrupt.ts'
import { callOverSsh } from '../over-ssh.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { inProgramSpan } from '../program-span.ts'
import { SALT_RUN } from '../programs/salt-run.ts'
import { becomeConfigured } from '../running-as.ts'
import { credentials } from '../salt/credentials.ts'
import { masterIsGone } from '../salt/messages.ts'
import type { Streams } from '../streams.ts'
import { runnerDocs } from './docs.ts'
import { beginElsewhere, runElsewhere } from './elsewhere.ts'
import { exitStatusOf, Printed } from './show.ts'

interface RunWork {
  functions: MasterFunctions
  opts: Dict
  log: Log
  streams: Streams
  printed: Printed
  fun: string
}

export function saltRun(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_RUN, argv, streams, (line) => interruptible(streams, () => runFunction(line, streams)))
}

async function runFunction(line: CommandLine, streams: Streams): Promise<number> {
  const read = (path: string, log: Log) => clientConfig({ path, log, ...configSources, program: 'salt-run' })
  const { opts, log } = await programOptions({ program: SALT_RUN, line, streams, file: 'master', read })
  const fun = textOf(opts.get('fun') ?? null) ?? ''
  const functions = new MasterFunctions({ opts, log })
  await functions.refresh()
  const work: RunWork = { functions, opts, log, streams, fun, printed: new Printed(opts, streams, log) }
  if (fun === '' || truthy(opts.get('doc') ?? false)) return showDocs(work)
  await becomeConfigured(opts, log)
  try {
    return await inProgramSpan({ opts, log, name: `salt-run.${fun}`, attributes: { 'salt.fun': fun } }, () =>
      perform(work),
    )
  } catch (error) {
    const complaint = unreached(error)
    if (complaint === undefined) throw error
    await work.printed.value(complaint, 'nested', 1)
    return REFUSED
  }
}

/** Return the message when the master that should run the function does not answer. */
function unreached(error: unknown): string | undefined {
  if (error instanceof ClientError) return error.message
  return error instanceof BrineError && error.code === 'BusUnreachable' ? masterIsGone : undefined
}

async function showDocs({ functions, fun, streams }: RunWork): Promise<number> {
  for (const [name, doc] of await runnerDocs(functions.runners, fun)) streams.out(`${name}:\n${doc || 'None'}\n`)
  return 0
}

async function perform(work: RunWork): Promise<number> {
  const { opts, log, printed, fun } = work
  const call = await callOf(work)
  if (call === undefined) return 0
  const shown = await shownCredentials(work)
  const run = { fun, ...call, credentials: shown }
  if (truthy(opts.get('async') ?? false)) {
    const begun = await beginElsewhere(opts, log, run)
    if ('refusal' in begun) return refused(work, call, begun.refusal)
    log('warning', `${ASYNCHRONOUS} This execution is running under tag ${begun.tag}`)
    return 0
  }
  if (shown.size === 0) return runHere(work, call)
  const ended = await runElsewhere(opts, log, run)
  if ('refusal' in ended) return refused(work, call, ended.refusal)
  const value = ended.get('return') ?? null
  await printed.answer(value, undefined, 0)
  return ended.has('retcode') ? Number(ended.get('retcode')) : exitStatusOf(value)
}

async function refused(work: RunWork, call: CallArguments, refusal: string): Promise<number> {
  await tellFailure(work, publishedArguments(call), refusal)
  await work.printed.value(refusal, 'nested')
  return REFUSED
}

/** Salt exits with 0 after a refusal, so scripts continue as if it had succeeded; this status reports it. */
const REFUSED = 2

const ASYNCHRONOUS =
  'Running in asynchronous mode. Results of this execution may be collected by attaching to the master event bus or by examining the master job cache, if configured.'

/**
 * Return the bound arguments of the function; if the function is missing or a keyword is unknown, print that instead.
 */
async function callOf(work: RunWork): Promise<CallArguments | undefined> {
  const { opts, log, printed, fun } = work
  const { runners } = work.functions
  const noParse = opts.get('no_parse') ?? null
  const names = Array.isArray(noParse) ? (noParse as Value[]).map(str) : []
  const given = parseInput((opts.get('arg') ?? []) as Value[], new Set(names))
  try {
    if (!runners.has(fun)) throw new SaltError('CommandExecutionError', `'${fun}' is not available.`)
    const signature = signatureOf(await runners.find(fun), fun.slice(fun.indexOf('.') + 1))
    return bindPublished(signature, publishedArguments(given))
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    await tellFailure(work, publishedArguments(given), error.message)
    const near = runners.has(fun) ? error.hint : didYouMean(fun, runners.names())
    const docs = await runnerDocs(runners, `${fun}*`)
    // Salt prints documentation in place of the error, so the log must contain it
    if (near !== undefined || docs.size > 0) log('warning', withHint(error.message, near))
    // a function of a user's that says nothing about itself
    const told = new Map<Value, Value>([...docs].map(([name, doc]) => [name, doc === '' ? null : doc]))
    await printed.value(told.size > 0 ? told : error.message, 'nested')
    return undefined
  }
}

/** Fire the events of a call that could not begin. */
async function tellFailure({ functions, opts, log, fun }: RunWork, args: Value[], message: string): Promise<void> {
  const access = socketAccess(opts, log, { functions, overSsh: callOverSsh })
  try {
    await tellNotBegun(access, { fun, args, message, jid: textOf(opts.get('jid') ?? null) })
  } finally {
    access.close()
  }
}

/** Local users are known by their key. */
async function shownCredentials({ opts, log, streams }: RunWork): Promise<Dict> {
  if (!truthy(opts.get('eauth') ?? null) && !truthy(opts.get('mktoken') ?? false)) return new Map()
  const client = await LocalClient.open(opts, log)
  try {
    return await credentials(opts, streams, (load) => client.command(load))
  } finally {
    client.close()
  }
}

/** Entries that say how to show a dict, or how the function ended. */
const TELLING = ['data', 'outputter', 'retcode']

/** Return an encoded dict as it is unless an entry of it has to be looked at. */
function plainList(value: Value): Value {
  return value instanceof EncodedDict && TELLING.some((key) => value.keys.includes(key)) ? value.unpack() : value
}

async function runHere({ functions, opts, log, streams, printed, fun }: RunWork, call: CallArguments): Promise<number> {
  const jid = textOf(opts.get('jid') ?? null) || newJid()
  // the steps of an orchestration fire their events below the job id of this run
  if (startsOrchestration(fun)) call.kwargs.set('orchestration_jid', jid)
  const access = socketAccess(opts, log, { functions, overSsh: callOverSsh })
  try {
    if (option(opts, 'show_jid')) streams.out(`jid: ${jid}\n`)
    const result = await runForEntries(access, {
      family: 'runner',
      fun,
      jid,
      ...call,
      user: localKey(opts).user,
      print: streams.out,
      onProgress: (data, suffix) => printed.event(suffix, data),
    })
    const value = plainList(result.value)
    await printed.answer(value, result.out, result.retcode)
    // Salt ignores a status that a function sets beside its value
    return result.raised ? result.retcode : exitStatusOf(value) || result.retcode
  } finally {
    access.close()
  }
}
