// Errors of Vault, with the names of saltext-vault's exceptions: users search for them, and states test for them.
import { BrineError } from '../../../base/mod.ts'
import { failure, type SaltError } from '../../../data/mod.ts'

export type VaultErrorCode =
  | 'VaultException'
  | 'VaultInvocationError'
  | 'VaultPermissionDeniedError'
  | 'VaultNotFoundError'
  | 'VaultUnsupportedOperationError'
  | 'VaultPreconditionFailedError'
  | 'VaultRateLimitExceededError'
  | 'VaultServerError'
  | 'VaultUnavailableError'
  | 'VaultUnwrapException'
  | 'VaultConfigExpired'
  | 'InvalidConfigError'
  | 'AuthenticationError'
  | 'ConnectionError'

export class VaultError extends BrineError<VaultErrorCode> {
  constructor(code: VaultErrorCode, message: string) {
    super(code, message)
    this.name = code
  }
}

const BY_STATUS: Readonly<Record<number, VaultErrorCode>> = {
  400: 'VaultInvocationError',
  403: 'VaultPermissionDeniedError',
  404: 'VaultNotFoundError',
  405: 'VaultUnsupportedOperationError',
  412: 'VaultPreconditionFailedError',
  429: 'VaultRateLimitExceededError',
  500: 'VaultServerError',
  502: 'VaultServerError',
  503: 'VaultUnavailableError',
}

/** Return the error for a refused request: the words of the server if it said any, else the status. */
export function statusError(status: number, errors: readonly string[], path: string): VaultError {
  const words = errors
    .map((error) => error.replace(/\s+/g, ' ').trim())
    .join(', ')
    .trim()
  return new VaultError(BY_STATUS[status] ?? 'VaultException', words || `HTTP ${status} for ${path}`)
}

export const isVaultError = (error: unknown, code: VaultErrorCode): error is VaultError =>
  error instanceof VaultError && error.code === code

/** Return an error as functions show it: the class and the text. */
export const shownError = (error: unknown): string =>
  error instanceof BrineError ? `${error.code}: ${error.message}` : String(error)

/** Make the error that a function fails with. */
export const functionError = (error: unknown, what = ''): SaltError => failure(`${what}${shownError(error)}`)

export const invalidConfig = (problem: string): VaultError =>
  new VaultError('InvalidConfigError', `Invalid vault configuration: ${problem}`)
