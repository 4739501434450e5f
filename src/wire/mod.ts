// Salt's wire protocol: keys and encryption, the channels of master and minion, and the transports.
export * from './client/mod.ts'
export {
  Crypticle,
  cleanKey,
  generateKeyString,
  generateRsaKeys,
  type KeyPairPem,
  loadOrMakeKeys,
  pemFingerprint,
  RsaPrivateKey,
  RsaPublicKey,
  writeKeyFile,
} from './crypto/mod.ts'
export { isValidId } from './envelope.ts'
export { isWireError, WireError, type WireErrorCode } from './errors.ts'
export {
  decodeEvent,
  type Event,
  EventFrames,
  type EventReading,
  encodeEvent,
  eventTag,
  FrameHead,
  frameBody,
  frameEvent,
  frameFiredEvent,
  framePacked,
  type HeadedBody,
  minionSocketNames,
  numberFrame,
} from './event-frame.ts'
export {
  masterEndpoints,
  minionSettings,
  publisherOptions,
  requestClientOptions,
  requestListenOptions,
  subscriberOptions,
  warnOfIgnoredTls,
} from './from-options.ts'
export { forkFor } from './own-process.ts'
export { publisherRelief, servePublisher } from './publisher-process.ts'
export * from './server/mod.ts'
export { connectionLimits, minionsCarried, openFiles, RAISE_LIMIT } from './transport/descriptors.ts'
export { endpointText, parseEndpoint } from './transport/endpoint.ts'
export { limitedHost } from './transport/hosts.ts'
export { openTransport } from './transport/open.ts'
export { type ConnectionWatch, Outage } from './transport/outage.ts'
export { type Pauses, quickPauses, reconnectDelays } from './transport/redial.ts'
export { Seats } from './transport/seats.ts'
export type {
  Endpoint,
  ListenOptions,
  Peer,
  Publisher,
  PublisherOptions,
  RequestClient,
  RequestClientOptions,
  RequestHandler,
  RequestListener,
  RequestListenOptions,
  RequestOptions,
  SocketOptions,
  Subscriber,
  SubscriberOptions,
  TlsSettings,
  Transport,
} from './transport/transport.ts'
