// One configuration file as a dict, with Salt's complaints about what is none.
import { readFileSync, renameSync, statSync } from 'node:fs'
import type { Log } from '../base/mod.ts'
import { type Dict, isDict, qualifiedTypeName, str, textOf, truthy, type Value } from '../data/mod.ts'
import { load, YamlError } from '../yaml/mod.ts'
import { ConfigError } from './errors.ts'

/** Whether there is such a file; one in a directory that we may not enter, as another user's home, is not there for us. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(code)) return false
    throw error
  }
}

/** The options of a file, none for an empty one. Their places in the text are kept. */
export function readConfigFile(path: string, log: Log): Dict {
  log('debug', `Reading configuration from ${path}`)
  const value = parse(path, log)
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

function parse(path: string, log: Log): Value {
  try {
    return load(readFileSync(path), { name: path, positions: true })
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    const message = `Error parsing configuration file: ${path} - ${error.message}`
    // the schedule is written by the program itself: a broken one is put aside, and everything else still starts
    if (path.endsWith('_schedule.conf')) {
      log('error', message)
      log('error', `Renaming to ${path}YAMLError`)
      renameSync(path, `${path}YAMLError`)
      return null
    }
    const at = error.at && { ...error.at, file: path }
    throw new ConfigError('ConfigFileInvalid', message, { cause: error, ...(at && { at }) })
  }
}
