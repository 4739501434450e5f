// Whether results of states are all successful, judged from the data only. Salt calls this for a whole run, for the
// merged runs of many minions, and for the result of any function.
import type { Value } from './value.ts'

/** `isNested`: ignore values that are no state results, as inside the results of a minion. */
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
