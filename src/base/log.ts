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
    write(`[${level.toUpperCase().padEnd(8)}] ${text}\n`)
  }
}

export function isLogLevel(name: string): name is LogLevel {
  return Object.hasOwn(LOG_LEVELS, name)
}
