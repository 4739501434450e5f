// Compares the events of a recording. Only events about actions are searched: others vary with timing.
import type { BusEvent } from '../../src/bus/mod.ts'
import { dumpJson, str } from '../../src/data/mod.ts'
import { matchesJson } from './compare.ts'
import { Placeholders } from './placeholders.ts'
import type { Json, RecordedEvent } from './scenario.ts'

const PASSING =
  /^(minion\/refresh|resource\/refresh|salt\/auth|minion_start|salt\/minion\/|salt\/stats|salt\/batch\/[^/]+\/recover|_salt_error)/

/** On a minion's bus, internal events differ from Salt's; public events are the same. */
export const isForOthers = ({ tag }: RecordedEvent): boolean =>
  !/^(__master_req_channel|fire_master|_minion_mine|__(beacons|schedule)_return|manage_|\/salt\/minion\/minion_(schedule|beacons_list))/.test(
    tag,
  )

/** Whether an event is about an action; compressed pieces of files contain the time. */
const isTelling = ({ tag, data }: RecordedEvent): boolean =>
  !PASSING.test(tag) && !/^(saltutil\.find_job|cp\.recv_chunked)$/.test(String(data['fun']))

/** A list of all jobs has those of scenarios that were recorded before, and one of all functions has those of the machine. */
const listsAll = ({ tag, data }: RecordedEvent): boolean =>
  /\/ret(\/|$)/.test(tag) &&
  /^(runner\.jobs\.list_jobs|sys\.list_functions)$/.test(String(data['fun'])) &&
  JSON.stringify(data['fun_args']) === '[]'

/** Which minions of a batch are first is chance. */
const isBetweenBatches = ({ tag, data }: RecordedEvent): boolean => {
  const { all_minions: minions } = (data['state'] ?? {}) as { all_minions?: Json }
  return tag.endsWith('/progress') && Array.isArray(minions) && minions.length > 1
}

/** How often a scheduled job ran depends on the total time. */
const isCompared = (event: RecordedEvent): boolean =>
  isTelling(event) && !('schedule' in event.data) && !listsAll(event) && !isBetweenBatches(event)

const plain = ({ tag, data }: BusEvent): RecordedEvent => ({
  tag,
  data: JSON.parse(dumpJson(data, { default: str })) as RecordedEvent['data'],
})

/** Return the events in the form of a recording. */
export const recordedEvents = (seen: readonly BusEvent[]): RecordedEvent[] => seen.map(plain).filter(isTelling)

/** A minion under load repeats returns that are not confirmed. */
function onlyOnce(events: readonly RecordedEvent[]): RecordedEvent[] {
  const known = new Set<string>()
  const isAgain = (tag: string): boolean => tag.includes('/ret/') && (known.has(tag) || !known.add(tag))
  return events.filter(({ tag }) => !isAgain(tag))
}

/** Return recorded events without a similar actual one. */
export function missingEvents(
  recorded: readonly RecordedEvent[],
  seen: readonly BusEvent[],
  place: (value: Json) => Json,
) {
  const left = seen.map(plain)
  const missing: string[] = []
  for (const { tag, data } of onlyOnce(recorded.filter(isCompared))) {
    const expected = place(data)
    const at = left.findIndex((other) => isLike(tag, expected, other))
    const alike = left.filter((other) => new Placeholders().matches(tag, other.tag))
    alike.sort((one, other) => sameFields(data, other.data) - sameFields(data, one.data))
    if (at < 0)
      missing.push(
        [tag, data, ...alike.slice(0, 1).map((other) => other.data)].map((part) => JSON.stringify(part)).join('\n '),
      )
    else left.splice(at, 1)
  }
  return missing
}

const sameFields = (one: RecordedEvent['data'], other: RecordedEvent['data']): number =>
  Object.keys(one).filter((name) => JSON.stringify(one[name]) === JSON.stringify(other[name])).length

function isLike(tag: string, expected: Json, actual: RecordedEvent): boolean {
  const known = new Placeholders()
  return known.matches(tag, actual.tag) && matchesJson(told(tag, expected), told(tag, withoutHints(actual.data)), known)
}

/**
 * Return the compared part of an event. Salt shows secrets of the requester, and its own key with a refused job; Brine
 * does not.
 */
function told(tag: string, data: Json): Json {
  if (tag !== 'salt/job/error') return withoutSecrets(data)
  const { tgt = null, fun = null, error = null } = data as { [name: string]: Json }
  return { tgt, fun, error }
}

const SECRET = /^(password|token|x-auth-token|authorization)$/i

function withoutSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([name, item]) => [name, SECRET.test(name) ? '' : withoutSecrets(item)])
  return Object.fromEntries(entries)
}

/** A return of Brine may contain hints beside Salt's fields. */
function withoutHints(data: RecordedEvent['data']): Json {
  const { hints: _hints, ...rest } = data
  return rest
}
