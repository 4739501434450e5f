// Queries to web servers, like Salt's `http.query`. The code is loaded at the first query.
import type { Dict, Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { AwsRequest } from './aws-signature.ts'
import type { HttpMachine } from './query.ts'
import type { HttpRequest, HttpStream, SendHttp } from './request.ts'
import type { HttpUpgrade } from './web-socket.ts'

export { awsEscaped } from './aws-escape.ts'
export type { AwsKey } from './aws-signature.ts'
export { CA_BUNDLES } from './ca-bundles.ts'
export { PARAMETERS as HTTP_PARAMETERS } from './parameters.ts'
export type { HttpMachine } from './query.ts'
export type { HttpRequest, HttpStream, SendHttp } from './request.ts'
export type { HttpSocket, HttpUpgrade } from './web-socket.ts'

/** Queries by the names of Salt's parameters. */
export interface HttpClient {
  query(parameters: ReadonlyMap<string, Value>): Promise<Dict>
  /** Send a complete request, and return the response before its body is read. */
  open(request: HttpRequest): Promise<HttpStream>
  /** Ask for a WebSocket that speaks one of the subprotocols. Its messages are limited by `maxBody`, and the connection by `timeout`. */
  upgrade(request: HttpRequest, protocols: readonly string[]): Promise<HttpUpgrade>
}

/** Lets TLS connections of any kind trust the authorities that the machine trusts. */
export const trustSystem = async (): Promise<void> => (await import('./system-trust.ts')).trustSystem()

export const sendHttp: SendHttp = async (request) => (await import('./request.ts')).sendHttp(request)

/** Return the headers of a request to AWS, with its signature. */
export const signAws = async (request: AwsRequest): Promise<Map<string, string>> =>
  (await import('./aws-signature.ts')).signAws(request)

/** Run the query that the parameters describe; they may contain options. */
export async function httpQuery(
  machine: HttpMachine,
  opts: ReadonlyMap<Value, Value>,
  parameters: ReadonlyMap<string, Value>,
): Promise<Dict> {
  const { HttpQuery } = await import('./query.ts')
  return new HttpQuery(machine, opts, parameters).run()
}

/** Return the part of a host that a query uses. */
const machineOf = (host: Host): HttpMachine => ({
  read: (path) => host.read(path),
  write: (path, text) => host.write(path, text),
  send: sendHttp,
})

/** The answer to a query before its body is read. */
export async function openUrl(host: Host, opts: Dict, parameters: ReadonlyMap<string, Value>): Promise<HttpStream> {
  const [{ HttpQuery }, { streamHttp }] = await Promise.all([import('./query.ts'), import('./request.ts')])
  return streamHttp(await new HttpQuery(machineOf(host), opts, parameters).request())
}

/** A client that reads and writes the files a query names on that host. */
export function httpClient(host: Host, opts: Dict): HttpClient {
  return {
    query: (parameters) => httpQuery(machineOf(host), opts, parameters),
    open: async (request) => (await import('./request.ts')).streamHttp(request),
    upgrade: async (request, protocols) => (await import('./web-socket.ts')).upgradeHttp(request, protocols),
  }
}
