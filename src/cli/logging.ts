// Where log lines go: the console from one level on, a file from another, each in its configured form. The file is opened
// when there is a first line for it, so that a quiet run leaves nothing behind and needs no rights.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { isLogLevel, LOG_LEVELS, type Log, type LogLevel, logText, toError } from '../base/mod.ts'
import { type Dict, str, textOf, truthy } from '../data/mod.ts'

export interface LogSettings {
  level: LogLevel
  format: string
  /** None, or a file and the least level written to it. */
  file?: { path: string; level: LogLevel; format: string }
}

/** What the options say, with Salt's fall-backs. */
export function logSettings(opts: Dict): LogSettings {
  const level = levelOf(opts, 'log_level', 'warning')
  const mark = opts.get('output') === 'yaml' ? '# ' : ''
  const path = textOf(opts.get('log_file') ?? null)
  const settings: LogSettings = { level, format: mark + formatOf(opts, 'log_fmt_console') }
  if (!path) return settings
  const fileLevel = levelOf(opts, 'log_level_logfile', level)
  return { ...settings, file: { path, level: fileLevel, format: formatOf(opts, 'log_fmt_logfile') } }
}

function levelOf(opts: Dict, name: string, fallback: LogLevel): LogLevel {
  const value = opts.get(name) ?? null
  const text = truthy(value) ? str(value).toLowerCase() : fallback
  return isLogLevel(text) ? text : fallback
}

function formatOf(opts: Dict, name: string): string {
  return textOf(opts.get(name) ?? null) ?? textOf(opts.get('log_fmt') ?? null) ?? '[%(levelname)-8s] %(message)s'
}

export function openLog(settings: LogSettings, write: (line: string) => void): Log {
  const { level, format, file } = settings
  const toFile = file && fileWriter(file.path, (problem) => write(`[WARNING ] ${problem}\n`))
  return (at, text) => {
    const number = LOG_LEVELS[at]
    if (number >= LOG_LEVELS[level]) write(`${lineOf(format, at, logText(text))}\n`)
    if (file && number >= LOG_LEVELS[file.level]) toFile!(`${lineOf(file.format, at, logText(text))}\n`)
  }
}

/** As Salt has it: the group may read. */
const LOG_MODE = 0o640

/** A file that cannot be written is reported once. */
function fileWriter(path: string, complain: (problem: string) => void): (line: string) => void {
  let broken = false
  let descriptor: number | undefined
  return (line) => {
    if (broken) return
    try {
      if (descriptor === undefined) {
        mkdirSync(dirname(path), { recursive: true })
        descriptor = openSync(path, 'a', LOG_MODE)
      }
      writeSync(descriptor, line)
    } catch (error) {
      broken = true
      if (descriptor !== undefined) closeSync(descriptor)
      complain(`Failed to write the log file: ${toError(error).message}`)
    }
  }
}

const FIELD = /%\((\w+)\)([-+ #0]*)(\d*)(?:\.\d+)?[sd]/g

function lineOf(format: string, level: LogLevel, text: string): string {
  return format.replace(FIELD, (_, name: string, flags: string, width: string) => {
    const value = fieldOf(name, level, text)
    if (flags.includes('-')) return value.padEnd(Number(width))
    return value.padStart(Number(width), flags.includes('0') ? '0' : ' ')
  })
}

function fieldOf(name: string, level: LogLevel, text: string): string {
  switch (name) {
    case 'message':
      return text
    case 'levelname':
      return level.toUpperCase()
    case 'levelno':
      return String(LOG_LEVELS[level])
    case 'asctime':
      return localTime(new Date())
    case 'msecs':
      return String(new Date().getMilliseconds())
    case 'process':
      return String(process.pid)
    case 'lineno':
      return '0'
    case 'name':
    case 'module':
      return 'brine'
    default:
      return ''
  }
}

function localTime(now: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  return `${day} ${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`
}
