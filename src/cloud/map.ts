// Maps: the wanted machines of each profile. A map is rendered as a template; names have overrides, and may require
// each other.
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { didYouMean } from '../base/mod.ts'
import type { CloudFiles, ConfigRenderer } from '../config/mod.ts'
import { type Dict, deepCopy, isDict, isList, quote, str, update, type Value } from '../data/mod.ts'
import { checkName } from './creation.ts'
import { configError } from './errors.ts'

/** A machine of a map. */
export interface Mapped {
  name: string
  profile: string
  /** Settings that override those of the profile. */
  overrides: Dict
}

const LARGEST = 16 * 1024 * 1024

/** Read a map of a file, which is a template. */
export async function readMapFile(file: string, opts: Dict, render: ConfigRenderer): Promise<Dict> {
  const path = resolve(file)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) throw configError(`The specified map file does not exist: ${path}`)
  if (stat.size > LARGEST) throw configError(`The map ${path} is larger than ${LARGEST} bytes`)
  const template = { path, text: readFileSync(path, 'utf8'), pipe: 'jinja|yaml' }
  const { value } = await render(template, new Map(opts))
  if (value !== null && !isDict(value)) throw configError(`The map ${path} is no map of profiles`)
  return value ?? new Map()
}

/** Return the machines of a map in its order. */
export function mappedMachines(map: Dict, { profiles }: CloudFiles, where: string): Mapped[] {
  const found = new Map<string, Mapped>()
  for (const [key, value] of map) {
    const profile = str(key)
    if (!profiles.has(profile)) {
      throw configError(
        `${where} names the profile ${quote(profile)}, which is not defined`,
        didYouMean(profile, profiles.keys()),
      )
    }
    for (const [name, overrides] of namesIn(value, profile, where)) {
      checkName(name)
      if (found.has(name)) throw configError(`${where} has ${quote(name)} twice`)
      found.set(name, { name, profile, overrides })
    }
  }
  return [...found.values()]
}

/** Names of a profile: a list of names or of one-entry maps, or a map. */
function namesIn(value: Value, profile: string, where: string): [string, Dict][] {
  if (value === null) return []
  if (isDict(value)) return [...value].map(([name, overrides]) => [str(name), overridesOf(overrides, str(name), where)])
  if (!isList(value)) throw configError(`${where}: ${quote(profile)} has no list of names`)
  return value.flatMap((item) =>
    isDict(item) ? namesIn(item, profile, where) : [[str(item), new Map()] as [string, Dict]],
  )
}

function overridesOf(value: Value, name: string, where: string): Dict {
  if (value === null) return new Map()
  if (isDict(value)) return value
  // a list of one-entry maps, as in states
  if (isList(value) && value.every((item) => isDict(item))) return new Map(value.flatMap((item) => [...(item as Dict)]))
  throw configError(`${where}: the settings of ${quote(name)} are no map`)
}

/** Return settings with overrides merged into them. */
export function overridden(settings: Dict, overrides: Dict): Dict {
  const all = deepCopy(settings) as Dict
  update(all, deepCopy(overrides) as Dict)
  return all
}

/** Return names in waves: each wave requires only names of earlier ones. Existing machines count as done. */
export function inWaves(names: ReadonlyMap<string, Dict>, isThere: (name: string) => boolean): string[][] {
  const waiting = new Map([...names].map(([name, settings]) => [name, requiredBy(settings)]))
  const waves: string[][] = []
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, required]) => required.every((one) => !waiting.has(one)))
    if (ready.length === 0)
      throw configError(`Machines of the map require each other: ${[...waiting.keys()].join(', ')}`)
    for (const [name, required] of ready) {
      const missing = required.find((one) => !names.has(one) && !isThere(one))
      if (missing !== undefined) throw configError(`${name} requires ${quote(missing)}, which the map does not have`)
    }
    waves.push(ready.map(([name]) => name))
    for (const [name] of ready) waiting.delete(name)
  }
  return waves
}

function requiredBy(settings: Dict): string[] {
  const value = settings.get('requires') ?? null
  if (value === null) return []
  return isList(value) ? value.map(str) : [str(value)]
}
