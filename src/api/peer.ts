// The address that a request comes from.
import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Peer } from '../wire/mod.ts'
import type { ApiRequest } from './server.ts'

/** Return the peer of a request. Headers of proxies are ignored, because any client can send them. */
export function requestPeer(c: Context): Peer {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return incoming ? peerOfRequest(incoming) : { address: '', host: '' }
}

export function peerOfRequest(request: IncomingMessage): Peer {
  const { remoteAddress = '', remotePort = 0 } = request.socket
  const host = remoteAddress.replace(/^::ffff:/, '')
  const { recognise } = request as ApiRequest
  return { address: `${host}:${remotePort}`, host, ...(recognise && { recognise }) }
}

/** Return a function that breaks the connection of a request, for a caller that does not read its answer. */
export function hangUpOf(c: Context): () => void {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return () => incoming?.socket.destroy()
}
