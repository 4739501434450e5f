// Section 1: a page for each program, from the declaration of its command line.
import { BRINE_COMMANDS, type CliOption, destOf, type Program, takesValue } from '../../src/cli/mod.ts'
import { bold, entry, italic, page, prose, roff, type Source, section, seeAlso, subsection } from './roff.ts'

type Page = readonly [name: string, section: number]

const FILES: Readonly<Record<string, readonly string[]>> = {
  master: ['/etc/salt/master', '/etc/salt/master.d/*.conf'],
  minion: ['/etc/salt/minion', '/etc/salt/minion.d/*.conf'],
}

/** Programs that read the configuration of a minion; the others read that of the master. */
const OF_MINION: ReadonlySet<string> = new Set(['salt-minion', 'salt-call', 'salt-pip'])

function flagsText(option: CliOption): string {
  if (!takesValue(option)) return option.flags.map(bold).join(', ')
  const value = italic(option.metavar ?? destOf(option).toUpperCase())
  return option.flags.map((flag) => bold(flag) + (flag.startsWith('--') ? '=' : ' ') + value).join(', ')
}

function defaultText({ default: value, choices }: CliOption): string {
  const parts: string[] = []
  if (choices) parts.push(`One of: ${choices.join(', ')}.`)
  if ((typeof value === 'string' && value !== '') || (typeof value === 'number' && value !== 0)) {
    parts.push(`Default: ${value}.`)
  }
  return parts.length === 0 ? '' : ` ${parts.join(' ')}`
}

const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')

const optionEntry = (option: CliOption): string =>
  entry(flagsText(option), prose(sentence(option.help) + defaultText(option)))

function optionsText(program: Program): string[] {
  if (program.options.length === 0 && program.groups.length === 0) return []
  const parts = [section('Options'), ...program.options.map(optionEntry)]
  for (const { title, description, options } of program.groups) {
    parts.push(subsection(title), ...(description ? [prose(description)] : []), ...options.map(optionEntry))
  }
  return parts
}

function exitText(...more: readonly (readonly [number, string])[]): string[] {
  const rows = [
    [0, 'The program did what it was asked.'] as const,
    ...more,
    [64, 'The command line makes no sense.'] as const,
  ]
  return [
    section('Exit status'),
    ...rows.map(([status, text]) => entry(bold(String(status)), roff(text))),
    '.PP',
    'Any other status is a failure, which the program describes on its error stream.',
  ]
}

const meaningOf = ({ description = '' }: Program): string =>
  (description.charAt(0).toLowerCase() + description.slice(1)).replace(/\s+/g, ' ').replace(/\.$/, '')

/** `usage` is Salt's: literal parts cannot be recognised, so all of it is plain. */
const synopsis = (name: string, usage: string): string[] => [section('Synopsis'), `${bold(name)} ${roff(usage)}`]

export function programPage(program: Program, source: Source, all: readonly Page[]): string {
  const { name, usage, description = '' } = program
  const role = OF_MINION.has(name) ? 'minion' : 'master'
  const others = all.filter(([other, number]) => number === 1 && other !== name)
  return page({ name, section: 1, meaning: shortened(meaningOf(program)) }, source, [
    ...synopsis(name, usage),
    section('Description'),
    prose(description),
    ...optionsText(program),
    ...exitText(),
    section('Environment'),
    entry(bold('SALT_CONFIG_DIR'), 'The directory of the configuration, unless the command line names one.'),
    section('Files'),
    ...FILES[role]!.map((file) => entry(italic(file), `The configuration of the ${role}.`)),
    seeAlso([[`salt-${role}`, 5], ['brine', 7], ...others]),
  ])
}

const shortened = (text: string): string => text.split(/[,(]/)[0]!.trim()

/** Return the page of a program that only says that it is not there yet. */
export function absentPage(name: string, text: string, source: Source): string {
  return page({ name, section: 1, meaning: 'a program of Salt that Brine does not have' }, source, [
    ...synopsis(name, '[-h] [-V] [--version]'),
    section('Description'),
    prose(text),
    ...exitText([69, 'The program cannot do what it was asked.']),
    seeAlso([['brine', 7]]),
  ])
}

/** Return the page of `brine`: its commands, each with its options. */
export async function brinePage(source: Source, all: readonly Page[]): Promise<string> {
  const commands: string[] = []
  for (const { name, words, help, load } of BRINE_COMMANDS) {
    commands.push(subsection(`brine ${name} ${words}`.trimEnd()), prose(sentence(help)))
    const { PROGRAM } = await load()
    if (!PROGRAM) continue
    if (PROGRAM.description) commands.push('.PP', prose(PROGRAM.description))
    commands.push(...[...PROGRAM.options, ...PROGRAM.groups.flatMap(({ options }) => options)].map(optionEntry))
  }
  return page({ name: 'brine', section: 1, meaning: "commands beyond Salt's own" }, source, [
    ...synopsis('brine', '<command> [options]'),
    section('Commands'),
    ...commands,
    section('Options'),
    entry(`${bold('-h')}, ${bold('--help')}`, 'Print the help of brine, or that of the command before it.'),
    entry(bold('--version'), 'Print the version.'),
    entry(`${bold('-V')}, ${bold('--versions-report')}`, 'Print the versions of Brine, Node, libraries and system.'),
    ...exitText(),
    seeAlso([['brine', 7], ...all.filter(([name, number]) => number === 1 && name !== 'brine')]),
  ])
}
