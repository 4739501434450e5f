// Finds where an argument or a requisite of a state is written. The place may be in another file than the state,
// through `extend` or `_in` requisites.
import type { Position } from '../../base/mod.ts'
import { equals, isList, type Value } from '../../data/mod.ts'
import { REQUISITE_KEYWORDS } from './keywords.ts'
import type { Places } from './places.ts'

const argumentsIn = (body: Value | undefined, state: Value): readonly Value[] => {
  const args = body instanceof Map ? body.get(state) : undefined
  return Array.isArray(args) ? args : []
}

/** Return the place of an argument (the last one of a name), or the place of the state. */
export function argumentPlace(
  places: Places,
  body: Value | undefined,
  state: Value,
  name: Value,
): Position | undefined {
  const args = argumentsIn(body, state)
  const found = [...args, ...args.flatMap(ofNames)].findLast((arg) => arg instanceof Map && arg.has(name))
  return places.of(found, name) ?? places.ofState(body, state)
}

/** Return the arguments in the entries of `names`. */
function ofNames(arg: Value): Value[] {
  const names = arg instanceof Map ? arg.get('names') : undefined
  if (!Array.isArray(names)) return []
  const own = names.flatMap((entry) => (entry instanceof Map ? [...entry.values()] : []))
  return own.flatMap((args) => (Array.isArray(args) ? args : []))
}

/** Return the place of a reference in a requisite, or that of the state. */
export function requisitePlace(
  places: Places,
  body: Value | undefined,
  state: Value,
  reference: Value,
): Position | undefined {
  for (const arg of argumentsIn(body, state)) {
    if (!(arg instanceof Map)) continue
    for (const [key, references] of arg) {
      // a `watch` may have become a `require` by now
      if (!REQUISITE_KEYWORDS.has(String(key)) || !isList(references)) continue
      const index = references.findIndex((other) => equals(other, reference))
      const at = index < 0 ? undefined : (places.of(references[index]) ?? places.of(references, index))
      if (at) return at
    }
  }
  return places.ofState(body, state)
}
