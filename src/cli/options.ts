// Command-line options declared as a table, read as Python's optparse reads them: options and arguments may be mixed,
// `--name=value`, `--name value`, `-nvalue`, `-abc` for flags, unambiguous beginnings of long names, `--` ends options.

export interface Option {
  /** `-o` and `--option` spellings; the first long one names the value. */
  readonly flags: readonly string[]
  readonly help: string
  /** The placeholder of the value in the help; without one the option is a flag. */
  readonly value?: string
  readonly choices?: readonly string[]
}

export interface Parsed {
  /** By long name without dashes; a flag holds true. The last of a repeated option wins. */
  readonly values: ReadonlyMap<string, string | true>
  readonly args: readonly string[]
}

/** The command line makes no sense; programs print it with the usage and exit with EX_USAGE. */
export class UsageError extends Error {}

export const EX_USAGE = 64

export function parseOptions(options: readonly Option[], argv: readonly string[]): Parsed {
  const values = new Map<string, string | true>()
  const args: string[] = []
  const rest = [...argv]
  const store = (option: Option, spelled: string, attached: string | undefined): void => {
    values.set(
      nameOf(option),
      option.value === undefined ? noValue(spelled, attached) : take(option, spelled, attached),
    )
  }
  const take = (option: Option, spelled: string, attached: string | undefined): string => {
    const value = attached ?? rest.shift()
    if (value === undefined) throw new UsageError(`${spelled} option requires 1 argument`)
    return checkChoice(option, spelled, value)
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      args.push(...rest)
      break
    }
    if (word.startsWith('--')) {
      const { option, spelled, attached } = readLong(options, word)
      store(option, spelled, attached)
    } else if (word.startsWith('-') && word.length > 1) readShort(options, word, store)
    else args.push(word)
  }
  return { values, args }
}

/** The name a value is kept under. */
function nameOf(option: Option): string {
  const flag = option.flags.find((candidate) => candidate.startsWith('--')) ?? option.flags[0]!
  return flag.replace(/^-+/, '')
}

function noValue(spelled: string, attached: string | undefined): true {
  if (attached !== undefined) throw new UsageError(`${spelled} option does not take a value`)
  return true
}

function checkChoice(option: Option, spelled: string, value: string): string {
  if (option.choices === undefined || option.choices.includes(value)) return value
  const choices = option.choices.map((choice) => `'${choice}'`).join(', ')
  throw new UsageError(`option ${spelled}: invalid choice: '${value}' (choose from ${choices})`)
}

function readLong(options: readonly Option[], word: string) {
  const equals = word.indexOf('=')
  const typed = equals < 0 ? word : word.slice(0, equals)
  const attached = equals < 0 ? undefined : word.slice(equals + 1)
  const spelled = completeFlag(options, typed)
  const option = options.find((candidate) => candidate.flags.includes(spelled))!
  return { option, spelled, attached }
}

function completeFlag(options: readonly Option[], typed: string): string {
  const flags = options.flatMap((option) => option.flags)
  if (flags.includes(typed)) return typed
  const candidates = flags.filter((flag) => flag.startsWith(typed))
  if (candidates.length === 1) return candidates[0]!
  if (candidates.length === 0) throw new UsageError(`no such option: ${typed}`)
  throw new UsageError(`ambiguous option: ${typed} (${candidates.sort().join(', ')}?)`)
}

type Store = (option: Option, spelled: string, attached: string | undefined) => void

function readShort(options: readonly Option[], word: string, store: Store): void {
  for (let i = 1; i < word.length; i++) {
    const spelled = `-${word[i]}`
    const option = options.find((candidate) => candidate.flags.includes(spelled))
    if (option === undefined) throw new UsageError(`no such option: ${spelled}`)
    const remainder = word.slice(i + 1)
    if (option.value !== undefined) {
      store(option, spelled, remainder === '' ? undefined : remainder)
      return
    }
    store(option, spelled, undefined)
  }
}

const HELP_COLUMN = 28

/** The lines that describe the options. */
export function describeOptions(options: readonly Option[]): string {
  return options
    .map((option) => {
      const flags = option.flags.map((flag) => withPlaceholder(flag, option.value)).join(', ')
      const left = `  ${flags}`
      const gap = left.length < HELP_COLUMN ? ' '.repeat(HELP_COLUMN - left.length) : `\n${' '.repeat(HELP_COLUMN)}`
      return `${left}${gap}${option.help}`
    })
    .join('\n')
}

function withPlaceholder(flag: string, value: string | undefined): string {
  if (value === undefined) return flag
  return flag.startsWith('--') ? `${flag}=${value}` : `${flag} ${value}`
}
