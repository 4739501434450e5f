// The log of a program: which lines go to the console and which to the log file or system log, each in its configured format.
import { LOG_LEVELS, type Log, type LogLevel, type LogOrigin } from '../base/mod.ts'
import { logLevelNumber, option as optionOf, type SyslogAddress, syslogAddress } from '../config/mod.ts'
import { type Dict, HiddenTexts, hideMarked, isDict, isInt, str, textOf, truthy, type Value } from '../data/mod.ts'
import { granularLevels } from './logging/levels.ts'
import { jsonLine, type LineFormat, type LogRecord, lineFormat, shownName } from './logging/line-format.ts'
import { LogFile } from './logging/log-file.ts'
import { openSyslog } from './logging/syslog.ts'

export interface LogSettings {
  /** The name on lines that no component has put its own on. */
  name: string
  console: { level: number; format: LineFormat }
  /** The log file or system log, and the least level written to it. */
  file?: { place: string | SyslogAddress; level: number; format: LineFormat; maxBytes: number; backups: number }
  /** The least level of a component. */
  least(name: string): number
}

export type { LogRecord } from './logging/line-format.ts'

export interface ProgramLog extends Log {
  /** Reopen the log file, which may have been replaced. */
  readonly reopen?: () => void
  /** Hand all lines that console or file keep to a further reader. */
  readonly also?: (take: (record: LogRecord) => void) => void
}

const DEFAULTS: Dict = new Map()
const SALT_FILE_FORMAT = str(optionOf(DEFAULTS, 'log_fmt_logfile'))
/** Salt's default without the line number, which a bundled program does not have. */
const FILE_FORMAT = SALT_FILE_FORMAT.replace(':%(lineno)-4d', '')

export interface LogDefaults {
  name?: string
  /** The option with the path of the file. */
  fileOption?: string
}

/** Read the options of the log, which were checked, with Salt's fall-backs. */
export function logSettings(opts: Dict, { name = 'salt', fileOption = 'log_file' }: LogDefaults = {}): LogSettings {
  const option = (key: string): Value => opts.get(key) ?? null
  const textFrom = (...keys: string[]): string | undefined =>
    keys.map((key) => textOf(option(key))).find((text) => text !== undefined && text !== '')
  const jid = textFrom('log_fmt_jid') ?? ''
  const isJson = option('log_fmt_json') === true
  const formatted = (format: string, dates: string): LineFormat =>
    isJson ? jsonLine : lineFormat({ format, dates, jid })
  const mark = option('output') === 'yaml' ? '# ' : ''
  const consoleFormat = mark + (textFrom('log_fmt_console', 'log_fmt') ?? optionOf(DEFAULTS, 'log_fmt_console'))
  const consoleDates = textFrom('log_datefmt_console', 'log_datefmt') ?? optionOf(DEFAULTS, 'log_datefmt')
  const level = levelOf(option('log_level'), LOG_LEVELS.warning)
  const granular = option('log_granular_levels')
  const settings: LogSettings = {
    name,
    console: { level, format: formatted(consoleFormat, consoleDates) },
    least: granularLevels(isDict(granular) ? granular : new Map()),
  }
  const path = textFrom(fileOption, 'log_file')
  const fileLevel = levelOf(option('log_level_logfile'), level)
  if (path === undefined || fileLevel >= LOG_LEVELS.quiet) return settings
  const fileFormat = textFrom('log_fmt_logfile', 'log_fmt') ?? SALT_FILE_FORMAT
  const file = {
    place: syslogAddress(path) ?? path,
    level: fileLevel,
    format: formatted(
      fileFormat === SALT_FILE_FORMAT ? FILE_FORMAT : fileFormat,
      textFrom('log_datefmt_logfile') ?? optionOf(DEFAULTS, 'log_datefmt_logfile'),
    ),
    maxBytes: numberIn(option('log_rotate_max_bytes')),
    backups: numberIn(option('log_rotate_backup_count')),
  }
  return { ...settings, file }
}

const levelOf = (value: Value, fallback: number): number =>
  truthy(value) || value === 0 ? (logLevelNumber(value) ?? LOG_LEVELS.error) : fallback

const numberIn = (value: Value): number => (isInt(value) ? Number(value) : 0)

/** The destinations of a program's log lines: the console, and the log file or syslog. */
class Outlets {
  /** The least level that goes anywhere. */
  readonly lowest: number
  private readonly settings: LogSettings
  private readonly show: (line: string) => void
  private readonly kept: Kept | undefined
  private readonly further: Array<(record: LogRecord) => void> = []

  constructor(settings: LogSettings, show: (line: string) => void) {
    const { console, file } = settings
    this.settings = settings
    this.show = show
    this.kept = file && openKept(file, settings.name, (text) => this.print(ownRecord(settings.name, text)))
    this.lowest = Math.min(console.level, file?.level ?? Number.POSITIVE_INFINITY)
  }

  also(take: (record: LogRecord) => void): void {
    this.further.push(take)
  }

  take(record: LogRecord): void {
    for (const take of this.further) take(record)
    const { console, file } = this.settings
    const number = LOG_LEVELS[record.level]
    const isShown = number >= console.level
    if (isShown) this.print(record)
    if (!this.kept || number < file!.level || this.kept.write(record)) return
    // a warning is not lost with the file
    if (!isShown && number >= LOG_LEVELS.warning) this.print(record)
  }

  reopen(): void {
    this.kept?.reopen()
  }

  private print(record: LogRecord): void {
    this.show(`${this.settings.console.format(record)}\n`)
  }
}

/** A log file or system log. */
interface Kept {
  /** False when the line could not be taken. */
  write(record: LogRecord): boolean
  reopen(): void
}

/** A line about the log itself. */
const ownRecord = (name: string, text: string): LogRecord => ({
  level: 'warning',
  text,
  name,
  jid: '',
  time: Date.now(),
})

function openKept(file: NonNullable<LogSettings['file']>, name: string, onTrouble: (problem: string) => void): Kept {
  const { place, format, maxBytes, backups } = file
  if (typeof place !== 'string') {
    const syslog = openSyslog(place, onTrouble)
    return { write: (record) => syslog.write(format(record), record.level), reopen: () => syslog.reopen() }
  }
  const kept = new LogFile({ path: place, maxBytes, backups, onTrouble })
  const note = (text: string): string => `${format(ownRecord(name, text))}\n`
  return { write: (record) => kept.write(`${format(record)}\n`, note), reopen: () => kept.reopen() }
}

/** Limit, because users' own modules can use any number of logger names. */
const MOST_COMPONENTS = 1000

/** Open the log. `show` shows text on the console. */
export function openLog(settings: LogSettings, show: (line: string) => void): ProgramLog {
  const outlets = new Outlets(settings, show)
  const { lowest } = outlets
  const hidden = new HiddenTexts()
  const hide = (texts: Iterable<string>): void => {
    // the levels from `info` on show the same as Salt's
    if (lowest < LOG_LEVELS.info) hidden.add(texts)
  }
  const open = (name: string, jid: string, related: (origin: LogOrigin) => Log): ProgramLog => {
    const least = Math.max(lowest, settings.least(name))
    const log = (level: LogLevel, text: string): void => {
      if (LOG_LEVELS[level] < least) return
      outlets.take({ level, text: hidden.mask(hideMarked(text)), name: shownName(name), jid, time: Date.now() })
    }
    const from = (origin: LogOrigin): Log => related({ name, ...origin })
    return Object.assign(log, { least, from, hide, reopen: () => outlets.reopen(), also: outlets.also.bind(outlets) })
  }
  /** The logs of all components in one job, or outside jobs: each is made once. */
  const ofJob = (jid: string): ((origin: LogOrigin) => ProgramLog) => {
    const components = new Map<string, ProgramLog>()
    const related = ({ name = settings.name, jid: other = jid }: LogOrigin): ProgramLog => {
      if (other !== jid) return ofJob(other)({ name })
      const known = components.get(name) ?? open(name, jid, related)
      if (components.size < MOST_COMPONENTS) components.set(name, known)
      return known
    }
    return related
  }
  return ofJob('')({})
}

export interface EarlyLog {
  readonly log: Log
  /** Hand the lines that came so far to the log that is open now. */
  handTo(log: Log): void
}

/** A log for the time before its options are known: it keeps the lines. */
export function earlyLog(): EarlyLog {
  const lines: Array<[LogLevel, string]> = []
  return {
    log: (level, text) => void lines.push([level, text]),
    handTo: (log) => {
      for (const line of lines.splice(0)) log(...line)
    },
  }
}
