// The records of the log of a cluster: a job, a return, an event and others. Each is a mapping with its kind under `k`.
import { type BusEvent, type Origin, readOrigin } from '../bus/mod.ts'
import { type Dict, dictFrom, isDict, isList, str, textOf, type Value } from '../data/mod.ts'
import type { Event } from '../wire/mod.ts'

/** A job that is judged and has its id. */
export interface PreparedJob {
  jid: string
  load: Dict
  minions: readonly string[]
  missing: readonly string[]
  /** The syndics whose lists of minions a caller above waits for; undefined for a job of this master. */
  below?: readonly string[] | undefined
  isFrozen: boolean
  isOfSalt: boolean
  /** Whether the job store has it. */
  isKept: boolean
  eauth?: string | undefined
}

/** A job that is kept and not published: some master lacks it. */
export type KeptJob = Pick<PreparedJob, 'jid' | 'load' | 'minions'>

/** A return and its sender. */
export interface SentReturn extends Event {
  sender: Origin
}

/** A return that is checked and has its job. */
export interface PreparedReturn extends SentReturn {
  jid: string
  id: string
  isKept: boolean
  /** The job of a call on the minion itself. */
  job?: Dict | undefined
}

const originList = ({ kind, name, proof }: Origin): Value[] => [kind, name, proof]

const texts = (value: Value | undefined): string[] => (value !== undefined && isList(value) ? value.map(str) : [])

const dictOf = (value: Value | undefined): Dict => (value !== undefined && isDict(value) ? value : new Map())

export function jobRecord(job: PreparedJob): Dict {
  const { jid, load, minions, missing, below, isFrozen, isOfSalt, isKept, eauth } = job
  return new Map<Value, Value>([
    ['k', 'job'],
    ['jid', jid],
    ['load', load],
    ['minions', [...minions]],
    ['missing', [...missing]],
    ['below', below ? [...below] : null],
    ['frozen', isFrozen],
    ['salt', isOfSalt],
    ['kept', isKept],
    ['eauth', eauth ?? null],
  ])
}

export function readJobRecord(record: Dict): PreparedJob {
  const below = record.get('below') ?? null
  return {
    jid: str(record.get('jid') ?? ''),
    load: dictOf(record.get('load')),
    minions: texts(record.get('minions')),
    missing: texts(record.get('missing')),
    below: below === null ? undefined : texts(below),
    isFrozen: record.get('frozen') === true,
    isOfSalt: record.get('salt') === true,
    isKept: record.get('kept') === true,
    eauth: textOf(record.get('eauth') ?? null),
  }
}

export const keptJobRecord = ({ jid, load, minions }: KeptJob): Dict =>
  dictFrom({ k: 'kept', jid, load, minions: [...minions] })

export const readKeptJobRecord = (record: Dict): KeptJob => ({
  jid: str(record.get('jid') ?? ''),
  load: dictOf(record.get('load')),
  minions: texts(record.get('minions')),
})

export function returnRecord({ jid, id, isKept, job, tag, data, sender }: PreparedReturn): Dict {
  return new Map<Value, Value>([
    ['k', 'ret'],
    ['jid', jid],
    ['id', id],
    ['tag', tag],
    // the returned value is a field of its own, which readers leave packed: it may hold millions of values
    ['data', data.has('return') ? new Map(data).set('return', null) : data],
    ['return', data.get('return') ?? null],
    ['kept', isKept],
    ['job', job ?? null],
    ['from', originList(sender)],
  ])
}

export function readReturnRecord(record: Dict): PreparedReturn {
  const job = record.get('job')
  const data = dictOf(record.get('data'))
  if (data.has('return')) data.set('return', record.get('return') ?? null)
  return {
    jid: str(record.get('jid') ?? ''),
    id: str(record.get('id') ?? ''),
    tag: str(record.get('tag') ?? ''),
    data,
    isKept: record.get('kept') === true,
    job: job !== undefined && isDict(job) ? job : undefined,
    sender: readOrigin(record.get('from')),
  }
}

/** `isTold`: the master that appends the record has already fired the event. */
export function eventRecord(
  { tag, fields, origin }: Pick<BusEvent, 'tag' | 'fields' | 'origin'>,
  isTold = false,
): Dict {
  return dictFrom({ k: 'evt', tag, data: fields, from: originList(origin), told: isTold })
}

/** The marks of events that a master of an earlier version reacts to. */
export const readReactedRecord = (record: Dict): ReadonlySet<string> => new Set(texts(record.get('marks')))

export function readEventRecord(record: Dict): { tag: string; data: Dict; origin: Origin } {
  return { tag: str(record.get('tag') ?? ''), data: dictOf(record.get('data')), origin: readOrigin(record.get('from')) }
}
