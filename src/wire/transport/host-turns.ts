// Messages of many hosts in turns: a large message takes some time to read, and after some milliseconds everything else of the
// event loop runs before the message of the next host is read. A host that sends many messages delays only its own.
import { TurnQueue } from '../../base/mod.ts'

/** How long one turn of the event loop may handle messages, in milliseconds. */
const TURN_MS = 10

const waiting = new TurnQueue<() => void>()

/** Read a message of a host when its turn comes. `read` must not throw. */
export function inTurn(host: string, read: () => void): void {
  waiting.push([host], read)
  if (waiting.size === 1) setImmediate(readSome)
}

function readSome(): void {
  const began = performance.now()
  do waiting.next()?.()
  while (waiting.size > 0 && performance.now() - began < TURN_MS)
  if (waiting.size > 0) setImmediate(readSome)
}
