// Whether results of states are all fine, told from the results alone. Salt asks this of a whole run, of the runs of many
// minions laid into one dict, and of what any function returned.
import type { Value } from './value.ts'

/** `isNested` takes values that are no results for granted, as they are inside the results of a minion. */
export function statesSucceeded(running: Value, isNested = false): boolean {
  if (!(running instanceof Map) || running.size === 0) return false
  for (const [tag, result] of running) {
    const isShaped = tag === '__extend__' ? Array.isArray(result) : result instanceof Map
    if (!isNested && !isShaped) return false
    if (!(result instanceof Map)) continue
    const outcome = result.get('result')
    if (outcome === false) return false
    if (outcome === undefined && !statesSucceeded(result, true)) return false
  }
  return true
}
