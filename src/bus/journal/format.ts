// The file format of a journal: segments, named by the number of their first event, contain groups. A group holds the
// events of some milliseconds: a header with a checksum, and the frames of the events as subscribers get them. Only the
// last group can be torn.
import { crc32 } from 'node:zlib'
import { type Dict, encodeMsgpack, isDict, MsgpackStream, type Value } from '../../data/mod.ts'
import { eventTag, framePacked } from '../../wire/mod.ts'
import { frameHead, type Origin, readOrigin } from '../origin.ts'

const MAGIC = 0x42454a31
const CHECK_AT = 4
const CHECKED_FROM = 8
export const HEAD_BYTES = 40
const SUFFIX = '.journal'

export interface GroupHead {
  /** Bytes of the frames that follow. */
  size: number
  /** How many events; 0 marks that the journal was closed properly. */
  count: number
  /** The number of the first one; the others follow. */
  first: number
  /** When the first and the last were fired, in milliseconds since 1970. */
  from: number
  to: number
  check: number
}

export function packGroup(frames: readonly Uint8Array[], head: Pick<GroupHead, 'first' | 'from' | 'to'>): Buffer {
  const size = frames.reduce((sum, frame) => sum + frame.length, 0)
  const group = Buffer.allocUnsafe(HEAD_BYTES + size)
  group.writeUInt32BE(MAGIC, 0)
  group.writeUInt32BE(size, 8)
  group.writeUInt32BE(frames.length, 12)
  group.writeDoubleBE(head.first, 16)
  group.writeDoubleBE(head.from, 24)
  group.writeDoubleBE(head.to, 32)
  let at = HEAD_BYTES
  for (const frame of frames) {
    group.set(frame, at)
    at += frame.length
  }
  group.writeUInt32BE(crc32(group.subarray(CHECKED_FROM)), CHECK_AT)
  return group
}

/** Undefined where no group begins. */
export function readGroupHead(bytes: Buffer): GroupHead | undefined {
  if (bytes.length < HEAD_BYTES || bytes.readUInt32BE(0) !== MAGIC) return undefined
  return {
    check: bytes.readUInt32BE(CHECK_AT),
    size: bytes.readUInt32BE(8),
    count: bytes.readUInt32BE(12),
    first: bytes.readDoubleBE(16),
    from: bytes.readDoubleBE(24),
    to: bytes.readDoubleBE(32),
  }
}

/** Whether a group came whole to the disk. */
export const isWhole = (group: Buffer, { check }: GroupHead): boolean => crc32(group.subarray(CHECKED_FROM)) === check

export const segmentName = (first: number): string => `${String(first).padStart(16, '0')}${SUFFIX}`

/** The number of a segment's first event. */
export function segmentFirst(name: string): number | undefined {
  return /^\d{16}\.journal$/.test(name) ? Number(name.slice(0, -SUFFIX.length)) : undefined
}

/** An event out of the journal. */
export interface JournalEvent {
  number: number
  /** When it was fired, to the group: milliseconds since 1970. */
  at: number
  tag: string
  /** Unknown in journals of earlier versions. */
  origin: Origin
  /** The tag, an empty line and the data. */
  body: Uint8Array
  /** Where the rest of the data is: a return in the job store. */
  kept?: KeptReturn
  /** The id of the event among all masters of a cluster. */
  mark?: string
}

export interface KeptReturn {
  jid: string
  id: string
}

/** Return the frame of a return that the job store already holds: all fields without the returned value. */
export function referenceFrame(origin: Origin, tag: string, data: Dict, mark?: string): Buffer {
  const small = new Map([...data].filter(([key]) => key !== 'return' && key !== 'fun_args'))
  return framePacked(tag, encodeMsgpack(small, 'bus'), frameHead(origin).inJournal(true, mark))
}

/** The same frame with the mark of its event in the head. */
export function markedFrame(origin: Origin, frame: Buffer, mark: string): Buffer {
  const head = frameHead(origin)
  return Buffer.concat([head.inJournal(false, mark), frame.subarray(head.plain.length)])
}

export function eventsOf(frames: Uint8Array, { first, from }: GroupHead): JournalEvent[] {
  const stream = new MsgpackStream({ dialect: 'bus' })
  return stream.push(frames).flatMap((frame, index) => {
    const body = isDict(frame) ? frame.get('body') : undefined
    if (!(body instanceof Uint8Array)) return []
    const tag = eventTag(body)
    const head = (frame as Dict).get('head') ?? null
    const kept = keptReturn(tag, head)
    const origin = readOrigin(isDict(head) ? head.get('o') : undefined)
    const mark = isDict(head) ? head.get('c') : undefined
    const known = { ...(kept && { kept }), ...(typeof mark === 'string' && { mark }) }
    return [{ number: first + index, at: from, tag, origin, body, ...known }]
  })
}

function keptReturn(tag: string, head: Value): KeptReturn | undefined {
  if (!isDict(head) || head.get('kept') !== true) return undefined
  const [, jid = '', id = ''] = /^salt\/job\/([^/]+)\/ret\/(.+)$/.exec(tag) ?? []
  return { jid, id }
}
