// Options of a program that reads a configuration file: the file's, with the command line laid over them.
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Log, toError } from '../base/mod.ts'
import { ConfigError } from '../config/mod.ts'
import { type Dict, str } from '../data/mod.ts'
import type { CommandLine } from './command-lines.ts'
import { ProgramExit, UsageError } from './optparse/exit.ts'
import type { Program } from './optparse/option.ts'
import { emptyOutputFile } from './output-file.ts'
import { addSaltfile } from './saltfile.ts'
import type { Streams } from './streams.ts'

export interface ReadingOptions {
  program: Program
  line: CommandLine
  streams: Streams
  log: Log
  /** The file's name in the configuration directory. */
  file: string
  read(path: string): Promise<Dict>
}

export async function programOptions({ program, line, streams, log, file, read }: ReadingOptions): Promise<Dict> {
  addSaltfile(program, line, log)
  const { values, given } = line
  const folder = configDir(str(values.get('config_dir')!), given.has('config_dir'), streams)
  values.set('config_dir', folder)
  const opts = await readConfig(join(folder, file), read)
  layOver(opts, line)
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
    if (error instanceof ConfigError) throw new ProgramExit(1, { stderr: `[ERROR   ] ${error.message}\n` })
    const { syscall, path: named = path } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    const { fromNodeError } = await import('../host/mod.ts')
    throw new UsageError(`Failed to load configuration: ${toError(fromNodeError(error, named)).message}`)
  }
}

/** What was given wins; a default of the command line only fills what no file says. */
function layOver(opts: Dict, { values, given, meaning }: CommandLine): void {
  for (const [dest, value] of values) {
    if (value === null) continue
    if (given.has(dest) || (opts.get(dest) ?? null) === null) opts.set(dest, value)
  }
  for (const [name, value] of meaning) opts.set(name, value)
  opts.set('selected_output_option', values.get('output') ?? null)
}
