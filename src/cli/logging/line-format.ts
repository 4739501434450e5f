// A line of the log as text: by a format of Python's logging with Salt's own fields and colours, or as a JSON object.
import { LOG_LEVELS, type LogLevel, logText, shownText } from '../../base/mod.ts'
import { type Dict, Float, formatPercent, strftime, Tuple, type Value } from '../../data/mod.ts'

export interface LogRecord {
  level: LogLevel
  text: string
  name: string
  /** The job that the line belongs to, or nothing. */
  jid: string
  /** In milliseconds since 1970. */
  time: number
}

export type LineFormat = (record: LogRecord) => string

export interface FormatSettings {
  format: string
  dates: string
  jid: string
}

const RESET = '\x1b[0;0m'
const BOLD_GREEN = '\x1b[0;1;32m'
const BOLD_BLUE = '\x1b[0;1;34m'

/** Salt's colours of a level: of its name, and of the message. */
const COLORS: Readonly<Partial<Record<LogLevel, readonly [level: string, message: string]>>> = {
  critical: ['\x1b[0;1;31m', '\x1b[0;1;31m'],
  error: ['\x1b[0;1;31m', '\x1b[0;31m'],
  warning: ['\x1b[0;1;33m', '\x1b[0;33m'],
  info: [BOLD_GREEN, '\x1b[0;32m'],
  profile: ['\x1b[0;1;36m', '\x1b[0;1;36m'],
  debug: ['\x1b[0;1;36m', '\x1b[0;36m'],
  trace: ['\x1b[0;1;35m', '\x1b[0;35m'],
  garbage: [BOLD_BLUE, '\x1b[0;34m'],
}

const began = Date.now()

/** Each field that a format may name. A bundled program has no lines and functions that mean something to its user. */
const FIELDS: Readonly<Record<string, (record: LogRecord, settings: FormatSettings) => Value>> = {
  message: ({ text }) => logText(text),
  msg: ({ text }) => logText(text),
  levelname: ({ level }) => level.toUpperCase(),
  levelno: ({ level }) => LOG_LEVELS[level],
  name: ({ name }) => name,
  module: ({ name }) => name.slice(name.lastIndexOf('.') + 1),
  lineno: () => 0,
  funcName: () => '',
  pathname: () => '',
  filename: () => '',
  process: () => process.pid,
  processName: () => 'MainProcess',
  thread: () => 0,
  threadName: () => 'MainThread',
  taskName: () => null,
  args: () => new Tuple(),
  exc_info: () => null,
  exc_text: () => null,
  stack_info: () => null,
  created: ({ time }) => new Float(time / 1000),
  msecs: ({ time }) => new Float(time % 1000),
  relativeCreated: ({ time }) => new Float(time - began),
  asctime: ({ time }, { dates }) => localTime(time, dates),
  jid: ({ jid }, settings) => (jid === '' ? '' : formatPercent(settings.jid, new Map([['jid', jid]]))),
  minion_id: () => '',
  bracketname: ({ name }) => bracketName(name),
  bracketlevel: ({ level }) => bracketLevel(level),
  bracketprocess: () => bracketProcess(),
  colorname: ({ name }) => BOLD_GREEN + bracketName(name) + RESET,
  colorlevel: ({ level }) => (COLORS[level]?.[0] ?? RESET) + bracketLevel(level) + RESET,
  colorprocess: () => BOLD_BLUE + bracketProcess() + RESET,
  colormsg: ({ level, text }) => (COLORS[level]?.[1] ?? RESET) + logText(text) + RESET,
}

const bracketName = (name: string): string => `[${name.padEnd(17)}]`
const bracketLevel = (level: LogLevel): string => `[${level.toUpperCase().padEnd(8)}]`
const bracketProcess = (): string => `[${String(process.pid).padStart(5)}]`

function localTime(time: number, format: string): string {
  const date = new Date(time)
  return strftime(format, {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
    microsecond: date.getMilliseconds() * 1000,
    offset: -date.getTimezoneOffset() * 60,
  })
}

/** Return how lines are written by a format of Python's logging. Only the fields that it names are worked out. */
export function lineFormat(settings: FormatSettings): LineFormat {
  const { format } = settings
  const names = new Set(Array.from(format.matchAll(/%\((\w+)\)/g), ([, name]) => name!))
  const used = [...names].filter((name) => Object.hasOwn(FIELDS, name))
  return (record) => {
    const fields: Dict = new Map(used.map((name) => [name, FIELDS[name]!(record, settings)]))
    return formatPercent(format, fields)
  }
}

/** Line breaks that JSON allows in a text, and that would end a line for some readers. */
const LINE_BREAKS = /[\x7f-\x9f\u2028\u2029]/g

/** One JSON object on one line. */
export const jsonLine: LineFormat = ({ level, text, name, jid, time }) => {
  const shown = {
    time: new Date(time).toISOString(),
    level,
    name,
    pid: process.pid,
    ...(jid && { jid }),
    message: text,
  }
  return JSON.stringify(shown).replace(LINE_BREAKS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Return the name of a component, safe for a log line: logger names can come from users' own modules. */
export const shownName = (name: string): string => shownText(name, 200)
