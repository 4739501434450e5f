// Reads one configuration file as a dict, with Salt's messages for invalid files.
import { readFileSync, renameSync, statSync } from 'node:fs'
import type { Log } from '../base/mod.ts'
import { type Dict, isDict, qualifiedTypeName, str, textOf, truthy, type Value } from '../data/mod.ts'
import { load, YamlError } from '../yaml/mod.ts'
import { ConfigError } from './errors.ts'
import { askedPipe, type ConfigTemplate, holdsJinja, isPlainPipe, USUAL_PIPE } from './templates.ts'

/** Whether a file exists. A file in a directory without access, such as another user's home, counts as missing. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(code)) return false
    throw error
  }
}

/** Return the options of a file that is no template, none for an empty one. Their places in the text are kept. */
export function readConfigFile(path: string, log: Log): Dict {
  log('debug', `Reading configuration from ${path}`)
  return optionsIn(parsed(path, readFileSync(path), { log }), path)
}

/** The way a configuration file is opened. */
export interface Opening {
  log: Log
  /** The pipe that the including file sets. */
  pipe?: string | undefined
  /** Whether the reader only looks: a damaged file stays where it is. */
  isLook?: boolean | undefined
}

/**
 * Return the options of a file, or the file as a template: one that requests rendering, or that is invalid YAML and
 * contains Jinja.
 */
export function openConfigFile(path: string, opening: Opening): Dict | ConfigTemplate {
  opening.log('debug', `Reading configuration from ${path}`)
  const bytes = readFileSync(path)
  const text = bytes.toString('utf8')
  const pipe = isWrittenByUs(path) ? undefined : askedPipe(text, opening.pipe)
  if (pipe !== undefined && !isPlainPipe(pipe)) return { path, text, pipe }
  try {
    return optionsIn(parsed(path, bytes, opening), path)
  } catch (error) {
    if (isPlainPipe(pipe) || !(error instanceof ConfigError) || !holdsJinja(text)) throw error
    return { path, text, pipe: USUAL_PIPE }
  }
}

/** Return the content of a file as options. */
export function optionsIn(value: Value, path: string): Dict {
  if (!truthy(value)) return new Map()
  if (!isDict(value)) {
    const what = `conf should be a document, not <class '${qualifiedTypeName(value)}'>.`
    throw new ConfigError('ConfigFileInvalid', `Error parsing configuration file: ${path} - ${what}`)
  }
  const id = value.get('id')
  // an id may be written as a number
  if (id !== undefined && textOf(id) === undefined) value.set('id', str(id))
  return value
}

const isWrittenByUs = (path: string): boolean => path.endsWith('_schedule.conf')

function parsed(path: string, bytes: Buffer, { log, isLook = false }: Opening): Value {
  try {
    return load(bytes, { name: path, positions: true })
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    const message = `Error parsing configuration file: ${path} - ${error.message}`
    // the schedule is written by the program itself: a broken one is put aside, and everything else still starts
    if (isWrittenByUs(path)) {
      log('error', message)
      if (isLook) return null
      log('error', `Renaming to ${path}YAMLError`)
      renameSync(path, `${path}YAMLError`)
      return null
    }
    const at = error.at && { ...error.at, file: path }
    throw new ConfigError('ConfigFileInvalid', message, { cause: error, ...(at && { at }) })
  }
}
