// Transport `ws`: WebSockets on the same ports, with TLS when `ssl` is set.
import type { Transport } from './transport.ts'
import { WebSocketPublisher, WebSocketSubscriber } from './websocket/publications.ts'
import { listenOnWebSockets, WebSocketRequestClient } from './websocket/requests.ts'

export const ws: Transport = {
  name: 'ws',
  listen: listenOnWebSockets,
  connect: (endpoint, options) => new WebSocketRequestClient(endpoint, options),
  publisher: (endpoint, options) => WebSocketPublisher.listen(endpoint, options),
  subscribe: (endpoint, options) => new WebSocketSubscriber(endpoint, options),
}
