// Endpoints as text: `tcp://host:port`, `tcp://[::1]:4506`, `ipc:///run/salt/…`.
import { WireError } from '../errors.ts'
import type { Endpoint } from './transport.ts'

const TCP = /^(?:tcp:\/\/)?(?:\[([^\]]+)\]|([^:/]+)):(\d+)$/

export function parseEndpoint(text: string): Endpoint {
  if (text.startsWith('ipc://')) return { path: text.slice('ipc://'.length) }
  const match = TCP.exec(text)
  if (match === null) {
    throw new WireError('BadSetting', `Cannot read the endpoint '${text}'`, {
      hint: 'tcp://host:port, tcp://[address]:port or ipc://path',
    })
  }
  return { host: match[1] ?? match[2]!, port: Number(match[3]) }
}

export function endpointText(endpoint: Endpoint): string {
  if ('path' in endpoint) return `ipc://${endpoint.path}`
  const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host
  return `tcp://${host}:${endpoint.port}`
}
