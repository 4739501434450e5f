// Grains that the machine's owner set: in the `grains` file beside the configuration, and under `grains` in it.
import { dirname } from 'node:path/posix'
import type { Log } from '../base/mod.ts'
import { isA, recover } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { compileRegex, type Dict, fnmatch, PyError, str, type Value } from '../data/mod.ts'
import { load, YamlError } from '../yaml/mod.ts'
import type { Machine } from './machine.ts'
import { isProxyMinion } from './proxy.ts'

/** Beside the configuration file, or within it when it is a directory. */
async function grainsFile(machine: Machine, opts: Dict): Promise<string | undefined> {
  const conf = option(opts, 'conf_file')
  if (conf === '') return undefined
  const folder = (await machine.isDirectory(conf)) ? conf : dirname(conf)
  return isProxyMinion(opts) ? `${folder}/proxy.d/${option(opts, 'id')}/grains` : `${folder}/grains`
}

export async function fileGrains(machine: Machine, opts: Dict, log: Log): Promise<Dict> {
  const path = await grainsFile(machine, opts)
  const text = path === undefined ? undefined : await machine.text(path)
  if (text === undefined) return new Map()
  try {
    const value = load(text)
    return value instanceof Map ? value : new Map()
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    log('warning', `Bad syntax in grains file! Skipping. (${path}: ${error.message})`)
    return new Map()
  }
}

/**
 * Remove grains that a pattern of `grains_blacklist` matches, as a glob or as a regular expression for the whole name.
 */
export function withoutBlacklisted(grains: Dict, blacklist: Value): Dict {
  if (!Array.isArray(blacklist) || blacklist.length === 0) return grains
  const patterns = blacklist.map(str)
  return new Map([...grains].filter(([name]) => !patterns.some((pattern) => matches(str(name), pattern))))
}

function matches(name: string, pattern: string): boolean {
  if (fnmatch(name, pattern)) return true
  return recover(isA(PyError), false, () => compileRegex(`\\A${pattern}\\Z`).match(name) !== null)
}
