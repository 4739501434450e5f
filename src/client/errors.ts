// What can go wrong between a program and the master on its machine.
import { BrineError } from '../base/mod.ts'

export type ClientErrorCode =
  | 'SaltClientError'
  | 'AuthenticationError'
  | 'AuthorizationError'
  | 'SaltInvocationError'
  | 'SaltReqTimeoutError'
  | 'PublishError'
  | 'StorageError'

export class ClientError extends BrineError<ClientErrorCode> {}
