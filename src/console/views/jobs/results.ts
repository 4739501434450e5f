// Results of states in the return of a minion.

/** The sign of a result in a matrix: changed, failed, would change, not run, succeeded. */
export type Sign = 'c' | 'f' | 't' | 'k' | 's'

export const SIGN_NAMES: Readonly<Record<string, string>> = {
  f: 'failed',
  k: 'not run',
  c: 'changed',
  t: 'would change',
  s: 'no change',
  '.': 'no such state',
  '!': 'no result of states',
}

export const SIGN_TONES = { f: 'failed', k: 'quiet', c: 'changed', t: 'info', s: 'ok' } as const

/** Sort order by importance. */
const ORDER = 'fktcs'

export interface StateResult {
  key: string
  id: string
  name: string
  function: string
  sls: string
  sign: Sign
  comment: string
  changes: unknown
  /** Milliseconds. */
  duration: number
  order: number
}

type Mapping = Record<string, unknown>

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFull = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined && value !== null

function signOf({ result, changes, __state_ran__: ran }: Mapping): Sign {
  if (ran === false) return 'k'
  if (result === null) return 't'
  if (result === false) return 'f'
  return isFull(changes) ? 'c' : 's'
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

const commentOf = (value: unknown): string => (Array.isArray(value) ? value.map(text).join('\n') : text(value))

function resultOf(key: string, data: Mapping): StateResult {
  const [module = '', id = '', name = '', fun = ''] = key.split('_|-')
  const duration = Number.parseFloat(text(data['duration']))
  return {
    key,
    id: text(data['__id__']) || id,
    name: text(data['name']) || name,
    function: `${module}.${fun}`,
    sls: text(data['__sls__']),
    sign: signOf(data),
    comment: commentOf(data['comment']),
    changes: data['changes'],
    duration: Number.isFinite(duration) ? duration : 0,
    order: typeof data['__run_num__'] === 'number' ? data['__run_num__'] : Number.MAX_SAFE_INTEGER,
  }
}

/** Return the results of a return in the order of the run; undefined where the return is something else. */
export function statesOf(value: unknown): StateResult[] | undefined {
  if (!isMapping(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0) return undefined
  if (!entries.every(([key, data]) => key.split('_|-').length === 4 && isMapping(data))) return undefined
  return entries.map(([key, data]) => resultOf(key, data as Mapping)).sort((a, b) => a.order - b.order)
}

/** Put failures and changes first, else in the order of the run. */
export const changesFirst = (states: readonly StateResult[]): StateResult[] =>
  [...states].sort((a, b) => ORDER.indexOf(a.sign) - ORDER.indexOf(b.sign) || a.order - b.order)

/** Find the state that a column of a matrix means; its name may differ between minions. */
export function findState(
  states: readonly StateResult[],
  wanted: { key: string; id: string; function: string },
): StateResult | undefined {
  const byKey = states.find(({ key }) => key === wanted.key)
  if (byKey) return byKey
  const same = states.filter((each) => each.id === wanted.id && each.function === wanted.function)
  return same.length === 1 ? same[0] : undefined
}
