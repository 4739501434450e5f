// Log lines with Salt's levels. A log is a function of (level, text), so pure code can receive it as a parameter.
// Further properties of a log (its lowest level, component, job, texts to mask) are optional; the helpers below read
// them.

/** Salt's levels with their numbers; a line is kept when its number is at least the threshold's. */
export const LOG_LEVELS = {
  all: 0,
  garbage: 1,
  trace: 5,
  debug: 10,
  profile: 15,
  info: 20,
  warning: 30,
  error: 40,
  critical: 50,
  quiet: 1000,
} as const

export type LogLevel = keyof typeof LOG_LEVELS

/** The source of a log line: the component as Salt's logger name, such as `salt.minion`, and the job. */
export interface LogOrigin {
  name?: string
  jid?: string
}

export interface Log {
  (level: LogLevel, text: string): void
  /** The number of the least level that is kept. A log without it keeps all levels. */
  readonly least?: number
  /** Return this log for lines of another origin. A log without it shows no origins. */
  readonly from?: (origin: LogOrigin) => Log
  /** Hide these texts in all lines, where the log keeps levels below `info`. */
  readonly hide?: (texts: Iterable<string>) => void
}

/** Return the log for lines of a component, named as Salt names its loggers. */
export const namedLog = (log: Log, name: string): Log => log.from?.({ name }) ?? log

/** Return the log for lines of a job. */
export const jobLog = (log: Log, jid: string): Log => log.from?.({ jid }) ?? log

/** Whether lines of a level are kept: ask before making a text that costs something. */
export const isLogged = (log: Log, level: LogLevel): boolean => LOG_LEVELS[level] >= (log.least ?? 0)

/** Return a log that hands its lines on through `wrap`, and is like `log` in everything else. */
export function wrapLog(log: Log, wrap: (log: Log) => (level: LogLevel, text: string) => void): Log {
  const { least, from, hide } = log
  return Object.assign(wrap(log), {
    ...(least !== undefined && { least }),
    ...(from && { from: (origin: LogOrigin) => wrapLog(from(origin), wrap) }),
    ...(hide && { hide }),
  })
}

/** Drop all lines. */
export const silentLog: Log = Object.assign(() => {}, { least: Number.POSITIVE_INFINITY })

/** Keep lines that reach the threshold, in the form Salt prints to a console: `[WARNING ] text`. */
export function consoleLog(threshold: LogLevel, write: (line: string) => void): Log {
  const least = LOG_LEVELS[threshold]
  const log = (level: LogLevel, text: string): void => {
    if (LOG_LEVELS[level] >= least) write(`[${level.toUpperCase().padEnd(8)}] ${logText(text)}\n`)
  }
  return Object.assign(log, { least })
}

export function isLogLevel(name: string): name is LogLevel {
  return Object.hasOwn(LOG_LEVELS, name)
}

/**
 * Return a message that is safe to log: control characters are escaped and further lines are indented, so that no text
 * in a message looks like a message of its own or controls a terminal.
 */
export function logText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text
  const shown = text.replace(CONTROL, escaped)
  return shown.replace(/\n(?=\S)/g, `\n${CONTINUED}`)
}

/** Characters that a log message must not contain unescaped. */
const SUSPICIOUS = /[\p{Cc}\u2028\u2029]/u
const CONTROL = /(?![\n\t])[\p{Cc}\u2028\u2029]/gu
const CONTINUED = '    '

const escaped = (char: string): string => {
  const code = char.charCodeAt(0)
  return code > 0xff ? `\\u${code.toString(16)}` : `\\x${code.toString(16).padStart(2, '0')}`
}

/** Text of strangers as a part of a line: short, and without anything that would end the line. */
export function shownText(text: string, most = 100): string {
  const short = text.length > most ? `${text.slice(0, most)}…` : text
  return short.replace(/[\p{Cc}\u2028\u2029]/gu, escaped)
}

export interface CalmOptions {
  /** Lines of one second, of warnings and worse; of others twenty times as many. */
  perSecond?: number
  longest?: number
  now?: () => number
}

/** Return a log that strangers cannot fill with refused requests: it limits the length of a line and the lines of a second. */
export function calmLog(log: Log, { perSecond = 100, longest = 20_000, now = Date.now }: CalmOptions = {}): Log {
  const counts = { grave: 0, light: 0 }
  let second = 0
  let leftOut = 0
  const calm = (to: Log) => (level: LogLevel, text: string) => {
    if (!isLogged(to, level)) return
    const current = Math.floor(now() / 1000)
    if (current !== second) {
      if (leftOut > 0)
        to('warning', `${leftOut} further messages were left out: more than ${perSecond} came in a second`)
      second = current
      counts.grave = counts.light = leftOut = 0
    }
    const isGrave = LOG_LEVELS[level] >= LOG_LEVELS.warning
    const count = ++counts[isGrave ? 'grave' : 'light']
    if (count > perSecond * (isGrave ? 1 : 20)) leftOut++
    else to(level, text.length > longest ? `${text.slice(0, longest)}…` : text)
  }
  return wrapLog(log, calm)
}
