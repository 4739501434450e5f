// Restrictions for callers without the rights of the master's owner: they may not name files, programs and secrets of
// the master, which a machine of the caller could read.
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { type Dict, isDict, isList, quote, str, type Value } from '../data/mod.ts'
import type { CloudDriver } from '../sdk/mod.ts'
import { configError } from './errors.ts'

/** Settings that name files or programs of the master. */
const REACHING: ReadonlySet<string> = new Set([
  'file',
  'file_map',
  'private_key',
  'ssh_keyfile',
  'ssh_public_key',
  'ssh_publickeyfile',
  'key_filename',
  'package',
  'script',
  'known_hosts_file',
  'ssh_options',
])

/** Settings of drivers that name files, such as `userdata_file`. */
const OF_FILES = /_file$/

function refuse(name: string, what = ''): never {
  throw configError(`The setting '${name}'${what} cannot be given by a caller: write it into a profile`)
}

/**
 * Throw for a login on another host than the new machine: the credentials of a profile would be sent to a machine of
 * the caller's choice.
 */
export function refuseElsewhere(
  { isForExisting }: Pick<CloudDriver, 'isForExisting'>,
  settings: Dict = new Map(),
): void {
  if (isForExisting === true) return
  for (const name of ['ssh_host', 'ssh_gateway']) if (settings.has(name)) refuse(name)
}

/** Refuse settings and arguments that reach files, programs or secrets of the master. */
export function refuseReaching(settings: Dict = new Map()): void {
  for (const [key, value] of settings) {
    const name = str(key)
    if (REACHING.has(name) || OF_FILES.test(name)) refuse(name)
    if (hasSdb(value)) refuse(name, ' with a value of sdb')
    // the driver nspawn takes folders of the master, and openstack reads the file that userdata names
    if ((name === 'image' || name === 'userdata') && str(value).startsWith('/')) refuse(name, ' with a path')
  }
}

function hasSdb(value: Value): boolean {
  if (isDict(value)) return [...value.values()].some(hasSdb)
  return isList(value) ? value.some(hasSdb) : typeof value === 'string' && value.startsWith('sdb://')
}

/** Refuse a map outside of the configuration: it is a template, and others may have written it. */
export function refuseMap(file: string, folder: string): void {
  let path: string
  try {
    path = relative(realpathSync(folder), realpathSync(file))
  } catch {
    path = '..'
  }
  if (path.split('/')[0] === '..')
    throw configError(`The map ${quote(file)} cannot be named by a caller: it is not a file below ${folder}`)
}
