// Values that lie elsewhere: `sdb://<profile>/<key>` in options, and where functions are asked for one. A profile is an option (or
// an entry of pillar) that names its driver; the drivers of Salt's core are here.
import { readFile } from 'node:fs/promises'
import { type Log, lookup, toError } from '../base/mod.ts'
import {
  type Dict,
  isDict,
  isList,
  type MergeOptions,
  merge,
  PyError,
  str,
  traverse,
  typeName,
  type Value,
} from '../data/mod.ts'
import { load } from '../yaml/mod.ts'

export interface SdbPlace {
  driver: string
  key: string
  profile: Dict
}

const START = 'sdb://'

/** Where a value lies, or why the text does not say so. */
export function sdbPlace(uri: Value, opts: Dict): SdbPlace | string {
  if (typeof uri !== 'string' || !uri.startsWith(START)) return 'SDB uri must start with "sdb://"'
  const slash = uri.indexOf('/', START.length)
  if (slash < 0 || slash === uri.length - 1) {
    return 'SDB uri must have a profile name as a first part of the uri before the /'
  }
  const name = uri.slice(START.length, slash)
  const pillar = opts.get('pillar')
  const profile = [opts, pillar]
    .map((place) => (place !== undefined && isDict(place) ? place.get(name) : undefined))
    .find((found) => found !== undefined && isDict(found) && found.size > 0)
  if (profile === undefined || !isDict(profile) || !profile.has('driver')) {
    return `SDB profile "${name}" wasnt found in the minion configuration`
  }
  return { driver: str(profile.get('driver')!), key: uri.slice(slash + 1), profile }
}

/** What drivers need of a machine. */
export interface SdbMachine {
  env(name: string): Promise<string | undefined>
  setEnv(name: string, value: string): Promise<void>
  read(path: string): Promise<string>
  /** Values that are encrypted in a file with `gpg: true`. */
  decrypt?(data: Dict): Promise<Value>
  log: Log
}

export interface SdbDriver {
  get(machine: SdbMachine, key: string, profile: Dict): Promise<Value>
  set?(machine: SdbMachine, key: string, value: Value): Promise<Value>
}

/** Files of YAML, merged in their order. */
async function yamlValue(machine: SdbMachine, key: string, profile: Dict): Promise<Value> {
  const files = profile.get('files') ?? []
  const merging = profile.get('merge')
  let all: Dict = new Map()
  for (const file of isList(files) ? files.map(str) : []) {
    try {
      const content = load(await machine.read(file)) as Value
      if (!isDict(content)) throw new PyError('TypeError', 'the file holds no mapping')
      all = merge(all, content, merging !== undefined && isDict(merging) ? mergeOptions(merging) : {}) as Dict
    } catch (error) {
      if (error instanceof PyError) machine.log('error', `Error deserializing sdb file '${file}': ${error.message}`)
      else machine.log('error', `File '${file}' not found `)
    }
  }
  const data = profile.get('gpg') === true && machine.decrypt ? await machine.decrypt(all) : all
  return traverse(data, key, { default: null })
}

const mergeOptions = (given: Dict): MergeOptions => ({
  ...(given.has('strategy') && { strategy: str(given.get('strategy')!) }),
  ...(given.has('merge_lists') && { mergeLists: given.get('merge_lists') === true }),
})

export const SDB_DRIVERS: Readonly<Record<string, SdbDriver>> = lookup({
  env: {
    get: async (machine, key) => (await machine.env(key)) ?? null,
    set: async (machine, key, value) => {
      const known = await machine.env(key)
      if (known !== undefined) return known
      if (typeof value !== 'string') throw new PyError('TypeError', `str expected, not ${typeName(value)}`)
      await machine.setEnv(key, value)
      return value
    },
  },
  yaml: { get: yamlValue },
})

const here = (log: Log): SdbMachine => ({
  env: async (name) => process.env[name],
  setEnv: async (name, value) => {
    process.env[name] = value
  },
  read: (path) => readFile(path, 'utf8'),
  log,
})

/**
 * Put values into the place of the URIs that name them, wherever in the options. A URI that cannot be fetched here stays. Return the
 * names of the options that had URIs.
 */
export async function applySdb(opts: Dict, log: Log): Promise<Set<string>> {
  const named = new Set<string>()
  let count = 0
  const counting = async (uri: string): Promise<Value> => {
    count++
    const value = await fetchSdb(uri, opts, log)
    return value === undefined ? uri : value
  }
  for (const [key, value] of opts) {
    const before = count
    opts.set(key, await withFetched(value, counting))
    if (count > before) named.add(str(key))
  }
  return named
}

/** Replace the URIs in a value, in place, by what `fetch` returns for each. */
export async function withFetched(value: Value, fetch: (uri: string) => Promise<Value>): Promise<Value> {
  if (typeof value === 'string') return value.startsWith(START) ? fetch(value) : value
  if (isDict(value)) for (const [key, inner] of value) value.set(key, await withFetched(inner, fetch))
  else if (isList(value)) {
    for (const [index, inner] of value.entries()) (value as Value[])[index] = await withFetched(inner, fetch)
  }
  return value
}

/** Return the value that a URI names, or undefined when it cannot be fetched here. */
export async function fetchSdb(uri: string, opts: Dict, log: Log): Promise<Value | undefined> {
  const place = sdbPlace(uri, opts)
  const driver = typeof place === 'string' ? undefined : SDB_DRIVERS[place.driver]
  if (typeof place === 'string' || !driver) return undefined
  try {
    return await driver.get(here(log), place.key, place.profile)
  } catch (error) {
    log('error', `${uri} cannot be fetched: ${toError(error).message}`)
    return undefined
  }
}
