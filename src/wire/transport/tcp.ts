// Transport `tcp`: MessagePack frames on a stream, with TLS when `ssl` is set.
import { FramedPublisher, FramedSubscriber } from './framed/publications.ts'
import { FramedRequestClient, listenForFrames } from './framed/requests.ts'
import type { Transport } from './transport.ts'

export const tcp: Transport = {
  name: 'tcp',
  listen: listenForFrames,
  connect: (endpoint, options) => new FramedRequestClient(endpoint, options),
  publisher: (endpoint, options) => FramedPublisher.listen(endpoint, options),
  subscribe: (endpoint, options) => new FramedSubscriber(endpoint, options),
}
