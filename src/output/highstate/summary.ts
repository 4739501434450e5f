// The counts behind a minion's states: succeeded, failed, percentages, warnings, total and run time.
import { fixedText, float, format, round, str, textLength, type Value } from '../../data/mod.ts'
import { type Screen, screenFlag } from '../outputter.ts'
import type { HostReport } from './report.ts'

const LONGEST_LABEL = 'Succeeded'.length

export function summaryLines(host: Value, report: HostReport, screen: Screen): string[] {
  const { colors } = screen
  const widest = Math.max(0, ...Array.from(report.counts.values(), (count) => str(count).length))
  const width = LONGEST_LABEL + widest + 2
  const rule = '-'.repeat(width)
  const paint = (color: string, text: string): string => color + text + colors.ENDC
  const counted = (label: string, count: Value): string => `${label}: ${format(count, `>${width - label.length - 2}`)}`
  const failed = report.count(false)
  const passed = report.count(true) + report.count(null)
  const failedColor = failed > 0 ? colors.RED : colors.CYAN

  const lines = [
    paint(colors.CYAN, `\nSummary for ${str(host)}\n${rule}`),
    paint(colors.GREEN, counted('Succeeded', passed)) + changeCounts(report, screen),
    paint(failedColor, counted('Failed', failed)),
  ]
  if (screenFlag(screen, 'state_output_pct') && report.total !== 0) {
    lines.push(paint(colors.GREEN, counted('Success %', percent(passed, report.total))))
    lines.push(paint(failedColor, counted('Failure %', percent(failed, report.total))))
  }
  const warnings = report.count('warnings')
  if (warnings > 0) lines.push(paint(colors.LIGHT_RED, counted('Warnings', warnings)))
  lines.push(paint(colors.CYAN, `${rule}\nTotal states run: ${format(report.total, `>${width - 7}`)}`))
  if (screenFlag(screen, 'state_output_profile')) lines.push(paint(colors.CYAN, runTime(report, width)))
  return lines
}

function changeCounts(report: HostReport, { colors }: Screen): string {
  const counts: string[] = []
  const unchanged = report.count(null)
  if (unchanged > 0) counts.push(`${colors.LIGHT_YELLOW}unchanged=${unchanged}${colors.ENDC}`)
  if (report.changes > 0) counts.push(`${colors.GREEN}changed=${report.changes}${colors.ENDC}`)
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`
}

function percent(part: number, whole: number): Value {
  return round(float((part / whole) * 100), 2)
}

/** Return the total run time; of parallel states only the longest counts. */
function runTime({ serial, parallel }: HostReport, width: number): string {
  let sum = serial.reduce((total, duration) => total + duration, 0)
  if (parallel.length > 0) sum += parallel.reduce((longest, duration) => Math.max(duration, longest))
  const long = sum > 999
  const text = fixedText(long ? sum / 1000 : sum, 3)
  return `Total run time: ${' '.repeat(Math.max(0, width - 5 - textLength(text)))}${text} ${long ? 's' : 'ms'}`
}
