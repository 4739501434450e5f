// The form in which a state is shown: `state_output` and its modifiers `state_verbose`, `state_output_diff` and the
// filters.
import { contains, type Dict, isDict, iterate, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { attributeError, getOr, need, type Screen, screenFlag } from '../outputter.ts'

export type StateForm = 'full' | 'terse' | 'hidden'

/** States that went well and changed nothing may be left out altogether. */
export function isSilent(state: Dict, changed: boolean, screen: Screen): boolean {
  if (changed || !truthy(need(state, 'result'))) return false
  return screenFlag(screen, 'state_output_diff') || !screenFlag(screen, 'state_verbose')
}

export function outputMode({ opts }: Screen): string {
  const mode = getOr(opts, 'state_output', 'full')
  const text = textOf(mode)
  if (text === undefined) throw attributeError(mode, 'lower')
  return text.toLowerCase()
}

export function formOf(mode: string, state: Dict, changed: boolean, screen: Screen): StateForm {
  const result = need(state, 'result')
  if (mode.startsWith('filter')) return filtered(str(result), screen)
  const terse =
    mode.startsWith('terse') ||
    (mode.startsWith('mixed') && result !== false) ||
    (mode.startsWith('changes') && truthy(result) && !changed)
  return terse ? 'terse' : 'full'
}

/**
 * Return the form by the filters. `exclude=` and `terse=` on the command line override the options; both list results
 * such as `True`.
 */
function filtered(result: string, { opts }: Screen): StateForm {
  let kwargs: ReadonlyMap<Value, Value> = new Map()
  for (const item of iterate(getOr(opts, 'arg', []))) {
    if (isDict(item) && item.has('__kwarg__')) kwargs = item
  }
  const exclude = listed(getOr(kwargs, 'exclude', getOr(opts, 'state_output_exclude', [])))
  const terse = listed(getOr(kwargs, 'terse', getOr(opts, 'state_output_terse', [])))
  if (contains(terse, result)) return 'terse'
  return contains(exclude, result) ? 'hidden' : 'full'
}

function listed(results: Value): Value {
  return textOf(results)?.split(',') ?? results
}
