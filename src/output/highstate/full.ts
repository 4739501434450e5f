// A state as a block of lines: id, function, name, result, comment, times, changes and warnings.
import { type Dict, equals, indexError, isDict, isList, str, strip, textOf } from '../../data/mod.ts'
import { need, type Screen, screenFlag } from '../outputter.ts'
import { filledWarnings } from './warnings.ts'

const INDENT = ' '.repeat(14)

/**
 * The block of one state. The state is made complete on the way, as in Salt: if a later state cannot be shown,
 * this one appears as nested data with `duration: 1.5 ms`.
 */
export function fullBlock(
  color: string,
  parts: readonly string[],
  state: Dict,
  changes: string,
  screen: Screen,
): string {
  const id = parts[1]
  const name = parts[2]
  const fun = parts[3]
  const end = screen.colors.ENDC
  const timed = screenFlag(screen, 'state_output_profile') && state.has('start_time')
  const line = (text: string): string => `    ${color}${text}${end}\n`
  if (name === undefined) throw indexError('list index out of range')
  const comment = commentOf(state)
  completeTimes(state)
  // a missing comment counts before a missing function: it only makes the data be shown as nested
  if (fun === undefined) throw indexError('list index out of range')
  let block = `${color}----------${end}\n${line(`      ID: ${id}`)}${line(`Function: ${parts[0]}.${fun}`)}`
  if (id !== name) block += line(`    Name: ${name}`)
  block += line(`  Result: ${str(need(state, 'result'))}`) + line(` Comment: ${comment}`)
  if (timed) {
    block += line(` Started: ${str(need(state, 'start_time'))}`) + line(`Duration: ${str(need(state, 'duration'))}`)
  }
  return `${block}${color}     Changes:   ${changes}${end}`
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

/** The `data` of a state follows its comment. */
function extraData(state: Dict): string {
  const data = state.get('data')
  if (data === undefined) return ''
  if (isList(data)) return data.map((item) => ` ${str(item)}`).join('')
  if (isDict(data)) return [...data].map(([key, value]) => `\n\t\t${str(key)}: ${str(value)}`).join('')
  return ` ${str(data)}`
}

function completeTimes(state: Dict): void {
  if (!state.has('start_time')) state.set('start_time', '')
  if (!state.has('duration')) state.set('duration', '')
  const duration = state.get('duration')!
  if (!equals(duration, '')) state.set('duration', `${str(duration)} ms`)
}
