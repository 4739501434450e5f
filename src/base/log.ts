// Log lines with Salt's levels. A log is a function over (level, text), so that pure code can be handed one.

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

export type Log = (level: LogLevel, text: string) => void

/** Drops everything. */
export const silentLog: Log = () => {}

/** Keeps what reaches the threshold, in the form Salt prints to a console: `[WARNING ] text`. */
export function consoleLog(threshold: LogLevel, write: (line: string) => void): Log {
  return (level, text) => {
    if (LOG_LEVELS[level] < LOG_LEVELS[threshold]) return
    write(`[${level.toUpperCase().padEnd(8)}] ${logText(text)}\n`)
  }
}

export function isLogLevel(name: string): name is LogLevel {
  return Object.hasOwn(LOG_LEVELS, name)
}

/**
 * Return a message as it may stand in a log: control characters are escaped, and further lines are indented, so that no text in a
 * message can pass for a message of its own or steer a terminal.
 */
export function logText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text
  const shown = text.replace(CONTROL, escaped)
  return shown.replace(/\n(?=\S)/g, `\n${CONTINUED}`)
}

/** What a message must have for it to need another form. */
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

/** A log that nobody can fill by asking for what is refused: lines have a largest length, and seconds a largest number. */
export function calmLog(log: Log, { perSecond = 100, longest = 20_000, now = Date.now }: CalmOptions = {}): Log {
  const counts = { grave: 0, light: 0 }
  let second = 0
  let leftOut = 0
  return (level, text) => {
    const current = Math.floor(now() / 1000)
    if (current !== second) {
      if (leftOut > 0)
        log('warning', `${leftOut} further messages were left out: more than ${perSecond} came in a second`)
      second = current
      counts.grave = counts.light = leftOut = 0
    }
    const isGrave = LOG_LEVELS[level] >= LOG_LEVELS.warning
    const count = ++counts[isGrave ? 'grave' : 'light']
    if (count > perSecond * (isGrave ? 1 : 20)) leftOut++
    else log(level, text.length > longest ? `${text.slice(0, longest)}…` : text)
  }
}
