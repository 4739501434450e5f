// Shared parts of the commands of `brine`: arguments, the options of the master, errors and progress.
import { join, resolve } from 'node:path'
import { BrineError, brineVersion, consoleLog, shownText, toError } from '../base/mod.ts'
import { masterConfig } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { configSources } from './config-sources.ts'
import { EX_USAGE, ProgramExit, UsageError } from './optparse/exit.ts'
import { usageText } from './optparse/help.ts'
import type { CliOption, Program } from './optparse/option.ts'
import { type Parsed, parseCommandLine } from './optparse/parse.ts'
import type { Streams } from './streams.ts'

export const COMMAND_HELP: CliOption = { flags: ['-h', '--help'], action: 'help', help: 'show this help' }

export const COMMAND_CONFIG_DIR: CliOption = {
  flags: ['-c', '--config-dir'],
  metavar: 'DIR',
  help: "directory of the master's configuration (default: '/etc/salt')",
}

/** Run a command: a mistake in its words ends with 64, a failure with `failureStatus`, each with one clear message. */
export async function runCommand(
  program: Program,
  argv: readonly string[],
  streams: Streams,
  work: (line: CommandOptions) => Promise<number>,
  failureStatus = 1,
): Promise<number> {
  try {
    return await work(new CommandOptions(parseCommandLine(program, argv, brineVersion())))
  } catch (thrown) {
    if (thrown instanceof ProgramExit) {
      streams.out(thrown.stdout)
      return thrown.status
    }
    if (thrown instanceof UsageError) {
      streams.err(`${usageText(program)}\n${program.name}: error: ${thrown.message}\n`)
      return EX_USAGE
    }
    const { message } = toError(thrown)
    if (!(thrown instanceof BrineError) && (thrown as NodeJS.ErrnoException).syscall === undefined) throw thrown
    const hint = thrown instanceof BrineError && thrown.hint !== undefined ? `${thrown.hint}\n` : ''
    streams.err(escapedLines(`${program.name}: ${thrown instanceof BrineError ? thrown.reason : message}\n${hint}`))
    return failureStatus
  }
}

/** Escape control characters, because names of files in archives and caches may contain any. Lines stay lines. */
export const escapedLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => shownText(line, line.length))
    .join('\n')

/** The options and arguments of a command. */
export class CommandOptions {
  readonly args: readonly string[]
  private readonly values: Parsed['values']

  constructor({ values, args }: Parsed) {
    this.values = values
    this.args = args
  }

  text(name: string): string | undefined {
    const value = this.values.get(name) ?? undefined
    return value === undefined ? undefined : String(value)
  }

  flag(name: string): boolean {
    return this.values.get(name) === true
  }

  list(name: string): string[] {
    const value = this.values.get(name)
    return Array.isArray(value) ? value.map(String) : []
  }
}

/** The directory of the configuration. */
export const configFolder = (words: CommandOptions): string =>
  resolve(words.text('config_dir') ?? (process.env['SALT_CONFIG_DIR'] || '/etc/salt'))

/** The options of the master. */
export function readMaster(words: CommandOptions, streams: Streams): Promise<Dict> {
  const log = consoleLog('warning', streams.err)
  return masterConfig({ path: join(configFolder(words), 'master'), log, ...configSources, program: 'salt-master' })
}

/** Return a progress line on the terminal; elsewhere it prints nothing. */
export function progressLine(streams: Streams, what: string): { tell(text: string): void; end(): void } {
  let last = 0
  let isShown = false
  return {
    tell: (text) => {
      if (!streams.errTerminal || performance.now() - last < 100) return
      last = performance.now()
      isShown = true
      streams.err(`\r\x1b[K${what}: ${text}`)
    },
    end: () => {
      if (isShown) streams.err('\r\x1b[K')
    },
  }
}
