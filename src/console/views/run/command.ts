// A command: a function with its arguments, and for minions a target. It is shown as the command line that does the same.
import { shellWord } from '../../format.ts'
import { parseValue, shellWords, valueText } from './values.ts'

export type Family = 'execution' | 'runner' | 'wheel'

export interface Command {
  family: Family
  function: string
  /** For functions of minions: an expression, or ids. */
  target?: string | readonly string[]
  targetType?: string
  args: readonly unknown[]
  kwargs: Readonly<Record<string, unknown>>
  batch?: string
  /** Names of keywords whose values must be masked. */
  secrets?: readonly string[]
}

/** Kinds of targets: the name, the option of `salt`, the letter in compound expressions and an example. */
export const TARGET_KINDS = {
  glob: { name: 'Glob of ids', option: '', letter: '', example: 'web*' },
  list: { name: 'List of ids', option: '-L', letter: 'L', example: 'web1,web2' },
  pcre: { name: 'Regular expression of ids', option: '-E', letter: 'E', example: 'web\\d+' },
  grain: { name: 'Grain', option: '-G', letter: 'G', example: 'os:Debian' },
  grain_pcre: { name: 'Grain, regular expression', option: '-P', letter: 'P', example: 'os:(Debian|Ubuntu)' },
  pillar: { name: 'Pillar', option: '-I', letter: 'I', example: 'role:db' },
  pillar_pcre: { name: 'Pillar, regular expression', option: '-J', letter: 'J', example: 'role:(db|web)' },
  pillar_exact: { name: 'Pillar, exact', option: '-I', letter: 'I', example: 'role:db' },
  ipcidr: { name: 'Address or network', option: '-S', letter: 'S', example: '10.0.0.0/8' },
  nodegroup: { name: 'Nodegroup', option: '-N', letter: 'N', example: 'webs' },
  compound: { name: 'Compound', option: '-C', letter: '', example: 'G@os:Debian and not db*' },
  range: { name: 'Range', option: '-R', letter: 'R', example: '%cluster' },
} as const

export type TargetKind = keyof typeof TARGET_KINDS

export const isTargetKind = (text: string): text is TargetKind => Object.hasOwn(TARGET_KINDS, text)

const KEYWORD = /^[^\d\W][\w.-]*=(?!=)/

/** A positional argument of the command line; a text that looks like a keyword is quoted for YAML. */
const positional = (value: unknown): string => {
  const text = valueText(value)
  return shellWord(KEYWORD.test(text) ? JSON.stringify(value) : text)
}

function targetWords({ target = '', targetType = 'glob' }: Command): string[] {
  const kind = typeof target === 'string' ? targetType : 'list'
  const { option } = isTargetKind(kind) ? TARGET_KINDS[kind] : TARGET_KINDS.glob
  const text = typeof target === 'string' ? target : target.join(',')
  // always quoted: a star must not meet the shell
  const word = shellWord(text)
  return [...(option === '' ? [] : [option]), word.startsWith("'") ? word : `'${word}'`]
}

const PROGRAMS: Readonly<Record<Family, readonly string[]>> = {
  execution: ['salt'],
  runner: ['salt-run'],
  wheel: ['pepper', '--client=wheel'],
}

/** Return the command line that is equivalent to a command. */
export function commandLine(command: Command): string {
  const { family, args, kwargs, batch, secrets = [] } = command
  const words = [...PROGRAMS[family]]
  if (family === 'execution') {
    if (batch) words.push('-b', batch)
    words.push(...targetWords(command))
  }
  words.push(command.function, ...args.map(positional))
  for (const [name, value] of Object.entries(kwargs))
    words.push(`${name}=${secrets.includes(name) ? "'…'" : shellWord(valueText(value))}`)
  return words.join(' ')
}

/** Parse a line such as `test.fib num=10`; the prefixes `runners.` and `wheel.` mean functions of the master. */
export function parseCommand(line: string): Pick<Command, 'family' | 'function' | 'args' | 'kwargs'> {
  const [name = '', ...rest] = shellWords(line)
  const family = name.startsWith('runners.') ? 'runner' : name.startsWith('wheel.') ? 'wheel' : 'execution'
  const args: unknown[] = []
  const kwargs: Record<string, unknown> = {}
  for (const word of rest) {
    const [keyword] = KEYWORD.exec(word) ?? []
    if (keyword === undefined) args.push(parseValue(word))
    else kwargs[keyword.slice(0, -1)] = parseValue(word.slice(keyword.length))
  }
  return { family, function: family === 'execution' ? name : name.slice(name.indexOf('.') + 1), args, kwargs }
}

/** A target as a part of a compound expression. */
export function compoundTerm(kind: TargetKind, text: string): string {
  const { letter } = TARGET_KINDS[kind]
  if (kind === 'compound') return /\s/.test(text) ? `( ${text} )` : text
  return letter === '' ? text : `${letter}@${text}`
}
