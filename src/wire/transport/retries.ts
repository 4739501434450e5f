// The tries of a request, the same on every transport.
import { isWireError } from '../errors.ts'
import { REQUEST_TIMEOUT, REQUEST_TRIES, type RequestOptions } from './transport.ts'

/** Send a request until an answer comes; only a timeout or a lost connection is worth another try. */
export async function withRetries<T>(
  { timeout = REQUEST_TIMEOUT, tries = REQUEST_TRIES }: RequestOptions,
  isClosed: () => boolean,
  once: (timeout: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(timeout)
    } catch (error) {
      const again = isWireError(error, 'SaltReqTimeoutError') || isWireError(error, 'Closed')
      if (!again || attempt >= tries || isClosed()) throw error
    }
  }
}
