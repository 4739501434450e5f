// The transports by their names in the option `transport`; each is loaded at first use.
import type { Server } from 'node:net'
import { didYouMean } from '../../base/mod.ts'
import { WireError } from '../errors.ts'
import type { Publisher, PublisherOptions, Transport } from './transport.ts'

const LOADERS: Record<string, () => Promise<Transport>> = {
  zeromq: async () => (await import('./zeromq.ts')).zeromq,
  tcp: async () => (await import('./tcp.ts')).tcp,
  ws: async () => (await import('./ws.ts')).ws,
}

export function openTransport(name = 'zeromq'): Promise<Transport> {
  const load = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined
  if (load !== undefined) return load()
  const names = Object.keys(LOADERS)
  throw new WireError('BadSetting', `Transport '${name}' is not known`, {
    hint: didYouMean(name, names) ?? `There are ${names.join(', ')}`,
  })
}

/** Return a function that continues to publish over zeromq on a port that another process opened. */
export async function publisherTaker(): Promise<(server: Server, options: PublisherOptions) => Publisher> {
  const { ZmtpPublisher } = await import('./zmtp/publisher.ts')
  return (server, options) => ZmtpPublisher.on(server, options)
}
