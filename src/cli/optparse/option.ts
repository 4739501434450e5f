// The declaration of a program's command line: options in groups, with the flags, destinations, defaults and help lines
// of Salt's programs.

export interface CliOption {
  /** The flags `-o` and `--option`, short ones first. */
  readonly flags: readonly string[]
  /** The key of the value. Default: the first long spelling. */
  readonly dest?: string
  /** `store` unless said here. `file` stores a path, and puts a bare name into the current directory. */
  readonly action?: 'store' | 'store_true' | 'store_false' | 'append' | 'file' | 'version' | 'help'
  /** The type. Default: text; `choices` restrict it. */
  readonly type?: 'int' | 'float'
  readonly choices?: readonly string[]
  /** How many words it takes. Default: 1. */
  readonly nargs?: number
  readonly metavar?: string
  /** The default as plain data; none if absent. */
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
  /** The rest of the usage line after the name. */
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
