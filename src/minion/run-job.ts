// Runs one function of a job: binds its arguments, runs it, and turns the result or the error into a return.
import { askedBy, BrineError, didYouMean, type Log, toError } from '../base/mod.ts'
import { type Dict, isDict, PyError, SaltError, type Value } from '../data/mod.ts'
import { askerOf, LoaderError, type Registry } from '../loader/mod.ts'
import { bindPublished, type FunctionDescription, hintAbout, jobRetcode, signatureOf } from '../sdk/mod.ts'
import { execute } from './executing.ts'

export interface JobOutcome {
  value: Value
  retcode: Value
  success: boolean
  /** The outputter that shows it. */
  out?: string
}

const FAILED = 1
/** Return code for an unknown function. */
const UNKNOWN = 1

export interface JobCall {
  fun: string
  args: readonly Value[]
  /** The `__pub_*` keywords about the job, for functions with open keywords. */
  published: Dict
}

export async function runFunction(functions: Registry, call: JobCall, log: Log): Promise<JobOutcome> {
  const { fun } = call
  const declaration = await find(functions, fun)
  if (typeof declaration === 'string') return missing(functions, fun, declaration)
  const { memory } = functions.ctx
  memory.delete('retcode')
  try {
    const value = await invoke(functions, declaration, call)
    const retcode = jobRetcode(memory, value)
    const success = retcode === 0
    return { value, retcode, success, ...(declaration.outputter && { out: declaration.outputter }) }
  } catch (error) {
    if (error instanceof BrineError) hintAt(functions, error)
    return failure(error, fun, declaration, log)
  } finally {
    await functions.ctx.host.settle()
  }
}

/** Return the declaration, or the reason why it is missing. */
async function find(functions: Registry, fun: string): Promise<FunctionDescription | string> {
  const dot = fun.indexOf('.')
  const module = dot < 0 ? fun : fun.slice(0, dot)
  if (!functions.has(fun)) return functions.absence(fun) ?? ''
  try {
    return (await functions.module(module)).functions[fun.slice(dot + 1)] ?? ''
  } catch (error) {
    if (!(error instanceof LoaderError)) throw error
    return error.message
  }
}

/** Report the hint and the place of an error as a hint of the job, because the return contains only the message. */
function hintAt({ ctx }: Registry, error: BrineError): void {
  const { reason: text, hint, at } = error
  if (hint !== undefined || (error instanceof SaltError && at))
    ctx.hint(hintAbout('error', { text, hint, at }, ctx.opts))
}

async function missing(functions: Registry, fun: string, reason: string): Promise<JobOutcome> {
  const near = reason === '' ? didYouMean(fun, functions.names()) : undefined
  if (near !== undefined) functions.ctx.hint({ level: 'warning', text: `There is no function '${fun}'. ${near}` })
  const text = reason || `'${fun}' is not available.`
  const docs = await functions.call('sys.doc', [`${fun}*`])
  const value = isDict(docs) && docs.size > 0 ? docs.set(fun, text) : text
  return { value, retcode: UNKNOWN, success: false, out: 'nested' }
}

function invoke(functions: Registry, declaration: FunctionDescription, { fun, args, published }: JobCall) {
  const signature = signatureOf(declaration, fun.slice(fun.indexOf('.') + 1))
  const bound = bindPublished(signature, args)
  // functions trust the `__pub_*` keywords, so only the job may set them
  for (const name of [...bound.kwargs.keys()]) if (name.startsWith('__pub_')) bound.kwargs.delete(name)
  if (signature.open) for (const [name, value] of published) bound.kwargs.set(`__pub_${String(name)}`, value)
  const run = () => execute({ functions, fun, args: bound.args, kwargs: bound.kwargs, load: published })
  // a right on a machine behind this minion is no right on the minion, where its functions run
  return functions.ctx.host.remote ? askedBy(askerOf(fun, [...bound.kwargs.keys()]), run) : run()
}

async function failure(error: unknown, fun: string, declaration: FunctionDescription, log: Log): Promise<JobOutcome> {
  const failed = (text: string): JobOutcome => ({ value: text, retcode: FAILED, success: false, out: 'nested' })
  const { message, stack } = toError(error)
  log('debug', stack ?? message)
  if (error instanceof SaltError) {
    if (error.code === 'CommandNotFoundError') return failed(`Command required for '${fun}' not found: ${message}`)
    if (error.code === 'CommandExecutionError') return failed(`ERROR: ${message}`)
    if (['SaltInvocationError', 'SaltClientError'].includes(error.code)) {
      return failed(`ERROR executing '${fun}': ${message}`)
    }
  }
  if (error instanceof PyError && error.code === 'TypeError') {
    return failed(`Passed invalid arguments to ${fun}: ${message}\n${declaration.doc}`)
  }
  const { traceback } = await import('../render/mod.ts')
  const frames = error instanceof BrineError && error.at?.file ? [error.at] : []
  return failed(`The minion function caused an exception: ${traceback(error, frames)}`)
}
