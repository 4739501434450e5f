// Bodies of long answers, such as streams of events: they write directly to the connection. Hono's adapter would read
// them as web streams, which need several objects per piece, and keeps a promise per piece until the answer ends or its
// connection is full.
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Log, toError } from '../base/mod.ts'

export interface BodyPieces {
  /** Return the next piece; undefined at the end. */
  next(): Promise<Uint8Array | undefined>
  /** Called when the connection is closed. */
  closed(): void
}

/**
 * A body in pieces. Each piece is requested after the connection took the earlier ones: a slow connection holds at most
 * one.
 */
export class DirectBody extends ReadableStream<Uint8Array> {
  private readonly pieces: BodyPieces

  constructor(pieces: BodyPieces) {
    super()
    this.pieces = pieces
  }

  async writeTo(outgoing: ServerResponse): Promise<void> {
    const { pieces } = this
    // a write after the end of the connection
    outgoing.once('error', () => pieces.closed())
    outgoing.once('close', () => pieces.closed())
    if (outgoing.destroyed) pieces.closed()
    for (let piece = await pieces.next(); piece; piece = await pieces.next()) {
      if (outgoing.destroyed) return
      if (!outgoing.write(piece)) await drained(outgoing)
    }
    outgoing.end()
  }
}

/** Wait until a connection takes more or is closed. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((done) => {
    const finish = (): void => {
      outgoing.off('drain', finish).off('close', finish)
      done()
    }
    outgoing.on('drain', finish).on('close', finish)
  })
}

/**
 * Send an answer whose body writes directly, and return the adapter's marker for that; return other answers unchanged.
 */
export function sentDirectly(response: Response, outgoing: ServerResponse, log: Log): Response {
  const { body } = response
  if (!(body instanceof DirectBody)) return response
  outgoing.setHeaders(response.headers).writeHead(response.status)
  body.writeTo(outgoing).catch((error: unknown) => {
    log('error', `A stream of the API failed: ${toError(error).message}`)
    outgoing.destroy()
  })
  return RESPONSE_ALREADY_SENT
}
