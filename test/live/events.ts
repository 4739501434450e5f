// Whether the events of a recording came about. Only those that say something about what was done are looked for: others come
// and go with the time that things take.
import type { BusEvent } from '../../src/bus/mod.ts'
import { dumpJson, str } from '../../src/data/mod.ts'
import { matchesJson } from './compare.ts'
import { Placeholders } from './placeholders.ts'
import type { Json, RecordedEvent } from './scenario.ts'

const PASSING =
  /^(minion\/refresh|resource\/refresh|salt\/auth|minion_start|salt\/minion\/|salt\/job\/.*\/ret\/|salt\/stats|salt\/batch\/\w+\/recover|_salt_error)/

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
    if (at < 0) missing.push(`${tag} ${JSON.stringify(data)}`)
    else left.splice(at, 1)
  }
  return missing
}

function isLike(tag: string, expected: Json, actual: { tag: string; data: Json }): boolean {
  const known = new Placeholders()
  return known.matches(tag, actual.tag) && matchesJson(expected, actual.data, known)
}
