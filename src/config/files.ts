// The files a configuration comes from, in Salt's order: the main file, then those of `default_include`, then those of
// `include`. An included file's mappings are merged into those before it; a main file's option is replaced.
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { type Log, toError } from '../base/mod.ts'
import { type Dict, isDict, isList, str, textOf, truthy, update, type Value } from '../data/mod.ts'
import { ConfigError } from './errors.ts'
import { globFiles } from './glob.ts'
import { isRegularFile, readConfigFile } from './read-file.ts'
import { noteSources, type Sources } from './source.ts'

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>

export interface FileRequest {
  /** Whose files: the names of the file, of its variable and of the included folder follow from it. */
  role: 'master' | 'minion'
  /** The main file as the command line gives it. */
  path: string
  env: ProcessEnvironment
  log: Log
}

/** The main file when nobody says otherwise. */
export const defaultConfig = (role: FileRequest['role']): string => `/etc/salt/${role}`

/** What the files say, and where. */
export function readConfigFiles(request: FileRequest): { overrides: Dict; sources: Sources } {
  const { path, log } = request
  const sources: Sources = new Map()
  const overrides = readMainFile(mainPath(request), sources, log)
  const defaultInclude = overrides.get('default_include') ?? `${request.role}.d/*.conf`
  const include = overrides.get('include') ?? []
  for (const [patterns, warn] of [
    [defaultInclude, false],
    [include, true],
  ] as const) {
    for (const [key, value] of included(patterns, path, { warn, sources, log })) overrides.set(key, value)
  }
  return { overrides, sources }
}

/** An environment variable counts only for the usual place: a directory given on the command line wins. */
function mainPath({ role, path, env }: FileRequest): string {
  if (path !== defaultConfig(role)) return path
  const folder = env['SALT_CONFIG_DIR']
  const named = env[`SALT_${role.toUpperCase()}_CONFIG`] || (folder ? join(folder, role) : undefined)
  return named !== undefined && isRegularFile(named) ? named : path
}

function readMainFile(path: string, sources: Sources, log: Log): Dict {
  if (!existsSync(path)) copyTemplate(path, log)
  if (!isReadable(path)) {
    log('debug', `Missing configuration file: ${path}`)
    return new Map()
  }
  const options = readConfigFile(path, log)
  noteSources(sources, options, path)
  options.set('conf_file', path)
  return options
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** A package may bring `minion.template` instead of `minion`; its first line is a remark. */
function copyTemplate(path: string, log: Log): void {
  const template = `${path}.template`
  if (!isRegularFile(template)) return
  log('debug', `Writing ${path} based on ${template}`)
  const text = readFileSync(template, 'utf8')
  writeFileSync(path, text.slice(text.indexOf('\n') + 1 || text.length))
}

interface Inclusion {
  warn: boolean
  sources: Sources
  log: Log
  /** Files that are being read, for those that include each other. */
  open?: readonly string[]
}

function included(patterns: Value, from: string, inclusion: Inclusion): Dict {
  const configuration: Dict = new Map()
  const text = textOf(patterns)
  const list = text !== undefined ? [text] : isList(patterns) ? patterns : []
  for (const pattern of truthy(patterns) ? list : []) {
    const path = absolute(str(pattern), from)
    const files = globFiles(path)
    if (files.length === 0 && inclusion.warn) {
      const what = `"include" path/glob '${path}' matches no files`
      inclusion.log('warning', `Warning parsing configuration file: ${what}`)
    }
    for (const file of files.sort()) addFile(configuration, file, inclusion)
  }
  return configuration
}

function addFile(configuration: Dict, file: string, inclusion: Inclusion): void {
  const { log, sources, open = [] } = inclusion
  if (open.includes(file)) {
    throw new ConfigError('ConfigFileInvalid', `Configuration files include each other: ${[...open, file].join(', ')}`)
  }
  log('debug', `Including configuration from '${file}'`)
  const options = readIncluded(file, log)
  noteSources(sources, options, file)
  const schedule = options.get('schedule')
  const known = configuration.get('schedule')
  if (isDict(schedule ?? null) && isDict(known ?? null)) {
    for (const [name, job] of schedule as Dict) (known as Dict).set(name, job)
  }
  const include = options.get('include') ?? null
  for (const [key, value] of included(include, file, { ...inclusion, open: [...open, file] })) options.set(key, value)
  update(configuration, options, { mergeLists: true })
}

/** A broken or unreadable included file is reported and left out, so that the rest still counts. */
function readIncluded(file: string, log: Log): Dict {
  try {
    return readConfigFile(file, log)
  } catch (error) {
    if (error instanceof ConfigError) log('error', error.message)
    else log('error', `Failed to read configuration file ${file}: ${toError(error).message}`)
    return new Map()
  }
}

function absolute(pattern: string, from: string): string {
  const path = /^~(\/|$)/.test(pattern) ? homedir() + pattern.slice(1) : pattern
  return isAbsolute(path) ? path : join(dirname(from), path)
}
