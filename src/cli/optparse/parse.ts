// Reads a command line as Python's optparse does: options and arguments may be mixed, `--name=value`, `--name value`,
// `-nvalue`, `-abc` for flags, unambiguous beginnings of long names, `--` ends options; the same complaints.
import { float, floatFromText, fromPlain, intFromText, PyError, quote, type Value } from '../../data/mod.ts'
import { ProgramExit, UsageError } from './exit.ts'
import { helpText } from './help.ts'
import { allOptions, type CliOption, destOf, type Program, takesValue } from './option.ts'

export interface Parsed {
  /** By destination; options that are not given have their default. */
  readonly values: Map<string, Value>
  /** Destinations that the command line named. */
  readonly given: Set<string>
  readonly args: string[]
}

export function parseCommandLine(program: Program, argv: readonly string[], version: string): Parsed {
  return new CommandLine(program, version).read(argv)
}

class CommandLine {
  private readonly program: Program
  private readonly version: string
  private readonly byFlag = new Map<string, CliOption>()
  private readonly parsed: Parsed = { values: new Map(), given: new Set(), args: [] }
  private rest: string[] = []

  constructor(program: Program, version: string) {
    this.program = program
    this.version = version
    for (const option of allOptions(program)) {
      for (const flag of option.flags) this.byFlag.set(flag, option)
      if (option.action === 'help' || option.action === 'version') continue
      this.parsed.values.set(destOf(option), option.default === undefined ? null : fromPlain(option.default))
    }
  }

  read(argv: readonly string[]): Parsed {
    this.rest = [...argv]
    for (let word = this.rest.shift(); word !== undefined; word = this.rest.shift()) {
      if (word === '--') {
        this.parsed.args.push(...this.rest)
        break
      }
      if (word.startsWith('--')) this.readLong(word)
      else if (word.startsWith('-') && word.length > 1) this.readShort(word)
      else this.parsed.args.push(word)
    }
    return this.parsed
  }

  private readLong(word: string): void {
    const equals = word.indexOf('=')
    const flag = this.complete(equals < 0 ? word : word.slice(0, equals))
    const option = this.byFlag.get(flag)!
    if (equals >= 0) {
      if (!takesValue(option)) throw new UsageError(`${flag} option does not take a value`)
      this.rest.unshift(word.slice(equals + 1))
    }
    this.apply(option, flag)
  }

  private complete(typed: string): string {
    if (this.byFlag.has(typed)) return typed
    const candidates = [...this.byFlag.keys()].filter((flag) => flag.startsWith(typed))
    if (candidates.length === 1) return candidates[0]!
    if (candidates.length === 0) throw new UsageError(`no such option: ${typed}`)
    throw new UsageError(`ambiguous option: ${typed} (${candidates.sort().join(', ')}?)`)
  }

  private readShort(word: string): void {
    for (let i = 1; i < word.length; i++) {
      const flag = `-${word[i]}`
      const option = this.byFlag.get(flag)
      if (option === undefined) throw new UsageError(`no such option: ${flag}`)
      if (!takesValue(option)) this.apply(option, flag)
      else {
        if (i + 1 < word.length) this.rest.unshift(word.slice(i + 1))
        this.apply(option, flag)
        return
      }
    }
  }

  private apply(option: CliOption, flag: string): void {
    const dest = destOf(option)
    const { values, given } = this.parsed
    switch (option.action ?? 'store') {
      case 'help':
        throw new ProgramExit(0, { stdout: helpText(this.program) })
      case 'version':
        throw new ProgramExit(0, { stdout: `${this.program.name} ${this.version}\n` })
      case 'store_true':
        values.set(dest, true)
        break
      case 'store_false':
        values.set(dest, false)
        break
      case 'append': {
        const before = values.get(dest) ?? null
        values.set(dest, [...(Array.isArray(before) ? before : []), this.take(option, flag)])
        break
      }
      default:
        values.set(dest, this.take(option, flag))
    }
    given.add(dest)
  }

  private take(option: CliOption, flag: string): Value {
    const { nargs = 1 } = option
    if (this.rest.length < nargs) {
      throw new UsageError(`${flag} option requires ${nargs} argument${nargs === 1 ? '' : 's'}`)
    }
    const words = this.rest.splice(0, nargs).map((word) => convert(option, flag, word))
    return nargs === 1 ? words[0]! : words
  }
}

function convert(option: CliOption, flag: string, word: string): Value {
  const { type, choices, action } = option
  if (choices !== undefined && !choices.includes(word)) {
    const list = choices.map((choice) => `'${choice}'`).join(', ')
    throw new UsageError(`option ${flag}: invalid choice: ${quote(word)} (choose from ${list})`)
  }
  if (type === undefined) return action === 'file' && !word.includes('/') ? `./${word}` : word
  try {
    return type === 'int' ? wholeNumber(word) : float(floatFromText(word))
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    const kind = type === 'int' ? 'integer' : 'floating-point'
    throw new UsageError(`option ${flag}: invalid ${kind} value: ${quote(word)}`)
  }
}

/** Parse an integer as in Python 2: `0x`, `0b` and a leading zero select the base. */
function wholeNumber(word: string): Value {
  const prefix = word.slice(0, 2).toLowerCase()
  if (prefix === '0x') return intFromText(word, 16)
  if (prefix === '0b') return intFromText(word.slice(2) || '0', 2)
  return intFromText(word, word.startsWith('0') ? 8 : 10)
}
