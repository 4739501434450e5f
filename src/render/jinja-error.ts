// What a failed template tells, as Salt words it: the kind of failure, the line, and the lines around it. A failure in
// an imported file quotes that file and has line 0.
import { BrineError } from '../base/mod.ts'
import { textOf, type Value } from '../data/mod.ts'
import type { TemplateFailure } from '../jinja/mod.ts'
import { type RenderError, renderError } from './errors.ts'
import { excerpt } from './excerpt.ts'

const SYNTAX = new Set([
  'TemplateSyntaxError',
  'TemplateAssertionError',
  'TemplateRuntimeError',
  'FilterArgumentError',
  'SecurityError',
])
const REFUSED = new Set(['SaltInvocationError', 'CommandExecutionError'])

export interface FailedTemplate {
  /** The template's own text. */
  source: string
  path?: string | undefined
  /** The `sls` that templates see; undefined when there is none. */
  sls: Value | undefined
  /** Texts of imported files by path, and the real files behind these paths. */
  sources: ReadonlyMap<string, string>
  files: ReadonlyMap<string, string>
}

export function jinjaRenderError(failure: TemplateFailure, template: FailedTemplate): RenderError {
  const { error } = failure
  const text = introduction(error) + error.message
  const hint = error instanceof BrineError && error.hint !== undefined ? { hint: error.hint } : {}
  // a block is not counted, its caller is
  const frame = failure.frames.find(({ kind }) => kind !== 'block')
  if (!frame) return renderError(text, { ...hint, cause: error })
  const { path } = frame.origin
  const source = path === undefined ? undefined : template.sources.get(path)
  if (path !== undefined && source !== undefined && isElsewhere(path, template.sls)) {
    const at = { file: template.files.get(path) ?? path, line: frame.line }
    return renderError(`${text}\n${path}(${frame.line}):\n${excerpt(source, frame.line)}`, {
      ...hint,
      line: 0,
      at,
      cause: error,
    })
  }
  const at = template.path === undefined ? { line: frame.line } : { file: template.path, line: frame.line }
  return renderError(text, { ...hint, line: frame.line, source: template.source, at, cause: error })
}

function introduction(error: Error): string {
  const code = error instanceof BrineError ? error.code : ''
  if (code === 'UndefinedError') return 'Jinja variable '
  if (SYNTAX.has(code)) return 'Jinja syntax error: '
  if (REFUSED.has(code)) return 'Problem running salt function in Jinja template: '
  return 'Jinja error: '
}

/** Salt quotes another file unless its path ends as the SLS is named; under an empty name, no file is another one. */
function isElsewhere(path: string, sls: Value | undefined): boolean {
  return sls === undefined || !path.endsWith((textOf(sls) ?? '').replaceAll('.', '/'))
}
