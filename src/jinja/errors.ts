// Errors of templates besides Python's and Salt's own exceptions. `code` is the class in Jinja2.
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

export class JinjaError extends BrineError<JinjaErrorCode> {
  constructor(code: JinjaErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
    this.name = code
  }
}
