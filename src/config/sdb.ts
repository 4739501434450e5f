// Values of external stores: `sdb://<profile>/<key>` in options and in calls of functions. A profile is an option (or
// an entry of pillar) that names its driver. The drivers are plug-ins, which programs pass in.
import { type Log, toError } from '../base/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../data/mod.ts'

export interface SdbPlace {
  driver: string
  key: string
  profile: Dict
}

const START = 'sdb://'

/** Return the place of a value, or the problem with the URI. */
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

/** Return the value of a URI, by the profiles of the options. */
export type FetchSdb = (uri: string, opts: Dict, log: Log) => Promise<Value>

/**
 * Replace the URIs in the options by their values. A URI that cannot be fetched stays, and the reason is logged; if its
 * profile is not in the options, it may be for pillar. Return the names of the options with URIs.
 */
export async function applySdb(opts: Dict, log: Log, fetch: FetchSdb | undefined): Promise<Set<string>> {
  const named = new Set<string>()
  if (!fetch) return named
  let count = 0
  const counting = async (uri: string): Promise<Value> => {
    count++
    return (await fetchedSdb(uri, opts, log, fetch)) ?? uri
  }
  for (const [key, value] of opts) {
    const before = count
    opts.set(key, await withFetched(value, counting))
    if (count > before) named.add(str(key))
  }
  return named
}

/** Replace the URIs in a value, in place, by the results of `fetch`. */
export async function withFetched(value: Value, fetch: (uri: string) => Promise<Value>): Promise<Value> {
  if (typeof value === 'string') return value.startsWith(START) ? fetch(value) : value
  if (isDict(value)) for (const [key, inner] of value) value.set(key, await withFetched(inner, fetch))
  else if (isList(value)) {
    for (const [index, inner] of value.entries()) (value as Value[])[index] = await withFetched(inner, fetch)
  }
  return value
}

/** Return the value that a URI names, or undefined when it cannot be fetched. */
export async function fetchedSdb(uri: string, opts: Dict, log: Log, fetch: FetchSdb): Promise<Value | undefined> {
  if (typeof sdbPlace(uri, opts) === 'string') return undefined
  try {
    return await fetch(uri, opts, log)
  } catch (error) {
    log('error', `${uri} cannot be fetched: ${toError(error).message}`)
    return undefined
  }
}
