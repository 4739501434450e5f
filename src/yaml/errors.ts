// Errors of reading and writing YAML. `code` is the class in PyYAML or Salt and `message` the text of `str(exc)`.
// Exceptions of Python itself (an invalid `!!int`) are thrown as PyError.
import { BrineError, type Position } from '../base/mod.ts'

export type YamlErrorCode =
  /** A character or a byte sequence that YAML does not allow. */
  | 'ReaderError'
  /** Text that makes no token. */
  | 'ScannerError'
  /** Tokens in an order that makes no document. */
  | 'ParserError'
  /** An alias without its anchor, an anchor twice, a second document. */
  | 'ComposerError'
  /** A node that makes no value: a duplicate key, an unknown tag. */
  | 'ConstructorError'
  /** A value that has no YAML form. */
  | 'RepresenterError'
  /** Dump options that make no document. */
  | 'EmitterError'
  /** The `yaml` renderer's wrapping of the errors above. */
  | 'SaltRenderError'
  /** The serializers' wrapping. */
  | 'DeserializationError'
  | 'SerializationError'

/** A place as the scanner counts it: lines and columns from 0. */
export interface Mark {
  line: number
  column: number
}

export interface YamlErrorDetails {
  problem?: string | undefined
  context?: string | undefined
  problemAt?: Position | undefined
  contextAt?: Position | undefined
  /** The place, for an error that PyYAML raises without one. */
  at?: Position | undefined
  /** The line that Salt's own error classes carry, from 1. */
  line?: number
  hint?: string | undefined
  cause?: unknown
}

export class YamlError extends BrineError<YamlErrorCode> {
  readonly problem: string | undefined
  readonly context: string | undefined
  readonly problemAt: Position | undefined
  readonly contextAt: Position | undefined
  readonly line: number | undefined

  constructor(code: YamlErrorCode, message: string, details: YamlErrorDetails = {}) {
    const { problem, context, problemAt, hint, cause } = details
    const reason = problem !== undefined && context !== undefined ? `${problem} ${context}` : problem
    super(code, message, { reason, hint, at: problemAt ?? details.at, cause })
    this.name = code
    this.problem = problem
    this.context = context
    this.problemAt = problemAt
    this.contextAt = details.contextAt
    this.line = details.line
  }
}

export interface MarkedProblem {
  /** The name of the text in messages, such as `<unicode string>`. */
  source: string
  context?: string | undefined
  contextMark?: Mark | undefined
  problem: string
  problemMark?: Mark | undefined
  hint?: string | undefined
}

/** The error of PyYAML's marked classes; the context's place is left out where it is the problem's place. */
export function markedError(code: YamlErrorCode, what: MarkedProblem): YamlError {
  const { source, context, contextMark, problem, problemMark } = what
  const lines: string[] = []
  if (context !== undefined) lines.push(context)
  if (contextMark && !(problemMark && sameMark(contextMark, problemMark))) lines.push(whereText(source, contextMark))
  lines.push(problem)
  if (problemMark) lines.push(whereText(source, problemMark))
  return new YamlError(code, lines.join('\n'), {
    problem,
    context,
    contextAt: contextMark && positionOf(contextMark),
    problemAt: problemMark && positionOf(problemMark),
    hint: what.hint,
  })
}

const sameMark = (a: Mark, b: Mark): boolean => a.line === b.line && a.column === b.column

const positionOf = (mark: Mark): Position => ({ line: mark.line + 1, column: mark.column + 1 })

/** A mark as PyYAML prints it. */
export const whereText = (source: string, mark: Mark): string =>
  `  in "${source}", line ${mark.line + 1}, column ${mark.column + 1}`

/**
 * Return the error for a character or byte that YAML forbids; `offset` counts bytes, a `value` below 0 is libyaml's
 * "none".
 */
export function readerError(source: string, value: number, reason: string, offset: number, line?: number): YamlError {
  const hex = value < 0 ? `-${(-value).toString(16).padStart(3, '0')}` : value.toString(16).padStart(4, '0')
  const message = `unacceptable character #x${hex}: ${reason}\n  in "${source}", position ${offset}`
  return new YamlError('ReaderError', message, {
    problem: `unacceptable character #x${hex}: ${reason}`,
    at: line === undefined ? undefined : { line },
  })
}
