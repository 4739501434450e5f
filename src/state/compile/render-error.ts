// The messages for failed renderings: a sentence for Salt's own errors, class and trace for others.
import { BrineError, toError } from '../../base/mod.ts'
import { RenderError, traceback } from '../../render/mod.ts'
import type { CompileError } from './types.ts'

export function renderFailure(thrown: unknown, sls: string, saltenv: string, file: string): CompileError {
  const error = toError(thrown)
  const at = (error instanceof BrineError ? error.at : undefined) ?? { file, line: 1 }
  const hint = error instanceof BrineError ? error.hint : undefined
  const isExpected = error instanceof RenderError && error.code === 'SaltRenderError'
  const reason = error instanceof BrineError ? error.reason : error.message
  const brief = `Rendering SLS '${saltenv}:${sls}' failed: ${reason}`
  if (isExpected) return { text: `Rendering SLS '${saltenv}:${sls}' failed: ${error.message}`, at, hint, brief }
  const text = `Rendering SLS ${sls} failed, render error: ${error.message}`
  return { text: `${text}\n${traceback(error, [at])}`, at, hint, brief }
}
