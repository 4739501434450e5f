// What a template can fail with. `code` is the class that Jinja2 or Salt raises.
import { BrineError, type ErrorDetails } from '../base/mod.ts'

export type JinjaErrorCode =
  | 'TemplateSyntaxError'
  | 'TemplateAssertionError'
  | 'TemplateNotFound'
  | 'TemplatesNotFound'
  | 'TemplateRuntimeError'
  | 'FilterArgumentError'
  | 'UndefinedError'
  | 'SecurityError'
  /** `raise()` in a template: Salt's TemplateError. */
  | 'TemplateError'
  /** A Salt function, or a filter of Salt's, refused its arguments or failed. */
  | 'SaltInvocationError'
  | 'CommandExecutionError'

export class JinjaError extends BrineError<JinjaErrorCode> {
  constructor(code: JinjaErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
    this.name = code
  }
}
