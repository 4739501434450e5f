// A state as a block of lines: id, function, name, result, comment, times, changes and warnings.
import { type Dict, equals, indexError, isDict, isList, str, strip, textOf } from '../../data/mod.ts'
import { flag, need, type Screen } from '../outputter.ts'
import { filledWarnings } from './warnings.ts'

const INDENT = ' '.repeat(14)

/**
 * The lines of one state. The state is made complete on the way, as in Salt: if a later state cannot be shown,
 * this one appears as nested data with `duration: 1.5 ms`.
 */
export function fullLines(
  color: string,
  parts: readonly string[],
  state: Dict,
  changes: string,
  screen: Screen,
): string[] {
  const [module, id, name, fun] = parts
  const end = screen.colors.ENDC
  const timed = flag(screen, 'state_output_profile') && state.has('start_time')
  const line = (text: string): string => `    ${color}${text}${end}`
  if (name === undefined) throw indexError('list index out of range')
  const comment = commentOf(state)
  completeTimes(state)
  // a missing comment counts before a missing function: it only makes the data be shown as nested
  if (fun === undefined) throw indexError('list index out of range')
  const lines = [`${color}----------${end}`, line(`      ID: ${id}`), line(`Function: ${module}.${fun}`)]
  if (id !== name) lines.push(line(`    Name: ${name}`))
  lines.push(line(`  Result: ${str(need(state, 'result'))}`), line(` Comment: ${comment}`))
  if (timed) {
    lines.push(line(` Started: ${str(need(state, 'start_time'))}`), line(`Duration: ${str(need(state, 'duration'))}`))
  }
  lines.push(`${color}     Changes:   ${changes}${end}`)
  return lines
}

export function warningLine(state: Dict, { colors }: Screen): string {
  return `   ${colors.LIGHT_RED} Warnings: ${filledWarnings(need(state, 'warnings'))}${colors.ENDC}`
}

function commentOf(state: Dict): string {
  const given = need(state, 'comment')
  const text = textOf(given) ?? str(given)
  state.set('comment', text)
  return strip(text).replaceAll('\n', `\n${INDENT}`) + extraData(state)
}

/** What a state gives as `data` stands behind its comment. */
function extraData(state: Dict): string {
  const data = state.get('data')
  if (data === undefined) return ''
  if (isList(data)) return data.map((item) => ` ${str(item)}`).join('')
  if (isDict(data)) return [...data].map(([key, value]) => `\n\t\t${str(key)}: ${str(value)}`).join('')
  return ` ${str(data)}`
}

function completeTimes(state: Dict): void {
  for (const detail of ['start_time', 'duration']) if (!state.has(detail)) state.set(detail, '')
  const duration = state.get('duration')!
  if (!equals(duration, '')) state.set('duration', `${str(duration)} ms`)
}
