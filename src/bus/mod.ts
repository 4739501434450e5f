// Events: the bus inside a daemon, its sockets for other programs of the machine, how these reach it, and the journal.
export { BusClient, type BusClientOptions, fireOnce } from './bus-client.ts'
export { BusServer, type BusServerOptions } from './bus-server.ts'
export { BusTap } from './bus-tap.ts'
export { type BusEvent, EventBus, type EventFilter, type EventForm, stamp, withTrace } from './event-bus.ts'
export { EventQueue } from './event-queue.ts'
export { type EventTap, eventStream } from './event-stream.ts'
export { FollowedEvents, type LiveEvents } from './journal/followed.ts'
export { EventJournal, type JournalSettings } from './journal/journal.ts'
export {
  checkJournal,
  hasJournal,
  type JournalExtent,
  JournalReader,
  journalFolder,
  type PastReading,
} from './journal/reader.ts'
export { type Beginning, endOf, segmentsIn } from './journal/segments.ts'
export { isServed } from './local-socket.ts'
export { openMasterMarks } from './master-marks.ts'
export {
  externalOrigin,
  frameHead,
  isFrom,
  isOwn,
  masterOrigin,
  minionOrigin,
  type Origin,
  type OriginPattern,
  originDict,
  originText,
  patternText,
  readOrigin,
  readOriginPattern,
  readOriginText,
  syndicOrigin,
  UNKNOWN,
} from './origin.ts'
export { type BusPaths, masterBusPaths, minionBusPaths } from './paths.ts'
export { isAboutSender, isTag, tagRefusal } from './reserved-tags.ts'
export type { PastEvents } from './subscriber.ts'
