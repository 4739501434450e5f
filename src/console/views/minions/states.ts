// The states of one return, worst first. Pure, so that it can be tested by itself.

export interface StateResult {
  key: string
  id: string
  /** The state function, such as `file.managed`. */
  function: string
  sls: string
  outcome: 'failed' | 'changed' | 'would change' | 'ok'
  comment: string
  changes: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const LONGEST = 1000

const ORDER = { failed: 0, changed: 1, 'would change': 2, ok: 3 }

function outcomeOf(result: unknown, changes: unknown): StateResult['outcome'] {
  if (result === false) return 'failed'
  if (result === null) return 'would change'
  return isObject(changes) && Object.keys(changes).length > 0 ? 'changed' : 'ok'
}

/** Return the states of a return; none where it is no result of states. */
export function statesOf(value: unknown): StateResult[] {
  if (!isObject(value)) return []
  const states = Object.entries(value).flatMap(([key, state]): Array<[run: number, result: StateResult]> => {
    if (!isObject(state) || !('result' in state)) return []
    const [module = '', id = '', , fun = ''] = key.split('_|-')
    const result: StateResult = {
      key,
      id: String(state['__id__'] ?? id),
      function: `${module}.${fun}`,
      sls: String(state['__sls__'] ?? ''),
      outcome: outcomeOf(state['result'], state['changes']),
      comment: String(state['comment'] ?? '').slice(0, LONGEST),
      changes: state['changes'],
    }
    return [[Number(state['__run_num__'] ?? 0), result]]
  })
  states.sort(([run, one], [other, two]) => ORDER[one.outcome] - ORDER[two.outcome] || run - other)
  return states.map(([, result]) => result)
}
