// An error on its way out of a template: the original, and the template lines it passed on the way.
import { BrineError, toError } from '../../base/mod.ts'
import { PyError } from '../../data/mod.ts'
import type { TemplateFunctionKind } from '../compile/statements.ts'

/** A template as errors know it: the name it was loaded by and the file it came from, if any. */
export interface TemplateOrigin {
  readonly name: string | undefined
  readonly path: string | undefined
}

export interface TemplateFrame {
  origin: TemplateOrigin
  line: number
  kind: TemplateFunctionKind
}

/** The error of a render. `error` is the cause, `frames` the places, innermost first. */
export class TemplateFailure extends BrineError<'TemplateFailure'> {
  readonly error: Error
  readonly frames: TemplateFrame[] = []

  constructor(error: Error) {
    super('TemplateFailure', error.message, { cause: error })
    this.name = 'TemplateFailure'
    this.error = error
  }
}

/** Convert the engine's own limits to Python's errors. */
function translate(error: Error): Error {
  if (!(error instanceof RangeError)) return error
  return error.message.includes('call stack')
    ? new PyError('RecursionError', 'maximum recursion depth exceeded', { cause: error })
    : new PyError('MemoryError', 'The rendered text is too large', { cause: error })
}

/** Adds a template line to an error that passes through it. */
export function located(
  thrown: unknown,
  origin: TemplateOrigin,
  line: number,
  kind: TemplateFunctionKind,
): TemplateFailure {
  const failure = thrown instanceof TemplateFailure ? thrown : new TemplateFailure(translate(toError(thrown)))
  // an endless recursion passes through the same lines thousands of times
  if (failure.frames.length < 64) failure.frames.push({ origin, line, kind })
  failure.at ??= origin.path === undefined ? { line } : { file: origin.path, line }
  return failure
}
