// The options of the log: levels, formats and addresses, read and checked in one place. Salt ends with a traceback at a
// format or a syslog facility that is wrong, so these are refused; it goes on with `error` at an unknown level, so that is
// reported and does the same here.
import { didYouMean, isLogLevel, LOG_LEVELS, type Log } from '../base/mod.ts'
import {
  type Dict,
  Float,
  formatPercent,
  isDict,
  isInt,
  PyError,
  repr,
  str,
  textOf,
  truthy,
  type Value,
} from '../data/mod.ts'
import { ConfigError } from './errors.ts'
import { type Sources, whereSet } from './source.ts'
import { rawOption } from './view.ts'

/** Return the number of a level from its name or number; undefined for an unknown level. */
export function logLevelNumber(level: Value): number | undefined {
  if (isInt(level)) return Number(level)
  const name = str(level).toLowerCase()
  return isLogLevel(name) ? LOG_LEVELS[name] : undefined
}

const FACILITIES =
  'KERN USER MAIL DAEMON AUTH SYSLOG LPR NEWS UUCP CRON AUTHPRIV FTP NTP SECURITY CONSOLE SOLCRON'.split(' ')
const LOCAL_0 = 16
const SYSLOG_PORT = 514

/** The address of a system log: a socket of this machine, or a host and port. */
export type SyslogAddress = { facility: number } & (
  | { kind: 'file'; path: string }
  | { kind: 'udp' | 'tcp'; host: string; port: number }
)

/** Return the system log in a `log_file` such as `udp://host:514/LOG_DAEMON`; undefined for a file path. */
export function syslogAddress(text: string): SyslogAddress | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return undefined
  if (scheme !== 'file' && scheme !== 'udp' && scheme !== 'tcp') {
    throw invalid(`'${scheme}' is not known; a system log begins with file://, udp:// or tcp://`)
  }
  if (!URL.canParse(text)) throw invalid('it is not an address')
  const url = new URL(text)
  const [, path = '', last = ''] = /^(.*?)(?:\/(LOG_[^/]*))?$/i.exec(url.pathname)!
  const facility = facilityOf(last === '' ? 'LOG_USER' : last)
  if (scheme === 'file') {
    if (path === '') throw invalid('a path of a socket is missing')
    return { kind: scheme, path, facility }
  }
  if (url.hostname === '') throw invalid('a host is missing')
  if (path.replace(/^\/$/, '') !== '') throw invalid(`the syslog facility '${path.slice(1)}' is not known`)
  return { kind: scheme, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || SYSLOG_PORT, facility }
}

const invalid = (why: string): ConfigError => new ConfigError('OptionInvalid', why)

function facilityOf(name: string): number {
  const short = name.slice('LOG_'.length).toUpperCase()
  const local = /^LOCAL([0-7])$/.exec(short)
  const number = local ? LOCAL_0 + Number(local[1]) : FACILITIES.indexOf(short)
  if (number < 0) throw invalid(`the syslog facility '${name}' is not known`)
  return number
}

/** The fields that `%(…)s` in a format may use, with a sample value of the type. */
const SAMPLE: Dict = new Map<Value, Value>([
  ...['asctime', 'filename', 'funcName', 'jid', 'levelname', 'message', 'minion_id', 'module', 'msg', 'name'].map(text),
  ...['bracketlevel', 'bracketname', 'bracketprocess', 'colorlevel', 'colormsg', 'colorname', 'colorprocess'].map(text),
  ...['args', 'exc_info', 'exc_text', 'pathname', 'processName', 'stack_info', 'taskName', 'threadName'].map(text),
  ...['levelno', 'lineno', 'process', 'thread'].map((name): [Value, Value] => [name, 1]),
  ...['created', 'msecs', 'relativeCreated'].map((name): [Value, Value] => [name, new Float(1)]),
])

function text(name: string): [Value, Value] {
  return [name, '']
}

/** Throw for a format that cannot be filled in with these fields. */
function checkFormat(format: string, fields: Dict): void {
  try {
    formatPercent(format, fields)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    if (error.code !== 'KeyError') throw invalid(`${error.message}; write a percent sign as %%`)
    const name = error.message.replace(/^'|'$/g, '')
    throw invalid(`there is no field '${name}'. ${didYouMean(name, fields.keys() as Iterable<string>) ?? ''}`.trim())
  }
  if (!/%\(\w+\)/.test(format)) throw invalid('it has no field such as %(message)s')
}

const FORMATS = ['log_fmt', 'log_fmt_console', 'log_fmt_logfile']
const DATE_FORMATS = ['log_datefmt', 'log_datefmt_console', 'log_datefmt_logfile']

const CHECKS: ReadonlyArray<readonly [names: readonly string[], check: (value: Value) => void]> = [
  [FORMATS, (value) => checkFormat(textIn(value), SAMPLE)],
  [['log_fmt_jid'], (value) => checkFormat(textIn(value), new Map([['jid', '']]))],
  [['log_fmt_minion_id'], (value) => checkFormat(textIn(value), new Map([['minion_id', '']]))],
  [DATE_FORMATS, (value) => void textIn(value)],
  [['log_file', 'key_logfile'], (value) => void syslogAddress(textIn(value))],
  [['log_fmt_json'], (value) => demand(typeof value === 'boolean', 'it must be True or False')],
  [
    ['log_rotate_max_bytes', 'log_rotate_backup_count'],
    (value) => demand(isInt(value) && value >= 0, 'it must be a number of 0 or more'),
  ],
  [['log_granular_levels'], (value) => demand(isDict(value), 'it must be a mapping of names to levels')],
]

function textIn(value: Value): string {
  const found = textOf(value)
  if (found === undefined) throw invalid('it must be text')
  return found
}

function demand(holds: boolean, why: string): void {
  if (!holds) throw invalid(why)
}

/** Refuse options of the log that cannot be used, and report levels that are unknown. */
export function checkLogging(opts: Dict, sources: Sources, log: Log): void {
  for (const [names, check] of CHECKS) {
    for (const name of names) {
      const value = opts.get(name) ?? null
      if (!truthy(value)) continue
      try {
        check(value)
      } catch (error) {
        if (!(error instanceof ConfigError) || error.code !== 'OptionInvalid') throw error
        const at = sources.get(name)
        const found = `Option '${name}'${whereSet(sources, name)} is ${repr(value)}`
        throw new ConfigError('OptionInvalid', `${found}: ${error.message}`, at && { at })
      }
    }
  }
  checkLevel(opts, 'log_level', rawOption(opts, 'log_level'), whereSet(sources, 'log_level'), log)
  checkLevel(
    opts,
    'log_level_logfile',
    rawOption(opts, 'log_level_logfile'),
    whereSet(sources, 'log_level_logfile'),
    log,
  )
  const granular = rawOption(opts, 'log_granular_levels')
  if (!isDict(granular)) return
  const where = whereSet(sources, 'log_granular_levels')
  for (const name of granular.keys())
    checkLevel(granular, name, granular.get(name)!, `${where} (log_granular_levels)`, log)
}

/** Put `error` in place of a level that does not exist, as Salt does. */
function checkLevel(holder: Dict, name: Value, level: Value, where: string, log: Log): void {
  if (!truthy(level) || logLevelNumber(level) !== undefined) return
  const hint = didYouMean(str(level), Object.keys(LOG_LEVELS)) ?? `There are ${Object.keys(LOG_LEVELS).join(', ')}.`
  log('error', `Option '${str(name)}'${where} is ${repr(level)}, which is no log level: using 'error'. ${hint}`)
  holder.set(name, 'error')
}

/** Apply `log_fmt` to the formats of console and file that no configuration file sets. */
export function spreadLogFormat(opts: Dict, overrides: Dict): void {
  const format = overrides.get('log_fmt') ?? null
  if (!truthy(format)) return
  for (const name of ['log_fmt_console', 'log_fmt_logfile']) if (!overrides.has(name)) opts.set(name, format)
}
