// Errors between a program and the master on its machine.
import { BrineError, type ErrorDetails } from '../base/mod.ts'

export type ClientErrorCode =
  | 'SaltClientError'
  | 'AuthenticationError'
  | 'AuthorizationError'
  | 'SaltInvocationError'
  | 'SaltReqTimeoutError'
  | 'PublishError'
  | 'StorageError'
  /** The master knows no batches: it is one of Salt's. */
  | 'NoBatches'

export class ClientError extends BrineError<ClientErrorCode> {
  constructor(code: ClientErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
    this.name = code
  }
}
