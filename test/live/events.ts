// Whether the events of a recording came about. Only those that say something about what was done are looked for: others come
// and go with the time that things take.
import type { BusEvent } from '../../src/bus/mod.ts'
import { dumpJson, str } from '../../src/data/mod.ts'
import { matchesJson } from './compare.ts'
import { Placeholders } from './placeholders.ts'
import type { Json, RecordedEvent } from './scenario.ts'

const PASSING =
  /^(minion\/refresh|resource\/refresh|salt\/auth|minion_start|salt\/minion\/|salt\/job\/.*\/ret\/|salt\/stats|salt\/batch\/\w+\/recover|_salt_error)/

/** On a minion's bus its own parts talk to each other in their own ways; what others may listen to is Salt's. */
export const isForOthers = ({ tag }: RecordedEvent): boolean =>
  !/^(__master_req_channel|fire_master|_minion_mine|__beacons_return|manage_|\/salt\/minion\/minion_(schedule|beacons_list))/.test(
    tag,
  )

function* wanted(events: readonly RecordedEvent[]): Generator<RecordedEvent> {
  for (const event of events) {
    if (PASSING.test(event.tag) || event.data['fun'] === 'saltutil.find_job') continue
    yield event
  }
}

const jsonOf = (event: BusEvent): Json => JSON.parse(dumpJson(event.data, { default: str })) as Json

/** Recorded events that nothing of what came is like. */
export function missingEvents(
  recorded: readonly RecordedEvent[],
  seen: readonly BusEvent[],
  place: (value: Json) => Json,
) {
  const left = seen.map((event) => ({ tag: event.tag, data: jsonOf(event) }))
  const missing: string[] = []
  for (const { tag, data } of wanted(recorded)) {
    const expected = place(data)
    const at = left.findIndex((other) => isLike(tag, expected, other))
    const alike = left.filter((other) => new Placeholders().matches(tag, other.tag)).slice(0, 3)
    if (at < 0)
      missing.push([tag, data, ...alike.map((other) => other.data)].map((part) => JSON.stringify(part)).join('\n '))
    else left.splice(at, 1)
  }
  return missing
}

function isLike(tag: string, expected: Json, actual: { tag: string; data: Json }): boolean {
  const known = new Placeholders()
  return known.matches(tag, actual.tag) && matchesJson(expected, actual.data, known)
}
