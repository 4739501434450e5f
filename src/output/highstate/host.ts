// One minion's part of a state run: its name, its states in order, and the summary. Results other than states are shown
// too: text or a number of a remote function, or the list of errors of a failed compilation.
import {
  contains,
  type Dict,
  decodeData,
  indexError,
  isDict,
  isInt,
  isList,
  len,
  pformat,
  sorted,
  splitLines,
  str,
  textOf,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { attributeError, dictFor, getOr, need, type Screen, screenFlag } from '../outputter.ts'
import { stripEscapes } from '../text.ts'
import { milliseconds } from './duration.ts'
import { fullBlock, warningLine } from './full.ts'
import { formOf, isSilent, outputMode } from './modes.ts'
import { HostReport } from './report.ts'
import { summaryLines } from './summary.ts'
import { terseLine } from './terse.ts'

/** The display of nested runs. */
export interface Within {
  screen: Screen
  /** 1 for the run itself. */
  level: number
  /** Return whether a state has changes, and their text. */
  changesOf(state: Dict, level: number): [changed: boolean, text: string]
}

export function hostText(given: Value, data: Value, within: Within): [text: string, changed: boolean] {
  const { screen } = within
  const { colors } = screen
  const host = decodeData(given)
  const report = new HostReport(colors.GREEN)
  const strip = screenFlag(screen, 'strip_colors', true)
  const text = textOf(data)
  if (text !== undefined || typeof data === 'boolean' || isInt(data)) {
    for (const line of text === undefined ? [str(data)] : splitLines(text)) {
      report.lines.push(`${colors.GREEN}    ${line}${colors.ENDC}`)
    }
    report.changes = 1
    report.color = colors.CYAN
  } else if (isList(data)) {
    report.color = colors.LIGHT_RED
    compileErrors(data, report, strip, colors.ENDC)
  } else if (isDict(data)) {
    showStates(data, report, within)
    report.lines.push(...summaryLines(host, report, screen))
  }
  const name = textOf(host)
  const shown = name !== undefined && strip ? stripEscapes(name) : str(host)
  report.lines.unshift(`${report.color}${shown}:${colors.ENDC}`)
  return [report.lines.join('\n'), report.changes > 0]
}

function compileErrors(errors: Value[], report: HostReport, strip: boolean, end: string): void {
  const { color, lines } = report
  lines.push(`    ${color}Data failed to compile:${end}`)
  for (const error of errors) {
    const shown = strip ? cleaned(decodeData(error)) : str(error)
    lines.push(`${color}----------\n    ${shown}${end}`)
  }
}

function cleaned(value: Value): string {
  const text = textOf(value)
  return text === undefined ? str(value) : stripEscapes(text)
}

const NO_ORDER =
  'The State execution failed to record the order in which all states were executed. ' +
  'The state return missing data is:'

function showStates(data: Dict, report: HostReport, within: Within): void {
  const states: Dict = new Map()
  data.forEach((info, tag) => {
    if (!isDict(info)) return
    if (tag !== 'changes' && info.size > 0 && !info.has('__run_num__')) report.lines.unshift(NO_ORDER, pformat(info))
    if (info.has('result')) states.set(tag, info)
  })
  const runNumber = (tag: Value): Value => getOr(states.get(tag) as Dict, '__run_num__', 0)
  for (const tag of sorted(states, runNumber)) showState(tag, states.get(tag) as Dict, report, within)
}

function showState(tag: Value, state: Dict, report: HostReport, within: Within): void {
  const { screen } = within
  const result = need(state, 'result')
  const states = screenFlag(screen, 'state_compress_ids') ? compressedCount(tag) : 1
  report.add(result, states)
  const duration = milliseconds(getOr(state, 'duration', 0), screen.log)
  if (duration !== undefined) (state.has('__parallel__') ? report.parallel : report.serial).push(duration)

  const [changed, changes] = within.changesOf(state, within.level)
  if (changed) report.changes += states > 1 ? compressedChanges(state) : 1
  if (isSilent(state, changed, screen)) return

  const color = stateColor(result, changed, report, screen)
  const mode = outputMode(screen)
  const parts = nameParts(tag, mode.endsWith('_id'))
  const form = formOf(mode, state, changed, screen)
  if (form === 'terse') report.lines.push(terseLine(color, parts, state, screen))
  if (form !== 'full') return
  report.lines.push(fullBlock(color, parts, state, changes, screen))
  if (!state.has('warnings')) return
  report.add('warnings', 1)
  report.lines.push(warningLine(state, screen))
}

/** A failure, or a state that would change something, colours the minion's name too. */
function stateColor(result: Value, changed: boolean, report: HostReport, { colors }: Screen): string {
  if (result === false) return (report.color = colors.RED)
  if (result === null) return (report.color = colors.LIGHT_YELLOW)
  return changed ? colors.CYAN : colors.GREEN
}

/** Module, id, name and function. */
function nameParts(tag: Value, byId: boolean): string[] {
  const text = textOf(tag)
  if (text === undefined) throw attributeError(tag, 'split')
  const parts = text.split('_|-')
  if (!byId) return parts
  if (parts.length < 3) throw indexError('list index out of range')
  return parts.with(2, parts[1]!)
}

/** Return how many states a compressed state contains: the number in parentheses after its id. */
function compressedCount(tag: Value): number {
  if (!contains(tag, '_|-state_compressed_')) return 1
  const parts = nameParts(tag, false)
  if (parts.length !== 4)
    throw valueError(`${parts.length < 4 ? 'not enough' : 'too many'} values to unpack (expected 4)`)
  const count = /\((\d+)\)\n?$/.exec(parts[1]!)?.[1]
  return count === undefined ? 1 : Number(count)
}

function compressedChanges(state: Dict): number {
  const changes = need(state, 'changes')
  if (isOrchestration(state)) return 1
  return len(getOr(dictFor(changes, 'get'), 'compressed changes', new Map())) || 1
}

const ORCHESTRATIONS: ReadonlySet<string> = new Set(['state.orch', 'state.orchestrate', 'state.sls'])

/** Whether a state's changes are the result of another run. */
export function isOrchestration(state: Dict): boolean {
  const name = textOf(state.get('name') ?? null)
  return name !== undefined && ORCHESTRATIONS.has(name)
}
