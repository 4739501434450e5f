// One call: the arguments bound, the function run, its answer with what belongs to it, and the status it means.
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BrineError, type Log, makeOwnFolder, newJid, PRIVATE_FILE, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, encodeMsgpack, PyError, SaltError, str, type Value } from '../../data/mod.ts'
import type { Registry } from '../../loader/mod.ts'
import {
  bindPublished,
  type FunctionDeclaration,
  jobRetcode,
  parseInput,
  publishedArguments,
  readArgument,
  shownPlace,
  signatureOf,
} from '../../sdk/mod.ts'
import { ProgramExit } from '../optparse/exit.ts'
import type { Streams } from '../streams.ts'
import { docsFor, docText } from './docs.ts'

/** What a call gives; `out` is the outputter its function asks for. */
export interface CallResult {
  answer: Dict
  out: string
}

export interface CallSurroundings {
  log: Log
  streams: Streams
}

export async function callFunction(
  opts: Dict,
  functions: Registry,
  { log, streams }: CallSurroundings,
): Promise<CallResult> {
  const fun = str(opts.get('fun')!)
  const jid = newJid(option(opts, 'unique_jid'))
  const answer: Dict = new Map([['jid', jid]])
  if (!functions.has(fun)) return missing(fun, answer, functions)
  const declaration = await declarationOf(fun, functions)
  const metadata = opts.get('metadata') ?? null
  const job: Array<[string, Value]> = [
    ['fun', fun],
    ['pid', process.pid],
    ['jid', jid],
    ['tgt', 'salt-call'],
  ]
  if (typeof metadata === 'string') job.push(['metadata', readArgument(metadata)])
  const note = noteJob(opts, jid, job, streams)
  try {
    const { args, kwargs } = argumentsOf(opts, declaration, job)
    answer.set('return', await showingUsage(opts, declaration, streams, () => functions.call(fun, args, kwargs)))
    await functions.ctx.host.settle()
  } catch (error) {
    throw error instanceof ProgramExit ? error : await failure(error, opts, log)
  } finally {
    if (note !== undefined) rmSync(note, { force: true })
  }
  answer.set('retcode', jobRetcode(functions.ctx.memory, answer.get('return')!))
  if (declaration.outputter) answer.set('out', declaration.outputter)
  answer.set('id', option(opts, 'id'))
  answer.set('fun', fun)
  answer.set('fun_args', opts.get('arg')!)
  if (typeof metadata === 'string') answer.set('metadata', readArgument(metadata))
  return { answer, out: declaration.outputter ?? 'nested' }
}

async function declarationOf(fun: string, functions: Registry): Promise<FunctionDeclaration> {
  const [module, name] = [fun.slice(0, fun.indexOf('.')), fun.slice(fun.indexOf('.') + 1)]
  try {
    return (await functions.module(module)).functions[name]!
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw new ProgramExit(255, { stderr: `${error.message}\n` })
  }
}

function argumentsOf(opts: Dict, declaration: FunctionDeclaration, job: Array<[string, Value]>) {
  const fun = str(opts.get('fun')!)
  const signature = signatureOf(declaration, fun.slice(fun.indexOf('.') + 1))
  const noParse = new Set(((opts.get('no_parse') ?? []) as Value[]).map(str))
  const published = publishedArguments(parseInput(opts.get('arg') as Value[], noParse))
  const { args, kwargs } = bindPublished(signature, published)
  if (signature.open) for (const [name, value] of job) kwargs.set(`__pub_${name}`, value)
  return { args, kwargs }
}

/** Arguments that the function itself does not take are answered with how it is called. */
async function showingUsage(
  opts: Dict,
  declaration: FunctionDeclaration,
  streams: Streams,
  call: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await call()
  } catch (error) {
    const isInvocation = error instanceof SaltError && error.code === 'SaltInvocationError'
    if (!isInvocation && !(error instanceof PyError && error.code === 'TypeError')) throw error
    const { message, hint } = error
    const place = placeOf(error, opts)
    const advice = hint === undefined ? '' : `${hint}\n`
    streams.err(`\nPassed invalid arguments: ${place}${message}.\n\n${advice}Usage:\n`)
    throw new ProgramExit(1, { stdout: `${docText(declaration) || 'None'}\n` })
  }
}

/** The beginning of a name shows what there is; other names are answered with those that are near. */
async function missing(fun: string, answer: Dict, functions: Registry): Promise<CallResult> {
  const docs = await docsFor(functions, fun)
  const text = `'${fun}' is not available.`
  if (docs.size > 0) {
    const shown: Dict = new Map([...docs].map(([name, doc]) => [name, doc === '' ? null : doc]))
    answer.set('out', 'nested').set('return', shown.set(fun, text))
    return { answer, out: 'nested' }
  }
  let hint: string | undefined
  try {
    await functions.call(fun)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    hint = error.hint
  }
  throw new ProgramExit(255, { stderr: `${hint === undefined ? '' : `${hint}\n`}${text}\n` })
}

/** A file that tells other programs what runs here; without the rights to write it, nothing is told. */
function noteJob(opts: Dict, jid: string, job: Array<[string, Value]>, streams: Streams): string | undefined {
  const folder = join(option(opts, 'cachedir'), 'proc')
  const file = join(folder, jid)
  try {
    makeOwnFolder(dirname(folder))
    makeOwnFolder(folder)
    writeFileSync(file, encodeMsgpack(new Map<Value, Value>(job), 'bus'), { mode: PRIVATE_FILE })
    return file
  } catch {
    streams.err(`Cannot write to process directory. Do you have permissions to write to ${file} ?\n`)
    return undefined
  }
}

/** The place of an error before its message, where it is known. */
function placeOf({ at }: BrineError, opts: Dict): string {
  const place = shownPlace(at, opts)
  return place === undefined ? '' : `${place}: `
}

/** What is printed for a failure. */
async function failure(error: unknown, opts: Dict, log: Log): Promise<unknown> {
  const { failureLine } = await import('../../render/mod.ts')
  const fun = str(opts.get('fun')!)
  if (!(error instanceof BrineError)) {
    const { message, stack } = toError(error)
    log('debug', stack ?? message)
    return new ProgramExit(1, { stderr: `[ERROR   ] ${fun} did not come to an end\n${failureLine(error)}\n` })
  }
  const hint = error.hint === undefined ? '' : `${error.hint}\n`
  if (error instanceof SaltError && error.code === 'SaltInvocationError') {
    return new ProgramExit(1, { stderr: `${hint}${placeOf(error, opts)}${error.message}\n` })
  }
  if (error instanceof SaltError && error.code === 'CommandExecutionError') {
    return new ProgramExit(1, { stderr: `${hint}Error running '${fun}': ${error.message}\n` })
  }
  if (error instanceof SaltError && error.code === 'CommandNotFoundError') {
    return new ProgramExit(1, { stderr: `Command required for '${fun}' not found: ${error.message}\n` })
  }
  log('debug', error.stack ?? error.message)
  const where = error.at?.file === undefined ? '' : `at ${error.at.file}, line ${error.at.line}\n`
  const stderr = `[ERROR   ] ${fun} did not come to an end\n${hint}${where}${failureLine(error)}\n`
  return new ProgramExit(1, { stderr })
}
