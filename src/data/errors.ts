// Python's exceptions, as visible to users: a class name and a text.
import { BrineError, type ErrorDetails } from '../base/mod.ts'

export type PyErrorType =
  | 'TypeError'
  | 'ValueError'
  | 'KeyError'
  | 'IndexError'
  | 'AssertionError'
  | 'AttributeError'
  | 'ZeroDivisionError'
  | 'OverflowError'
  | 'RecursionError'
  | 'RuntimeError'
  | 'UnicodeDecodeError'
  | 'UnicodeEncodeError'
  | 're.error'
  | 'binascii.Error'
  | 'JSONDecodeError'
  | 'LookupError'
  | 'MemoryError'
  | 'NameError'
  | 'NotImplementedError'
  | 'OSError'
  | 'StopIteration'
  | 'SyntaxError'
  | 'UnboundLocalError'
  | 'Exception'

/** An exception that Python would raise; `code` is its class and `message` the text of `str(exc)`. */
export class PyError extends BrineError<PyErrorType> {
  constructor(type: PyErrorType, message: string, details?: ErrorDetails) {
    super(type, message, details)
    this.name = type
  }
}

export const typeError = (message: string): PyError => new PyError('TypeError', message)
export const valueError = (message: string): PyError => new PyError('ValueError', message)

export type SaltErrorCode =
  | 'SaltInvocationError'
  | 'CommandExecutionError'
  | 'CommandNotFoundError'
  | 'SaltException'
  | 'ArgumentValueError'
  | 'MinionError'
  | 'TimedProcTimeoutError'
  | 'SaltRunnerError'
  | 'FileserverConfigError'
  | 'SaltCloudConfigError'
  | 'SaltCloudNotFound'
  | 'SaltCloudExecutionTimeout'
  | 'SaltCloudExecutionFailure'
  | 'SaltCloudSystemExit'

/** An exception of Salt's own; `code` is its class and `message` the text Salt prints. */
export class SaltError extends BrineError<SaltErrorCode> {
  constructor(code: SaltErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
    this.name = code
  }
}

/** Make Salt's error for a command or a change that failed. */
export const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)

/** Make Salt's error for arguments that cannot be used. */
export const misuse = (message: string): SaltError => new SaltError('SaltInvocationError', message)

/** Return whether an error is Salt's for a command or a change that failed. */
export const isFailure = (error: unknown): error is SaltError =>
  error instanceof SaltError && error.code === 'CommandExecutionError'
