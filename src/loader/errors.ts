// Errors of finding and loading functions.
import { BrineError, type ErrorDetails } from '../base/mod.ts'

export type LoaderErrorCode =
  /** No module has a function of this name. */
  | 'FunctionUnknown'
  /** The module exists, but not for this minion. */
  | 'ModuleUnavailable'

export class LoaderError extends BrineError<LoaderErrorCode> {
  constructor(code: LoaderErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
    this.name = 'LoaderError'
  }
}
