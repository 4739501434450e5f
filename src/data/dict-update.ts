// Python's `dict.update(other)`: from a mapping, or from a sequence of pairs.
import { dictSet } from './dict.ts'
import { typeError, valueError } from './errors.ts'
import { isIterable, iterate } from './protocol.ts'
import type { Dict, Value } from './value.ts'

export function dictUpdate(dict: Dict, other: Value): void {
  if (other instanceof Map) {
    other.forEach((value, key) => void dictSet(dict, key, value))
    return
  }
  let place = 0
  for (const entry of iterate(other)) {
    if (!isIterable(entry)) {
      throw typeError(`cannot convert dictionary update sequence element #${place} to a sequence`)
    }
    const pair = [...iterate(entry)]
    if (pair.length !== 2) {
      throw valueError(`dictionary update sequence element #${place} has length ${pair.length}; 2 is required`)
    }
    dictSet(dict, pair[0]!, pair[1]!)
    place++
  }
}
