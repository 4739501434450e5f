// Renderers in Python: `py`, a file whose `run()` returns the data, `pydsl` and `pyobjects`, files that declare states,
// and the templates of `mako`. They run in the Python worker and call functions from there; without Python on the
// machine, they raise an error.
import { BrineError, type Position, silentLog } from '../../base/mod.ts'
import type { Value } from '../../data/mod.ts'
import {
  type AnswerFamily,
  answersOf,
  callNative,
  callPython,
  type ModuleFile,
  moduleFiles,
  moduleText,
  PythonFailure,
  type Scope,
  upstreamFiles,
  WorkerError,
} from '../../python/mod.ts'
import { firstLine, RenderError, renderError } from '../errors.ts'
import { inputText, withoutShebang } from '../input-text.ts'
import type { RenderContext, Renderer } from '../renderer.ts'
import type { FunctionSource } from '../salt-functions.ts'

/** The functions of a source, for Python. */
export const sourceFamily = (functions: FunctionSource): AnswerFamily => ({
  find: (name) => (functions.has(name) ? { doc: '' } : undefined),
  names: () => functions.names(),
  call: (name, args, kwargs) => functions.call(name, args, kwargs),
})

function scopeOf({ opts, grains, pillar, functions, log = silentLog }: RenderContext): Scope {
  return {
    opts,
    grains,
    pillar,
    memory: new Map(),
    log,
    answers: answersOf(functions ? { function: sourceFamily(functions) } : {}),
  }
}

const variablesOf = (ctx: RenderContext): Map<Value, Value> =>
  new Map<Value, Value>([['saltenv', ctx.saltenv], ['env', ctx.saltenv], ['sls', ctx.sls], ...(ctx.context ?? [])])

/** The names that a file may serve under; a file of users' own serves under its own name. */
const namesOf = ({ name, path, extension }: ModuleFile): readonly string[] =>
  extension ? moduleText(path, name).names : [name]

/** A renderer of users' own: a file in `_renderers` with a function `render`. */
export function userRenderer(name: string, opts: RenderContext['opts']): Renderer | undefined {
  const files = [...moduleFiles(opts, 'renderers'), ...upstreamFiles(opts, 'renderers')]
  const file = files.find((own) => namesOf(own).includes(name))
  if (!file) return undefined
  return {
    name,
    render: async (input, args, ctx) => {
      const kwargs = new Map<Value, Value>(args === '' ? [] : [['argline', args]])
      if (ctx.path !== undefined) kwargs.set('tmplpath', ctx.path)
      if (file.language === 'native') {
        return { value: await callNative(scopeOf(ctx), { file, fun: 'render', args: [input], kwargs: new Map() }) }
      }
      const params = ['renderers', file.path, 'render', [input, ctx.saltenv, ctx.sls], kwargs]
      return { value: await asked(ctx, name, () => callPython(scopeOf(ctx), { method: 'call', params, what: name })) }
    },
  }
}

const isOf = (error: unknown, type: string): error is PythonFailure =>
  error instanceof PythonFailure && String(error.code) === type

/** Whether a file fails to compile, or fails outside of `run()`: Salt then shows the exception without its trace. */
function isOfLoading({ trace }: PythonFailure): boolean {
  return (
    /^ {2}File ".*", line \d+\n[\s\S]*SyntaxError: /.test(trace) ||
    /^Traceback .*\n {2}File ".*", line \d+, in <module>/.test(trace)
  )
}

/** Return the last line of the file itself in the trace of an error. */
function placeIn(error: unknown, { path }: RenderContext): Position | undefined {
  const { trace } = error as { trace?: unknown }
  if (typeof trace !== 'string') return undefined
  const frame = `  File "${path ?? '<sls>'}", line `
  const last = trace.split('\n').findLast((line) => line.startsWith(frame))
  const line = Number.parseInt(last?.slice(frame.length) ?? '', 10)
  return Number.isNaN(line) ? undefined : { ...(path !== undefined && { file: path }), line }
}

/** Failures of Python become failures of rendering. */
async function asked(ctx: RenderContext, name: string, call: () => Promise<Value>): Promise<Value> {
  try {
    return await call()
  } catch (error) {
    if (isOf(error, 'Absent')) throw unavailable(name, error.message, ctx)
    if (isOf(error, 'SaltRenderError')) throw placed(error, ctx)
    const at = placeIn(error, ctx)
    if (error instanceof PythonFailure) {
      const text = name === 'py' && isOfLoading(error) ? error.message : error.trace
      throw renderError(text, { at, reason: `${error.code}: ${error.message}` })
    }
    if (error instanceof BrineError) error.at ??= at
    if (error instanceof WorkerError && error.code === 'PythonMissing')
      throw unavailable(name, 'needs python3, which is not on this machine', ctx)
    throw error
  }
}

async function runPython(name: string, input: Value, args: string, ctx: RenderContext): Promise<Value> {
  const source = inputText(input, name)
  // keep the line numbers of the file
  const text = source.startsWith('#!') ? `\n${withoutShebang(source)}` : source
  const params = [name, text, ctx.path ?? '', variablesOf(ctx), args]
  return asked(ctx, name, () => callPython(scopeOf(ctx), { method: 'render', params, what: ctx.path ?? ctx.sls }))
}

function unavailable(name: string, why: string, ctx: RenderContext): RenderError {
  return new RenderError('RendererUnavailable', `The renderer '${name}' ${why}`, { at: firstLine(ctx) })
}

/** A text that says itself which line is wrong. */
function placed({ message, at }: PythonFailure, ctx: RenderContext): RenderError {
  const line = at?.line
  const place = line === undefined ? {} : { line, at: { ...(ctx.path !== undefined && { file: ctx.path }), line } }
  return new RenderError('SaltRenderError', message, place)
}

export const pythonRenderers: readonly Renderer[] = ['py', 'pydsl', 'pyobjects', 'mako'].map((name) => ({
  name,
  render: async (input, args, ctx) => ({ value: await runPython(name, input, args, ctx) }),
}))
