// The text of `--help`, laid out as Python's optparse does: usage, description, options in two columns, groups indented
// under their titles, and where to read more.
import { strip, wrapText } from '../../data/mod.ts'
import { type CliOption, destOf, type OptionGroup, type Program, takesValue } from './option.ts'

const HELP_COLUMN = 24

/** Return the width of help texts: as in Python, the terminal width minus two. */
function width(): number {
  const columns = Number(process.env['COLUMNS']) || process.stdout.columns || 80
  return Math.max(columns - 2, 13)
}

export function usageText(program: Program): string {
  return `Usage: ${program.name} ${program.usage}\n`
}

export function helpText(program: Program): string {
  const column = helpColumn(program)
  const sections = [
    usageText(program),
    ...(program.description === undefined ? [] : [fill(program.description, 0)]),
    `Options:\n${optionLines(program.options, 2, column)}`,
    ...program.groups.map((group) => groupText(group, column)),
    fill(`Read more with "man ${program.name.split(' ')[0]}", or on https://docs.saltproject.io`, 0),
  ]
  return sections.join('\n')
}

/** Help begins after the longest option, but not beyond a fixed column. */
function helpColumn(program: Program): number {
  const lengths = [
    ...program.options.map((option) => flagsText(option).length + 2),
    ...program.groups.flatMap((group) => group.options.map((option) => flagsText(option).length + 4)),
  ]
  return Math.min(Math.max(...lengths) + 2, HELP_COLUMN)
}

function groupText(group: OptionGroup, column: number): string {
  const description = group.description === undefined ? '' : `${fill(group.description, 4)}\n`
  return `  ${group.title}:\n${description}${optionLines(group.options, 4, column)}`
}

function optionLines(options: readonly CliOption[], indent: number, column: number): string {
  return options.map((option) => optionText(option, indent, column)).join('')
}

function optionText(option: CliOption, indent: number, column: number): string {
  const flags = flagsText(option)
  const left = ' '.repeat(indent) + flags
  const room = column - indent - 2
  const lines = wrap(option.help, Math.max(width() - column, 11))
  const first = flags.length > room ? `${left}\n${' '.repeat(column)}` : `${left.padEnd(indent + room)}  `
  return `${first}${lines.join(`\n${' '.repeat(column)}`)}\n`
}

function flagsText(option: CliOption): string {
  if (!takesValue(option)) return option.flags.join(', ')
  const value = option.metavar ?? destOf(option).toUpperCase()
  return option.flags.map((flag) => (flag.startsWith('--') ? `${flag}=${value}` : `${flag} ${value}`)).join(', ')
}

function wrap(text: string, columns: number): string[] {
  return wrapText(strip(text), { width: columns, breakLongWords: true, breakOnHyphens: true })
}

function fill(text: string, indent: number): string {
  const margin = ' '.repeat(indent)
  return `${wrap(text, Math.max(width() - indent, 11))
    .map((line) => margin + line)
    .join('\n')}\n`
}
