// The meaning of the command lines of Salt's programs: target, function and arguments, and errors that concern several
// options.

import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { lookup } from '../base/mod.ts'
import { numberOf, str, truthy, type Value } from '../data/mod.ts'
import { parseInput, publishedArguments } from '../sdk/mod.ts'
import { ProgramExit, UsageError } from './optparse/exit.ts'
import { helpText, usageText } from './optparse/help.ts'
import { type CliOption, destOf, type Program } from './optparse/option.ts'
import { type Parsed, parseCommandLine } from './optparse/parse.ts'

export interface CommandLine extends Parsed {
  /** The parsed words: `tgt`, `fun`, `arg` and the like. */
  readonly meaning: Map<string, Value>
}

type Reader = (program: Program, line: CommandLine) => void

const READERS: Readonly<Record<string, Reader>> = lookup({
  salt: readSalt,
  'salt-call': readCall,
  'salt-run': readRun,
  'salt-cp': readCopy,
  'salt-key': readKey,
  'salt-ssh': readSsh,
  'salt-proxy': readProxy,
  'salt-cloud': readCloud,
  spm: readSpm,
})

/** Parse a command line. Throw a UsageError, or a ProgramExit with text and status. */
export function readCommandLine(
  program: Program,
  argv: readonly string[],
  { version, stdin }: { version: string; stdin?: () => string },
): CommandLine {
  const parsed = parseCommandLine(program, argv, version)
  if (parsed.values.get('args_stdin') === true && stdin) addFromStdin(program, parsed, stdin(), version)
  const line: CommandLine = { ...parsed, meaning: new Map() }
  // the report needs no sense in the rest
  if (parsed.values.get('versions_report') === true) return line
  settleValues(line)
  refuseTwo(program, line, 'Target Options', (_, value) => value === true)
  refuseTwo(program, line, 'Output Options', (dest, value) => dest === 'output' && truthy(value))
  selectTarget(program, line)
  READERS[program.name]?.(program, line)
  return line
}

/** Return the text for a usage error; the program then exits with 64. */
export function usageComplaint(program: Program, error: UsageError): string {
  return `${usageText(program)}\n${program.name}: error: ${error.message}\n`
}

/** Add words from standard input, one per line; options among them override earlier ones. */
function addFromStdin(program: Program, parsed: Parsed, text: string, version: string): void {
  const words = text.split('\n').map((word) => word.replace(/\r+$/, ''))
  if (words.at(-1) === '') words.pop()
  const more = parseCommandLine(program, words, version)
  for (const dest of more.given) {
    parsed.values.set(dest, more.values.get(dest)!)
    parsed.given.add(dest)
  }
  parsed.args.push(...more.args)
}

function settleValues({ values }: CommandLine): void {
  const verbose = values.get('state_verbose')
  if (verbose === 'True' || verbose === 'true') values.set('state_verbose', true)
  else if (verbose === 'False' || verbose === 'false') values.set('state_verbose', false)
  const noParse = values.get('no_parse')
  if (noParse !== undefined) {
    const text = noParse === null ? '' : str(noParse)
    values.set('no_parse', text === '' ? [] : text.split(',').map((name) => name.trim()))
  }
  const jid = values.get('jid') ?? null
  if (jid !== null && !/^\d{20}(_\d+)?$/.test(str(jid))) throw new UsageError(`'${str(jid)}' is not a valid JID`)
}

function optionsOf(program: Program, title: string): readonly CliOption[] {
  return program.groups.find((group) => group.title === title)?.options ?? []
}

function refuseTwo(
  program: Program,
  { values }: CommandLine,
  title: string,
  isChosen: (dest: string, value: Value) => boolean,
): void {
  const chosen = optionsOf(program, title).filter((option) => isChosen(destOf(option), values.get(destOf(option))!))
  if (chosen.length < 2) return
  const names = chosen.map((option) => option.flags.find((flag) => flag.startsWith('--')) ?? option.flags[0])
  throw new UsageError(`The options ${names.join('/')} are mutually exclusive. Please only choose one of them`)
}

/** Queries and listings answer one question each. */
function readCloud(program: Program, line: CommandLine): void {
  for (const title of ['Query Options', 'Cloud Providers Listings']) {
    refuseTwo(program, line, title, (_, value) => truthy(value))
  }
}

function selectTarget(program: Program, { values, meaning }: CommandLine): void {
  const options = optionsOf(program, 'Target Options')
  if (options.length === 0) return
  const chosen = options.map(destOf).find((dest) => truthy(values.get(dest) ?? null)) ?? null
  meaning.set('selected_target_option', chosen === 'pillar_target' ? 'pillar' : chosen)
}

/** Salt's `salt` exits with 42 where it misses words, after its whole help. */
function incomplete(help: string, text: string): ProgramExit {
  return new ProgramExit(42, { stdout: help, stderr: `\n${text}\n\n` })
}

function readSalt(program: Program, { values, args, meaning }: CommandLine): void {
  const flag = (name: string): boolean => truthy(values.get(name) ?? null)
  const help = args.length <= 1 && !flag('doc') && !flag('preview_target') ? helpText(program) : ''
  if (flag('preview_target')) args.push('not_a_valid_command')
  if (flag('doc')) addDocFunction(args)
  const [target, fun, ...rest] = args
  if (target === undefined) throw incomplete(help, 'Cannot execute command without defining a target.')
  meaning.set('tgt', flag('list') ? targetList(target, true) : target)
  if (fun === undefined) throw incomplete(help, 'Incomplete options passed.')
  const noParse = new Set((values.get('no_parse') as Value[]).map(str))
  const published = (words: string[]): Value[] => publishedArguments(parseInput(words, noParse))
  if (!fun.includes(',')) {
    meaning.set('fun', fun)
    meaning.set('arg', published(rest))
    return
  }
  const functions = fun.split(',')
  meaning.set('fun', functions)
  meaning.set('arg', shareOut(rest, functions.length, str(values.get('args_separator')!)).map(published))
}

function addDocFunction(args: string[]): void {
  if (args.length === 0) args.push('*')
  if (args[1] !== 'sys.doc') args.splice(1, 0, 'sys.doc')
  if (args.length > 3) throw new UsageError('You can only get documentation for one method at one time.')
}

function targetList(text: string, anyBlanks: boolean): string[] {
  if (text.includes(',')) return (anyBlanks ? text.replaceAll(' ', '') : text).split(',')
  return text.split(/\s+/).filter((name) => name !== '')
}

/** Split the arguments of several functions at a separator, which is a separate word or, if necessary, inside words. */
function shareOut(words: readonly string[], functions: number, separator: string): string[][] {
  const shares: string[][] = [[]]
  const standsAlone = words.filter((word) => word === separator).length === functions - 1
  for (const word of words) {
    const parts = standsAlone ? (word === separator ? ['', ''] : [word]) : word.split(separator)
    for (const [index, part] of parts.entries()) {
      if (index > 0) shares.push([])
      // an empty word is an argument, an empty part of one is none
      if (part !== '' || parts.length === 1) shares.at(-1)!.push(part)
    }
  }
  if (standsAlone || shares.length === functions) return shares
  const what = functions > shares.length ? 'without defining all arguments' : 'with more arguments than commands'
  throw new ProgramExit(42, { stderr: `Cannot execute compound command ${what}.\n` })
}

function readCall(program: Program, { values, args, meaning }: CommandLine): void {
  if (args.length === 0) {
    if (values.get('grains_run') || values.get('doc')) return
    throw insufficient(program, 'Requires function, --grains or --doc')
  }
  if (values.get('grains_run')) throw new UsageError('-g/--grains does not accept any arguments')
  if (values.get('doc') && args.length > 1) {
    throw new UsageError('You can only get documentation for one method at one time')
  }
  meaning.set('fun', args[0]!)
  meaning.set('arg', args.slice(1))
}

function readRun(_program: Program, { values, args, meaning }: CommandLine): void {
  if (values.get('doc') && args.length > 1) {
    throw new UsageError('You can only get documentation for one method at one time')
  }
  meaning.set('fun', args[0] ?? '')
  meaning.set('arg', args.slice(1))
}

function readCopy(program: Program, { values, args, meaning }: CommandLine): void {
  if (args.length <= 1) throw insufficient(program, 'Insufficient arguments')
  meaning.set('tgt', values.get('list') ? targetList(args[0]!, false) : args[0]!)
  meaning.set('src', args.slice(1, -1).map(realPath))
  meaning.set('dest', args.at(-1)!)
}

function readSsh(program: Program, { values, args, meaning }: CommandLine): void {
  const isListing = values.get('list_hosts') === true
  const [target, ...words] = args
  if (!isListing && (!target || words.length === 0)) throw insufficient(program, 'Insufficient arguments')
  if (values.get('regen_thin') === true && values.get('relenv') === true) {
    throw new UsageError('--thin and --relenv are mutually exclusive')
  }
  if (target !== undefined) meaning.set('tgt', values.get('list') ? targetList(target, false) : target)
  meaning.set('argv', words)
}

function readProxy(_program: Program, { values }: CommandLine): void {
  if (!truthy(values.get('proxyid') ?? null)) throw new UsageError('salt-proxy requires --proxyid')
}

function readSpm(program: Program, { args, meaning }: CommandLine): void {
  if (args.length <= 1 && args[0] !== 'update_repo') throw insufficient(program, 'Insufficient arguments')
  meaning.set('fun', args[0]!)
  meaning.set('arg', args.slice(1))
}

const KEY_LISTS = ['acc', 'pre', 'un', 'rej', 'den', 'all']

function readKey(_program: Program, { values }: CommandLine): void {
  const list = str(values.get('list') ?? '')
  if (list !== '' && !KEY_LISTS.some((start) => list.startsWith(start))) {
    throw new UsageError(`'${list}' is not a valid argument to '--list'`)
  }
  const size = Number(numberOf(values.get('keysize') ?? 2048))
  if (size < 2048) throw new UsageError('The minimum value for keysize is 2048')
  if (size > 32768) throw new UsageError('The maximum value for keysize is 32768')
  for (const name of ['rotate_aes_key', 'preserve_minions']) {
    const text = values.get(name)
    if (typeof text === 'string' && /^(true|false)$/i.test(text)) values.set(name, text.toLowerCase() === 'true')
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // a missing file is reported when it is copied
    return resolve(path)
  }
}

/** The whole help, then the complaint. */
function insufficient(program: Program, text: string): ProgramExit {
  return new ProgramExit(64, { stdout: helpText(program), stderr: usageComplaint(program, new UsageError(text)) })
}
