// Errors of reading a configuration.
import { BrineError, type ErrorDetails } from '../base/mod.ts'

export type ConfigErrorCode =
  /** A file that cannot be read as configuration. */
  | 'ConfigFileInvalid'
  /** A file that is a template and cannot be rendered. */
  | 'ConfigTemplateFailed'
  /** An option with a value that the program cannot begin with. */
  | 'OptionInvalid'

export class ConfigError extends BrineError<ConfigErrorCode> {
  constructor(code: ConfigErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
    this.name = 'ConfigError'
  }
}
