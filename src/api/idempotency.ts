// Requests that a caller may send again without doing the work twice: the answer to a request with an `Idempotency-Key` is kept, and
// the same request gets it again.
import { createHash } from 'node:crypto'
import type { KeptAnswers } from '../store/mod.ts'
import { HttpError } from './errors.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** Answers that are longer are not kept. */
const LONGEST_ANSWER = 4 * 1024 * 1024

export interface KeyedRequest {
  answers: KeptAnswers
  /** The caller: keys of one user mean nothing to another. */
  owner: string
  /** The key that the caller sent, and the name under which it is kept. */
  key: string
  name: string
  /** The identity of the request: method, path and body. */
  parts: readonly string[]
}

/** Do the work of a request once for its key. */
export async function once(
  { answers, owner, key, name, parts }: KeyedRequest,
  work: () => Promise<Response>,
): Promise<Response> {
  if (!KEY.test(key)) throw new HttpError(400, 'An Idempotency-Key has 1 to 255 printable ASCII characters')
  const digest = createHash('sha256').update(parts.join('\0')).digest('hex')
  const claimed = await answers.claim(owner, name, digest)
  if (claimed === 'other') throw new HttpError(422, 'This Idempotency-Key was used for another request')
  if (claimed === 'running') throw new HttpError(409, 'The request with this Idempotency-Key is not answered yet')
  if (claimed !== 'new') {
    const { status, type, body } = claimed
    return new Response(body, { status, headers: { 'Content-Type': type, 'Idempotency-Replayed': 'true' } })
  }
  let isKept = false
  try {
    const response = await work()
    const body = await response.clone().text()
    // a request that failed may be sent again
    if (response.status < 500 && response.status !== 429 && body.length <= LONGEST_ANSWER) {
      const type = response.headers.get('content-type') ?? ''
      await answers.keep(owner, name, digest, { status: response.status, type, body })
      isKept = true
    }
    return response
  } finally {
    if (!isKept) await answers.release(owner, name)
  }
}
