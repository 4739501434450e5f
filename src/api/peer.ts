// The address that a request comes from.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Peer } from '../wire/mod.ts'

/** Return the peer of a request. The headers of proxies are not believed: anybody can write them. */
export function peerOf(c: Context): Peer {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  const { remoteAddress = '', remotePort = 0 } = incoming?.socket ?? {}
  const host = remoteAddress.replace(/^::ffff:/, '')
  return { address: `${host}:${remotePort}`, host }
}

/** Return a function that breaks the connection of a request, for a caller that does not read its answer. */
export function hangUpOf(c: Context): () => void {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return () => incoming?.socket.destroy()
}
