// How a program's command line is declared: options with the spellings, destinations and defaults that Salt's programs
// have, in groups, with one line of help each.

export interface CliOption {
  /** `-o` and `--option` spellings, short ones first. */
  readonly flags: readonly string[]
  /** The key of the value. Default: the first long spelling. */
  readonly dest?: string
  /** `store` unless said here. `file` stores a path, and puts a bare name into the current directory. */
  readonly action?: 'store' | 'store_true' | 'store_false' | 'append' | 'file' | 'version' | 'help'
  /** Text unless said here; `choices` make it one of them. */
  readonly type?: 'int' | 'float'
  readonly choices?: readonly string[]
  /** How many words it takes, when not one. */
  readonly nargs?: number
  readonly metavar?: string
  /** As plain data; nothing unless said here. */
  readonly default?: unknown
  readonly help: string
}

/** Declare an option without a value, which is False unless it is given. */
export const flagOption = (flags: readonly string[], help: string, dest?: string): CliOption => ({
  flags,
  ...(dest !== undefined && { dest }),
  action: 'store_true',
  default: false,
  help,
})

export interface OptionGroup {
  readonly title: string
  readonly description?: string
  readonly options: readonly CliOption[]
}

export interface Program {
  readonly name: string
  /** What follows the name in the usage line. */
  readonly usage: string
  readonly description?: string
  readonly options: readonly CliOption[]
  readonly groups: readonly OptionGroup[]
}

export function allOptions(program: Program): CliOption[] {
  return [...program.options, ...program.groups.flatMap((group) => group.options)]
}

/** The name a value is kept under; help and version keep none. */
export function destOf(option: CliOption): string {
  const flagOption = option.flags.find((candidate) => candidate.startsWith('--')) ?? option.flags[0]!
  return option.dest ?? flagOption.replace(/^-+/, '').replaceAll('-', '_')
}

export function takesValue({ action = 'store' }: CliOption): boolean {
  return action === 'store' || action === 'append' || action === 'file'
}
