// Checks and normalizes the result of a state: a dict with name, result, changes and comment; a comment is text, a
// result is True, False or None.
import { type Dict, decodeBytes, str, truthy, type Value } from '../../data/mod.ts'
import { resultDict } from './surroundings.ts'

const REQUIRED = ['name', 'result', 'changes', 'comment']

export function unify(result: Value): Dict {
  const subStates = result instanceof Map ? result.get('sub_state_run') : undefined
  const checked = regular(result)
  if (Array.isArray(subStates) && subStates.length > 0) checked.set('sub_state_run', subStates.map(regular))
  return checked
}

function regular(result: Value): Dict {
  const fault = faultOf(result)
  const dict =
    fault === undefined
      ? (result as Dict)
      : resultDict([
          ['result', false],
          ['name', 'later'],
          ['changes', new Map()],
          ['comment', `An exception occurred in this state: ${fault}`],
        ])
  const comment = dict.get('comment')
  if (Array.isArray(comment)) dict.set('comment', comment.map(line).join('\n'))
  const outcome = dict.get('result')
  if (outcome !== undefined && outcome !== null) dict.set('result', truthy(outcome))
  return dict
}

function faultOf(result: Value): string | undefined {
  if (!(result instanceof Map)) return 'Malformed state return. Data must be a dictionary type.'
  if (!(result.get('changes') instanceof Map)) return "'Changes' should be a dictionary."
  const missing = REQUIRED.filter((key) => !result.has(key))
  if (missing.length > 0) return `The following keys were not present in the state return: ${missing.join(', ')}.`
  const subStates = result.get('sub_state_run')
  for (const subState of Array.isArray(subStates) ? subStates : []) {
    const fault = faultOf(subState)
    if (fault !== undefined) return fault
  }
  return undefined
}

const line = (part: Value): string => (part instanceof Uint8Array ? decodeBytes(part) : str(part))
