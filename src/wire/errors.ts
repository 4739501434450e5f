// Errors of the wire. Salt's own exceptions keep their names, because users search for them in logs.
import { BrineError, type ErrorDetails } from '../base/mod.ts'

export type WireErrorCode =
  /** A message was not made with the key we hold, or a signature or nonce does not match. */
  | 'AuthenticationError'
  /** The peer refuses the minion, or is not the expected master. */
  | 'SaltClientError'
  /** No answer within the time limit and number of tries. */
  | 'SaltReqTimeoutError'
  /** A key cannot be read. */
  | 'InvalidKeyError'
  | 'UnsupportedAlgorithm'
  /** The peer does not speak the protocol. */
  | 'ProtocolError'
  /** The peer sent more than is allowed. */
  | 'TooLarge'
  /** The connection or the object was closed. */
  | 'Closed'
  /** Encryption of the connection did not come about: certificates, or a peer without TLS. */
  | 'TlsError'
  /** An endpoint, certificate or other setting cannot be used. */
  | 'BadSetting'
  /** A further process could not be started. */
  | 'NotStarted'

export class WireError extends BrineError<WireErrorCode> {
  constructor(code: WireErrorCode, message: string, details: ErrorDetails = {}) {
    super(code, message, details)
    this.name = 'WireError'
  }
}

export function isWireError(error: unknown, code?: WireErrorCode): error is WireError {
  return error instanceof WireError && (code === undefined || error.code === code)
}
