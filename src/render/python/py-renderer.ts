// Renderers that are Python: `py`, a file whose `run()` gives the data, `pydsl` and `pyobjects`, files that declare states.
// They run in the worker and call our functions from there; a machine without Python is told so.
import { silentLog } from '../../base/mod.ts'
import type { Value } from '../../data/mod.ts'
import { answersOf, callPython, type Family, PythonFailure, type Scope, WorkerError } from '../../python/mod.ts'
import { RenderError, renderError } from '../errors.ts'
import { inputText, withoutShebang } from '../input-text.ts'
import type { RenderContext, Renderer } from '../renderer.ts'
import type { FunctionSource } from '../salt-functions.ts'

/** Functions of a source as Python sees them. */
export const sourceFamily = (functions: FunctionSource): Family => ({
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

async function runPython(name: string, input: Value, args: string, ctx: RenderContext): Promise<Value> {
  const source = inputText(input, name)
  // line numbers stay those of the file
  const text = source.startsWith('#!') ? `\n${withoutShebang(source)}` : source
  const params = [name, text, ctx.path ?? '', variablesOf(ctx), args]
  try {
    return await callPython(scopeOf(ctx), { method: 'render', params, what: ctx.path ?? ctx.sls })
  } catch (error) {
    if (error instanceof PythonFailure) throw renderError(error.trace)
    if (error instanceof WorkerError && error.code === 'PythonMissing') throw noPython(name, ctx)
    throw error
  }
}

function noPython(name: string, ctx: RenderContext): RenderError {
  const at = ctx.path === undefined ? {} : { at: { file: ctx.path, line: 1 } }
  return new RenderError(
    'RendererUnavailable',
    `The renderer '${name}' needs python3, which is not on this machine`,
    at,
  )
}

export const pythonRenderers: readonly Renderer[] = ['py', 'pydsl', 'pyobjects'].map((name) => ({
  name,
  render: async (input, args, ctx) => ({ value: await runPython(name, input, args, ctx) }),
}))
