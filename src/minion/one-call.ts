// One call without a job of a master, for salt-call and salt-ssh: bind words to arguments, run the function, return the
// result with its details. Both programs report a failure as salt-call does.
import { BrineError, type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, PyError, SaltError, str, type Value } from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import {
  bindPublished,
  type FunctionDeclaration,
  jobRetcode,
  parseInput,
  publishedArguments,
  readArgument,
  shownPlace,
  signatureOf,
} from '../sdk/mod.ts'
import { shownAnswer } from './executing.ts'
import { docsFor, docText } from './function-docs.ts'

export interface OneCall {
  fun: string
  jid: string
  /** The words of the command line. */
  words: readonly Value[]
  /** Names of keywords whose values are not parsed. */
  noParse?: readonly Value[]
  /** The `__pub_*` keywords for functions with open keywords. */
  published: ReadonlyMap<string, Value>
}

/** The result of a call; `out` is the outputter that its function requests. */
export interface CallResult {
  answer: Dict
  out: string
}

/** A call without a result: the exit status of salt-call and the text that it prints. */
export class CallFailure extends Error {
  readonly status: number
  readonly stdout: string
  readonly stderr: string

  constructor(
    status: number,
    { stdout = '', stderr = '', cause }: { stdout?: string; stderr?: string; cause?: unknown },
  ) {
    super(stderr || stdout, { cause })
    this.status = status
    this.stdout = stdout
    this.stderr = stderr
  }
}

export async function callOnce(functions: Registry, call: OneCall, log: Log): Promise<CallResult> {
  const { fun, jid } = call
  const { opts } = functions.ctx
  const answer: Dict = new Map([['jid', jid]])
  if (!functions.has(fun)) return missing(fun, answer, functions)
  const declaration = await declarationOf(fun, functions)
  try {
    const { args, kwargs } = argumentsOf(call, declaration)
    answer.set(
      'return',
      shownAnswer(fun, await showingUsage(opts, declaration, () => functions.call(fun, args, kwargs))),
    )
    await functions.ctx.host.settle()
  } catch (error) {
    throw error instanceof CallFailure ? error : await failure(error, fun, opts, log)
  }
  answer.set('retcode', jobRetcode(functions.ctx.memory, answer.get('return')!))
  if (declaration.outputter) answer.set('out', declaration.outputter)
  answer.set('id', option(opts, 'id'))
  answer.set('fun', fun)
  answer.set('fun_args', [...call.words])
  const metadata = call.published.get('metadata')
  if (metadata !== undefined) answer.set('metadata', metadata)
  return { answer, out: declaration.outputter ?? 'nested' }
}

/** Parse the value of `--metadata` as an argument. */
export const readMetadata = (text: string): Value => readArgument(text)

async function declarationOf(fun: string, functions: Registry): Promise<FunctionDeclaration> {
  const [module, name] = [fun.slice(0, fun.indexOf('.')), fun.slice(fun.indexOf('.') + 1)]
  try {
    return (await functions.module(module)).functions[name]!
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw new CallFailure(255, { stderr: `${error.message}\n`, cause: error })
  }
}

function argumentsOf({ fun, words, noParse = [], published }: OneCall, declaration: FunctionDeclaration) {
  const signature = signatureOf(declaration, fun.slice(fun.indexOf('.') + 1))
  const given = publishedArguments(parseInput([...words], new Set(noParse.map(str))))
  const { args, kwargs } = bindPublished(signature, given)
  if (signature.open) for (const [name, value] of published) kwargs.set(`__pub_${name}`, value)
  return { args, kwargs }
}

/** Arguments that the function itself does not take are answered with how it is called. */
async function showingUsage(
  opts: Dict,
  declaration: FunctionDeclaration,
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
    const stderr = `\nPassed invalid arguments: ${place}${message}.\n\n${advice}Usage:\n`
    throw new CallFailure(1, { cause: error, stderr, stdout: `${docText(declaration) || 'None'}\n` })
  }
}

/** Return the answer for an unknown function: for a prefix, the functions below it; else, similar names. */
async function missing(fun: string, answer: Dict, functions: Registry): Promise<CallResult> {
  const docs = await docsFor(functions, fun)
  const text = `'${fun}' is not available.`
  if (docs.size > 0) {
    const shown: Dict = new Map([...docs].map(([name, doc]) => [name, doc === '' ? null : doc]))
    answer.set('out', 'nested').set('return', shown.set(fun, text))
    return { answer, out: 'nested' }
  }
  try {
    await functions.call(fun)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    const { message, hint } = error
    throw new CallFailure(255, { stderr: `${hint === undefined ? '' : `${hint}\n`}${message}\n` })
  }
  throw new CallFailure(255, { stderr: `${text}\n` })
}

/** Return the place of an error, to put before its message; empty if unknown. */
function placeOf({ at }: BrineError, opts: Dict): string {
  const place = shownPlace(at, opts)
  return place === undefined ? '' : `${place}: `
}

/** Return the text and the status for an error. */
async function failure(error: unknown, fun: string, opts: Dict, log: Log): Promise<CallFailure> {
  const { failureLine } = await import('../render/mod.ts')
  if (!(error instanceof BrineError)) {
    const { message, stack } = toError(error)
    log('debug', stack ?? message)
    return new CallFailure(1, {
      cause: error,
      stderr: `[ERROR   ] ${fun} did not come to an end\n${failureLine(error)}\n`,
    })
  }
  const hint = error.hint === undefined ? '' : `${error.hint}\n`
  if (error instanceof SaltError && error.code === 'SaltInvocationError') {
    return new CallFailure(1, { cause: error, stderr: `${hint}${placeOf(error, opts)}${error.message}\n` })
  }
  if (error instanceof SaltError && error.code === 'CommandExecutionError') {
    return new CallFailure(1, { cause: error, stderr: `${hint}Error running '${fun}': ${error.message}\n` })
  }
  if (error instanceof SaltError && error.code === 'CommandNotFoundError') {
    return new CallFailure(1, { cause: error, stderr: `Command required for '${fun}' not found: ${error.message}\n` })
  }
  log('debug', error.stack ?? error.message)
  const where = error.at?.file === undefined ? '' : `at ${error.at.file}, line ${error.at.line}\n`
  const stderr = `[ERROR   ] ${fun} did not come to an end\n${hint}${where}${failureLine(error)}\n`
  return new CallFailure(1, { cause: error, stderr })
}
