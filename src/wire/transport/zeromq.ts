// Transport `zeromq`: ZMTP 3 over ports and Unix sockets, spoken by our own code; nothing native is needed.
import type { Transport } from './transport.ts'
import { ZmtpPublisher } from './zmtp/publisher.ts'
import { ZmtpRequestClient } from './zmtp/request-client.ts'
import { listenForRequests } from './zmtp/request-listener.ts'
import { ZmtpSubscriber } from './zmtp/subscriber.ts'

export const zeromq: Transport = {
  name: 'zeromq',
  listen: listenForRequests,
  connect: (endpoint, options) => new ZmtpRequestClient(endpoint, options),
  publisher: (endpoint, options) => ZmtpPublisher.listen(endpoint, options),
  subscribe: (endpoint, options) => new ZmtpSubscriber(endpoint, options),
}
