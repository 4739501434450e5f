// Transport `zeromq`: ZMTP 3 over ports and Unix sockets, spoken by our own code; nothing native is needed.
import type { SocketOptions, Transport } from './transport.ts'
import { ZmtpPublisher } from './zmtp/publisher.ts'
import { ZmtpRequestClient } from './zmtp/request-client.ts'
import { listenForRequests } from './zmtp/request-listener.ts'
import { ZmtpSubscriber } from './zmtp/subscriber.ts'

/** Like Salt's, this transport has no TLS: the option is for the others. */
function inClear<Options extends SocketOptions>(options: Options): Options
function inClear<Options extends SocketOptions>(options?: Options): Options | undefined
function inClear<Options extends SocketOptions>(options?: Options): Options | undefined {
  return options?.ssl === undefined ? options : { ...options, ssl: undefined }
}

export const zeromq: Transport = {
  name: 'zeromq',
  listen: (endpoint, handler, options) => listenForRequests(endpoint, handler, inClear(options)),
  connect: (endpoint, options) => new ZmtpRequestClient(endpoint, inClear(options)),
  publisher: (endpoint, options) => ZmtpPublisher.listen(endpoint, inClear(options)),
  subscribe: (endpoint, options) => new ZmtpSubscriber(endpoint, inClear(options)),
}
