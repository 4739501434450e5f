// Reads the options of a program from its configuration file and command line, and opens its log, which also gets the
// earlier lines.
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { consoleLog, type Log, namedLog, toError } from '../base/mod.ts'
import { ConfigError, checkLogging, templateSecrets } from '../config/mod.ts'
import { type Dict, str } from '../data/mod.ts'
import type { CommandLine } from './command-lines.ts'
import { earlyLog, type LogDefaults, logSettings, openLog, type ProgramLog } from './logging.ts'
import { ProgramExit, UsageError } from './optparse/exit.ts'
import type { Program } from './optparse/option.ts'
import { emptyOutputFile } from './output-file.ts'
import { addSaltfile } from './saltfile.ts'
import type { Streams } from './streams.ts'

export interface ReadingOptions {
  program: Program
  line: CommandLine
  streams: Streams
  /** The file's name in the configuration directory. */
  file: 'master' | 'minion' | 'proxy'
  read(path: string, log: Log): Promise<Dict>
}

export interface ProgramOptions {
  opts: Dict
  log: ProgramLog
}

export async function programOptions(reading: ReadingOptions): Promise<ProgramOptions> {
  const { line, streams } = reading
  const early = earlyLog()
  try {
    const opts = await readOptions(reading, early.log)
    const settings = logSettings(opts, LOGS[reading.program.name])
    // the daemon that goes to the background writes its own lines to the file
    if (line.values.get('daemon') === true) delete settings.file
    const log = openLog(settings, streams.err)
    log.hide?.(templateSecrets())
    early.handTo(namedLog(log, 'salt.config'))
    return { opts, log }
  } catch (error) {
    early.handTo(consoleLog('warning', streams.err))
    if (error instanceof ConfigError) throw new ProgramExit(1, { stderr: `[ERROR   ] ${error.message}\n` })
    throw error
  }
}

/** The logger names of programs, as in Salt; salt-key has a separate log file. */
const LOGS: Readonly<Record<string, LogDefaults>> = {
  salt: { name: 'salt.client' },
  'salt-api': { name: 'salt.cli.api', fileOption: 'api_logfile' },
  'salt-call': { name: 'salt.cli.caller' },
  'salt-cloud': { name: 'salt.cloud' },
  'salt-cp': { name: 'salt.cli.cp' },
  'salt-key': { name: 'salt.key', fileOption: 'key_logfile' },
  'salt-master': { name: 'salt.master' },
  'salt-minion': { name: 'salt.minion' },
  'salt-proxy': { name: 'salt.minion' },
  'salt-run': { name: 'salt.runner' },
  'salt-syndic': { name: 'salt.cli.daemons', fileOption: 'syndic_log_file' },
  'salt-ssh': { name: 'salt.client.ssh', fileOption: 'ssh_log_file' },
}

async function readOptions({ program, line, streams, file, read }: ReadingOptions, log: Log): Promise<Dict> {
  addSaltfile(program, line, log)
  const { values, given } = line
  const folder = configDir(str(values.get('config_dir')!), given.has('config_dir'), streams)
  values.set('config_dir', folder)
  const opts = await readConfig(join(folder, file), (path) => read(path, log))
  layOver(opts, line)
  // log options of the command line and of users' files
  checkLogging(opts, new Map(), log)
  emptyOutputFile(opts)
  return opts
}

/** The directory of the configuration; `SALT_CONFIG_DIR` names it where the command line does not. */
function configDir(named: string, isGiven: boolean, streams: Streams): string {
  const chosen = isGiven ? named : process.env['SALT_CONFIG_DIR'] || named
  const folder = chosen.replace(/^~(?=\/|$)/, homedir())
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    streams.err(`WARNING: CONFIG '${folder}' directory does not exist.\n`)
  }
  return resolve(folder)
}

async function readConfig(path: string, read: (path: string) => Promise<Dict>): Promise<Dict> {
  try {
    return await read(path)
  } catch (error) {
    const { syscall, path: named = path } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    const { fromNodeError } = await import('../host/mod.ts')
    throw new UsageError(`Failed to load configuration: ${toError(fromNodeError(error, named)).message}`)
  }
}

/** Merge the command line into the options: given values override, defaults only fill gaps. */
function layOver(opts: Dict, { values, given, meaning }: CommandLine): void {
  for (const [dest, value] of values) {
    if (value === null) continue
    if (given.has(dest) || (opts.get(dest) ?? null) === null) opts.set(dest, value)
  }
  for (const [name, value] of meaning) opts.set(name, value)
  opts.set('selected_output_option', values.get('output') ?? null)
}
