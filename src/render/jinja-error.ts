// Salt's message for a failed template: the kind of failure, the line, and the lines around it. For a failure in an
// imported file, it quotes that file and has line 0.
import { BrineError } from '../base/mod.ts'
import { splitLines, textOf, type Value } from '../data/mod.ts'
import type { TemplateFailure } from '../jinja/mod.ts'
import { YamlError } from '../yaml/mod.ts'
import { type RenderError, renderError } from './errors.ts'
import { excerpt } from './excerpt.ts'
import { pythonClass } from './python-class.ts'

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
  /** The `sls` variable of templates; undefined if there is none. */
  sls: Value | undefined
  /** Texts of imported files by path, and the real files behind these paths. */
  sources: ReadonlyMap<string, string>
  files: ReadonlyMap<string, string>
}

export function jinjaRenderError(failure: TemplateFailure, template: FailedTemplate): RenderError {
  const { error } = failure
  const kind = kindOf(error)
  const text = `${kind.introduction}${error.message}`
  const passed = framesOf(failure, template)
  const trace = kind.expected ? undefined : [...tracebacks(error, passed), ''].join('\n')
  const told = error instanceof BrineError ? { reason: `${kind.introduction}${error.reason}`, hint: error.hint } : {}
  // a block is not counted, its caller is
  const frame = failure.frames.find(({ kind }) => kind !== 'block')
  if (!frame) return renderError(text, { ...told, trace, cause: error })
  const { line, origin } = frame
  const other = origin.path === undefined ? undefined : template.sources.get(origin.path)
  const file = other === undefined ? template.path : (template.files.get(origin.path!) ?? origin.path)
  const at = file === undefined ? { line } : { file, line }
  if (origin.path !== undefined && other !== undefined && isElsewhere(origin.path, template.sls)) {
    const quoted = `${text}\n${origin.path}(${line}):\n${excerpt(other, line)}`
    return renderError(quoted, { reason: text, ...told, line: 0, trace, at, cause: error })
  }
  // the quoted text continues with the trace, which is longer in Salt
  const source = trace === undefined ? template.source : `${template.source}\n${passed.join('\n')}`
  return renderError(text, { ...told, line, source, trace, at, cause: error })
}

/** Return Salt's introduction, and whether Salt expects errors of this kind. */
function kindOf(error: Error): { introduction: string; expected: boolean } {
  const code = error instanceof BrineError ? error.code : ''
  if (code === 'UndefinedError') return { introduction: 'Jinja variable ', expected: true }
  if (SYNTAX.has(code)) return { introduction: 'Jinja syntax error: ', expected: true }
  if (REFUSED.has(code)) return { introduction: 'Problem running salt function in Jinja template: ', expected: true }
  return { introduction: 'Jinja error: ', expected: false }
}

/** Return Python's text for an error; a YAML error that was being handled precedes it. */
function tracebacks(error: Error, passed: readonly string[]): string[] {
  const own = [...passed, `${pythonClass(error)}: ${error.message}`]
  if (!(error.cause instanceof YamlError)) return own
  return [...tracebacks(error.cause, passed), '', MEANWHILE, '', ...own]
}

const MEANWHILE = 'During handling of the above exception, another exception occurred:'

const PLACES = { root: 'top-level template code', macro: 'template', block: 'block' }

/** The template lines an error passed, in the form of Python's tracebacks. */
function framesOf({ frames }: TemplateFailure, template: FailedTemplate): string[] {
  const lines = ['Traceback (most recent call last):']
  for (const { origin, line, kind } of [...frames].reverse()) {
    const source = origin.path === undefined ? template.source : template.sources.get(origin.path)
    lines.push(`  File "${origin.path ?? '<template>'}", line ${line}, in ${PLACES[kind]}`)
    const code = source === undefined ? '' : (splitLines(source)[line - 1]?.trim() ?? '')
    if (code !== '') lines.push(`    ${code}`)
  }
  return lines
}

/** Salt quotes another file unless its path ends as the SLS is named; under an empty name, no file is another one. */
function isElsewhere(path: string, sls: Value | undefined): boolean {
  return sls === undefined || !path.endsWith((textOf(sls) ?? '').replaceAll('.', '/'))
}
