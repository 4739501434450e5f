// Errors of rendering. `code` is the class in Salt and `message` the whole text in Salt, with the quoted lines; `error`
// is its first part, and `reason` the text for users.
import { BrineError, type ErrorDetails, type Position } from '../base/mod.ts'
import { excerpt } from './excerpt.ts'

export type RenderErrorCode =
  /** A renderer refused its input. */
  | 'SaltRenderError'
  /** A pipeline names a renderer that does not exist or cannot run here. */
  | 'RendererUnavailable'
  /** The parsers that Salt lets through with their own class. */
  | 'YamlError'
  | 'JSONDecodeError'
  | 'DeserializationError'

export interface RenderErrorDetails extends ErrorDetails {
  /** 0 if the error is in another file, which `error` then quotes. */
  line?: number | undefined
  /** The text that `line` counts in. */
  source?: string | undefined
  /** The trace, which Salt shows for unexpected errors. */
  trace?: string | undefined
}

export class RenderError extends BrineError<RenderErrorCode> {
  readonly error: string
  readonly line: number | undefined

  constructor(code: RenderErrorCode, error: string, details: RenderErrorDetails = {}) {
    const { line, source, trace } = details
    const whole = trace === undefined ? error : `${error}\n${trace}\n`
    const goesOn = trace !== undefined
    super(code, line && source ? `${whole}; line ${line}\n\n${excerpt(source, line, { goesOn })}` : whole, {
      ...details,
      reason: details.reason ?? error,
    })
    this.name = code
    this.error = error
    this.line = line
  }
}

export const renderError = (error: string, details?: RenderErrorDetails): RenderError =>
  new RenderError('SaltRenderError', error, details)

/** The position of the shebang line. */
export const firstLine = ({ path }: { path?: string | undefined }): Position | undefined =>
  path === undefined ? undefined : { file: path, line: 1 }
