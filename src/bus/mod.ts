// Events: the bus inside a daemon, its sockets for other programs of the machine, and how these reach it.
export { BusClient, type BusClientOptions, fireOnce } from './bus-client.ts'
export { BusServer, type BusServerOptions } from './bus-server.ts'
export { type BusEvent, BusTap, EventBus, type EventFilter, stamp } from './event-bus.ts'
export { type EventTap, eventStream } from './event-stream.ts'
export { type BusPaths, masterBusPaths, minionBusPaths } from './paths.ts'
