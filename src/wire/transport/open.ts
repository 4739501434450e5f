// The transports by their names in the `transport` option; each is loaded when it is first asked for.
import { didYouMean } from '../../base/mod.ts'
import { WireError } from '../errors.ts'
import type { Transport } from './transport.ts'

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
