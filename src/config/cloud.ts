// The files of salt-cloud: `cloud` with `cloud.conf.d`, `cloud.providers` with `cloud.providers.d`, `cloud.profiles` with `cloud.profiles.d`.
// A broken file is an error: a machine made of half of its settings costs money.
import { dirname, join, resolve } from 'node:path'
import { didYouMean, type Log, type Position } from '../base/mod.ts'
import { type Dict, deepCopy, isDict, isList, quote, str, textOf, type Value } from '../data/mod.ts'
import { ConfigError } from './errors.ts'
import { defaultConfig, type ProcessEnvironment, readConfigFiles } from './files.ts'
import type { Sources } from './source.ts'
import type { ConfigRenderer } from './templates.ts'
import { option } from './view.ts'

const MASTER_CONFIG = defaultConfig('master')

export interface CloudFilesRequest {
  /** The options of the master. */
  opts: Dict
  log: Log
  render?: ConfigRenderer | undefined
  env?: ProcessEnvironment
}

/** A provider of the files, merged with the providers that it extends. */
export interface CloudProvider {
  alias: string
  driver: string
  settings: Dict
  at: Position
}

export interface CloudProfile {
  name: string
  settings: Dict
  at: Position
}

export interface CloudFiles {
  /** The options of the master merged with those of the file `cloud`. `cachedir` is that of salt-cloud. */
  opts: Dict
  /** The options that the file `cloud` sets, with their places. */
  own: Dict
  sources: Sources
  providers: CloudProvider[]
  profiles: Map<string, CloudProfile>
}

/** Read all files. Throw a ConfigError that names file and line for a broken one, an unknown name, or names that extend each other. */
export async function readCloudFiles(request: CloudFilesRequest): Promise<CloudFiles> {
  const { opts: master, log, render, env = process.env } = request
  const folder = cloudConfigFolder(master)
  const read = (role: 'cloud' | 'cloud.providers' | 'cloud.profiles', path: string, settled: Dict) =>
    readConfigFiles({
      ...{ role, path, env, log, render, isLook: true, isStrict: true },
      settle: async (soFar) => new Map<Value, Value>([...settled, ...(role === 'cloud' ? soFar : [])]),
    })
  const main = await read('cloud', join(folder, 'cloud'), master)
  const own = main.overrides
  own.delete('conf_file')
  const opts: Dict = new Map([...master, ...own])
  opts.set('cachedir', own.get('cachedir') ?? join(dirname(option(master, 'cachedir')), 'cloud'))
  const placed = (name: string, usual: string): string => {
    const path = textOf(own.get(name) ?? null) ?? usual
    return path.startsWith('/') ? path : join(folder, path)
  }
  const providers = await read('cloud.providers', placed('providers_config', 'cloud.providers'), opts)
  const profiles = await read('cloud.profiles', placed('profiles_config', 'cloud.profiles'), opts)
  return {
    ...{ opts, own, sources: main.sources },
    providers: providersIn(
      withInline(own, 'providers', providers.overrides),
      placesOf(main.sources, providers.sources),
    ),
    profiles: profilesIn(withInline(own, 'profiles', profiles.overrides), placesOf(main.sources, profiles.sources)),
  }
}

/** Return the folder of the configuration: the folder that a program was given, or that of the master's file. */
export function cloudConfigFolder(opts: Dict): string {
  const given = resolve(option(opts, 'config_dir'))
  return given === dirname(MASTER_CONFIG) ? dirname(option(opts, 'conf_file')) : given
}

/** Definitions may be in the main file, too. */
function withInline(own: Dict, name: string, found: Dict): Dict {
  const inline = own.get(name)
  const all: Dict = inline !== undefined && isDict(inline) ? new Map(inline) : new Map()
  for (const [key, value] of found) if (!NO_NAMES.has(str(key))) all.set(key, value)
  return all
}

/** Keys of the files that are about the files. */
const NO_NAMES = new Set(['conf_file', 'include', 'default_include', 'config_renderer'])

const placesOf =
  (main: Sources, own: Sources) =>
  (name: string): Position =>
    own.get(name) ?? main.get('providers') ?? main.get('profiles') ?? { file: 'cloud', line: 1 }

const placeText = ({ file, line }: Position): string => `${file}, line ${line}`

function refusal(what: string, at: Position, hint?: string): ConfigError {
  return new ConfigError('OptionInvalid', `${what} in ${placeText(at)}${hint === undefined ? '' : `. ${hint}`}`, { at })
}

interface Written {
  label: string
  settings: Dict
  at: Position
}

/** Merge settings into the ones that they extend. */
function extended(
  written: Written,
  find: (name: string, from: Written) => Written,
  path: readonly Written[] = [],
): Dict {
  const base = written.settings.get('extends') ?? null
  if (path.includes(written)) {
    const names = [...path.slice(path.indexOf(written)), written].map(({ label }) => label)
    throw refusal(`${names.join(' extends ')}: names extend each other`, written.at)
  }
  if (base === null) return deepCopy(written.settings) as Dict
  const below = extended(find(str(base), written), find, [...path, written])
  const all: Dict = new Map([...below, ...(deepCopy(written.settings) as Dict)])
  all.delete('extends')
  return all
}

function providersIn(all: Dict, at: (name: string) => Position): CloudProvider[] {
  const written = [...all].flatMap(([key, value]) => writtenProviders(str(key), value, at(str(key))))
  const find = (name: string, from: Written): Written => {
    const [alias, driver] = name.split(':', 2)
    const found = written.filter(
      (one) =>
        one !== from &&
        one.alias === alias &&
        (driver === undefined || textOf(one.settings.get('driver') ?? null) === driver),
    )
    const hint = didYouMean(
      name,
      written.map((one) => one.alias),
    )
    if (found.length === 1) return found[0]!
    const why = found.length === 0 ? 'is not defined' : 'has several drivers: write alias:driver'
    throw refusal(`${from.label} extends the provider ${quote(name)}, which ${why},`, from.at, hint)
  }
  const checkSelf = (one: Written & { alias: string }): void => {
    const base = one.settings.get('extends') ?? null
    if (base !== null && str(base) === one.alias && written.filter(({ alias }) => alias === one.alias).length === 1) {
      throw refusal(`${one.label} extends itself`, one.at)
    }
  }
  return written.map((one) => {
    checkSelf(one)
    const settings = extended(one, find)
    const driver = textOf(settings.get('driver') ?? settings.get('provider') ?? null)
    if (driver === undefined) throw refusal(`${one.label} names no driver`, one.at)
    settings.delete('driver')
    settings.delete('provider')
    return { alias: one.alias, driver, settings, at: one.at }
  })
}

/** A provider is a map, or a list of maps with one driver each. */
function writtenProviders(alias: string, value: Value, at: Position): (Written & { alias: string })[] {
  const maps = isList(value) ? value : [value]
  const label = `The provider ${quote(alias)}`
  return maps.map((settings) => {
    if (!isDict(settings)) throw refusal(`${label} is no map of settings`, at)
    return { alias, label, settings, at }
  })
}

function profilesIn(all: Dict, at: (name: string) => Position): Map<string, CloudProfile> {
  const written = new Map<string, Written>()
  for (const [key, settings] of all) {
    const name = str(key)
    const label = `The profile ${quote(name)}`
    if (!isDict(settings)) throw refusal(`${label} is no map of settings`, at(name))
    written.set(name, { label, settings, at: at(name) })
  }
  const find = (name: string, from: Written): Written => {
    const found = written.get(name)
    if (found) return found
    throw refusal(
      `${from.label} extends the profile ${quote(name)}, which is not defined,`,
      from.at,
      didYouMean(name, written.keys()),
    )
  }
  return new Map([...written].map(([name, one]) => [name, { name, settings: extended(one, find), at: one.at }]))
}
