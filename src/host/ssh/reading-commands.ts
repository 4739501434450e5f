// Commands that only read. They may be run in advance, together with other reads; every other command counts as a
// change. A shell line only reads if each program in it does.
import { basename } from 'node:path/posix'
import type { Command } from '../host.ts'

/** A command that only reads, as plain data. */
export interface ReadCommand {
  argv: readonly string[]
  cwd?: string
  /** Variables that differ from those of the login, if the environment begins with these; else all added ones. */
  env?: ReadonlyArray<readonly [string, string]>
  /** Variables of the login that the command does not have. Set if the environment begins with those of the login. */
  unset?: readonly string[]
  cleanEnv?: boolean
  user?: string
  group?: string
  umask?: number
  mergeStderr?: boolean
}

/** Programs that only read, with any arguments. */
const READERS = new Set(['dpkg-query', 'getent', 'id', 'uname', 'apt-cache', 'lsb_release', 'systemd-detect-virt'])

/** First arguments with which a program only reads. */
const READING: ReadonlyMap<string, RegExp> = new Map([
  ['systemctl', /^(show|is-active|is-enabled|is-failed|cat|status|list-units|list-unit-files)$/],
  ['rpm', /^(-q[a-z]*|--query)$/],
  ['dpkg', /^(-l|-s|-L|--list|--status|--print-architecture|--compare-versions)$/],
  ['hostname', /^-[fsidIA]$/],
])

/** Arguments of these programs that run something else. */
const RUNNING = /^(--pipe|--eval|-E|--load|--macros|--define|-D)/

function isReading([program = '', ...args]: readonly string[]): boolean {
  const first = args.find((word) => !/^--(no-pager|full|plain|no-legend|quiet)\b/.test(word)) ?? ''
  const isReader = READERS.has(basename(program)) || (READING.get(basename(program))?.test(first) ?? false)
  return isReader && !args.some((word) => RUNNING.test(word))
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'ksh'])

/** Programs in lines that look at files and accounts, and at nothing that changes by itself. */
const LOOKING = new Set(
  `: [ basename cat cmp command cut diff dirname echo egrep false fgrep getent grep groups head id ls md5sum printf readlink realpath
  sha1sum sha224sum sha256sum sha384sum sha512sum stat tail test tr true type uname wc which whoami`.split(/\s+/),
)

/** Paths whose content changes without commands, except /dev/null. */
const VOLATILE = /(^|[^\w.-])(\/var)?\/(proc|sys|dev|run)(\/|\W|$)/

/** A part of a line: words in quotes or without, operators, redirections to nowhere. Nothing else may be in it. */
const PART =
  /[ \t]+|(?<operator>&&|\|\||\||;)|(?:[12]?>{1,2}|&>)[ \t]*\/dev\/null(?![\w%+,./:=@~-])|2>&1|1?>&2|(?<word>(?:'[^']*'|"[^"$`\\!]*"|[\w%+,./:=@^~*?[\]{}-]|\\[^\n])+|!)/y

/** Whether a line for a shell looks at files only, so that running it once more or earlier changes nothing. */
export function isLookingLine(line: string): boolean {
  if (line.length > 4096 || VOLATILE.test(line.replaceAll('/dev/null', ''))) return false
  let isFirst = true
  let hasProgram = false
  PART.lastIndex = 0
  while (PART.lastIndex < line.length) {
    const part = PART.exec(line)
    if (!part) return false
    const { operator, word } = part.groups!
    if (operator !== undefined) isFirst = true
    else if (word !== undefined && isFirst && word !== '!') {
      const args = line.slice(PART.lastIndex)
      if (!LOOKING.has(word) || (word === 'command' && !/^\s+-[vV]\s/.test(args))) return false
      // follows a file for ever
      if (word === 'tail' && /^[^|;&]*\s-(\w*[fF]|-follow|-retry)/.test(args)) return false
      isFirst = false
      hasProgram = true
    }
  }
  return hasProgram
}

/** Whether the command is a line that looks at files only: its answer counts right behind a change, as that of a read of files does. */
export function isLookingCommand({ argv }: Pick<ReadCommand, 'argv'>): boolean {
  const [shell = '', option, line, ...more] = argv
  if (!SHELLS.has(basename(shell)) || option !== '-c' || line === undefined || more.length > 0) return false
  return isLookingLine(line)
}

/** Return the command as a read, or undefined when it may change the target or its output is heard as it comes. */
export function readOnlyCommand(command: Command, login: ReadonlyMap<string, string>): ReadCommand | undefined {
  const { argv, stdin, hear, maxOutput, timeout, cwd, cleanEnv, user, group, umask, mergeStderr } = command
  if (stdin !== undefined || hear || maxOutput !== undefined) return undefined
  if (!isReading(argv) && !(timeout === undefined && isLookingCommand(command))) return undefined
  return {
    argv: [...argv],
    ...(cwd !== undefined && { cwd }),
    ...environmentData(command, login),
    ...(cleanEnv && { cleanEnv }),
    ...(user !== undefined && { user }),
    ...(group !== undefined && { group }),
    ...(umask !== undefined && { umask }),
    ...(mergeStderr && { mergeStderr }),
  }
}

/**
 * Describe an environment by its difference from the login: its variables name the connection, which differs next time.
 */
function environmentData(
  { env, cleanEnv }: Command,
  login: ReadonlyMap<string, string>,
): Pick<ReadCommand, 'env' | 'unset'> {
  if (!env || env.size === 0) return {}
  if (!cleanEnv) return { env: [...env] }
  const own = [...env].filter(([name, value]) => login.get(name) !== value)
  return { env: own, unset: [...login.keys()].filter((name) => !env.has(name)) }
}

/** Return the command of a read. */
export function commandOf({ env, unset, ...rest }: ReadCommand, login: ReadonlyMap<string, string>): Command {
  if (unset === undefined) return { ...rest, ...(env && { env: new Map(env) }) }
  const whole = new Map(login)
  for (const name of unset) whole.delete(name)
  for (const [name, value] of env ?? []) whole.set(name, value)
  return { ...rest, env: whole }
}

/** Whether data that was kept is a command that only reads. */
export function isReadCommand(data: unknown): data is ReadCommand {
  const { argv } = (data ?? {}) as { argv?: unknown }
  if (!Array.isArray(argv) || !argv.every((word) => typeof word === 'string')) return false
  return isReading(argv) || isLookingCommand({ argv })
}
