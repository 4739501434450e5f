// The bytes of a request body, within the bounds of the options.
import { HttpError } from './errors.ts'
import type { Room } from './limits.ts'

/**
 * Read the bytes of a body; a body above the limit is refused before the rest arrives. With `room`, the bytes count
 * while the body is read, so slow senders together hold a bounded amount of memory.
 */
export async function readBytes(request: Request, most: number, room?: Room): Promise<Buffer> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > most) throw tooLong(most)
  if (!request.body) return Buffer.alloc(0)
  const parts: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  let taken = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return Buffer.concat(parts)
      size += value.length
      if (size > most) throw tooLong(most)
      room?.take(value.length)
      taken = size
      parts.push(value)
    }
  } catch (error) {
    // to cancel the body would break the connection before the answer
    reader.releaseLock()
    throw error
  } finally {
    room?.giveBack(taken)
  }
}

/** Whether a body may be above the limit: its length says so, or is missing. */
export const mayBeTooLong = ({ headers }: Request, most: number): boolean =>
  Number(headers.get('content-length') ?? 0) > most || headers.has('transfer-encoding')

const tooLong = (most: number): HttpError =>
  new HttpError(413, `The entity sent with the request exceeds the maximum allowed bytes (${most}).`)

/** Read bytes as text. */
export function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new HttpError(400, 'The body is not valid UTF-8', error)
  }
}
