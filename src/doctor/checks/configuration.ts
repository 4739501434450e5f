// Options of the configuration: names, types, effects, and the plug-ins in them.
import { didYouMean } from '../../base/mod.ts'
import { type OptionProblem, option, optionProblems, rawOption, sourcesOf } from '../../config/mod.ts'
import { configuredEngines } from '../../daemon/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../../data/mod.ts'
import { beaconTable, cacheTable, engineTable, returnerTable, sdbTable } from '../../loader/mod.ts'
import { unknownPlugins } from '../../master/mod.ts'
import { outputters } from '../../output/mod.ts'
import type { FamilyName } from '../../python/mod.ts'
import { rosterBackends } from '../../ssh/mod.ts'
import type { Check, CheckContext } from '../check.ts'
import type { Code } from '../codes.ts'
import type { Site, SiteDaemon } from '../site/site.ts'

const CODE_OF: Readonly<Record<OptionProblem['kind'], Code>> = {
  name: 'config-unknown-option',
  type: 'config-wrong-type',
  plugin: 'config-missing-plugin',
  later: 'config-later-option',
  needless: 'config-needless-option',
  old: 'config-old-option',
}

export const configuration: Check = {
  name: 'configuration',
  codes: [...Object.values(CODE_OF), 'config-foreign-option', 'config-invalid', 'beacon-missing'],
  run: (site, ctx) => {
    for (const daemon of site.daemons) {
      if (!daemon.isConfigured) continue
      checkOptions(daemon, ctx)
      checkPlugins(daemon, site, ctx)
    }
  },
}

function checkOptions({ opts, role }: SiteDaemon, { report }: CheckContext): void {
  const sources = sourcesOf(opts)
  const { problems, unknown } = optionProblems(opts, role)
  for (const { kind, option: name, text, meant } of problems) {
    // the place is reported separately, and values of options are not shown
    const message = kind === 'type' ? text.replace(/ with value .* has an invalid type/s, ' has an invalid type') : text
    report(CODE_OF[kind], {
      message: message.replace(/ \(set in .*, line \d+\)$/, '').replace(/ in \S*, line \d+(?=[ ;:])/, ''),
      at: sources.get(name),
      hint: meant === undefined ? undefined : `Did you mean '${meant}'?`,
    })
  }
  for (const name of unknown) {
    if (isOfModule(name, opts)) continue
    report('config-foreign-option', { message: `Nothing declares the option '${name}'`, at: sources.get(name) })
  }
}

/** Profiles of sdb drivers and settings of returners and modules, which have names that users choose. */
function isOfModule(name: string, opts: Dict): boolean {
  const value = opts.get(name) ?? null
  return isDict(value) && (value.has('driver') || value.has('provider'))
}

interface Named {
  option: string
  name: string
  family: FamilyName
  builtIn: readonly string[]
}

function checkPlugins(daemon: SiteDaemon, { own }: Site, { report }: CheckContext): void {
  const { opts } = daemon
  const sources = sourcesOf(opts)
  const tell = (code: Code, option: string, name: string, hint: string | undefined): void =>
    report(code, { message: `Option '${option}' names '${name}', which is not here`, at: sources.get(option), hint })
  if (daemon.role === 'master') {
    for (const { option: name, family, name: plugin, hint } of unknownPlugins(opts)) {
      if (!own.has(family, plugin)) tell('config-missing-plugin', name, plugin, hint)
    }
  }
  for (const { option: name, name: plugin, family, builtIn } of namedPlugins(daemon)) {
    if (builtIn.includes(plugin) || own.has(family, plugin) || !sources.has(name)) continue
    const code = family === 'beacons' ? 'beacon-missing' : 'config-missing-plugin'
    tell(code, name, plugin, didYouMean(plugin, builtIn))
  }
}

function* namedPlugins({ role, opts }: SiteDaemon): Generator<Named> {
  const texts = (value: Value): string[] => (isList(value) ? value.map(str) : typeof value === 'string' ? [value] : [])
  const engines = { option: 'engines', family: 'engines', builtIn: Object.keys(engineTable) } as const
  for (const { module } of configuredEngines(opts)) yield { ...engines, name: module }
  for (const name of texts(opts.get('output') ?? null)) {
    yield { option: 'output', name, family: 'output', builtIn: [...outputters.keys()] }
  }
  yield* sdbDrivers(opts)
  if (role === 'master') {
    yield { option: 'roster', name: option(opts, 'roster'), family: 'roster', builtIn: Object.keys(rosterBackends) }
    const caches = ['localfs', ...Object.keys(cacheTable)]
    yield { option: 'cache', name: option(opts, 'cache'), family: 'cache', builtIn: caches }
    return
  }
  for (const text of texts(rawOption(opts, 'return'))) {
    for (const name of text.split(',').filter((part) => part !== '')) {
      yield { option: 'return', name: name.trim(), family: 'returners', builtIn: Object.keys(returnerTable) }
    }
  }
  for (const name of beaconNames(opts.get('beacons') ?? null)) {
    yield { option: 'beacons', name, family: 'beacons', builtIn: Object.keys(beaconTable) }
  }
}

function* sdbDrivers(opts: Dict): Generator<Named> {
  for (const [key, value] of opts) {
    const driver = isDict(value) ? value.get('driver') : undefined
    if (typeof driver !== 'string' || !sourcesOf(opts).has(str(key))) continue
    yield { option: str(key), name: driver, family: 'sdb', builtIn: Object.keys(sdbTable) }
  }
}

/** Return the names of beacons; with `beacon_module`, an entry can have a name of its own. */
function beaconNames(beacons: Value): string[] {
  if (!isDict(beacons)) return []
  const names = [...beacons].map(([key, settings]) => {
    const parts = isList(settings) ? settings.filter(isDict) : isDict(settings) ? [settings] : []
    const module = parts.map((part) => part.get('beacon_module')).find((name) => name !== undefined)
    return str(module ?? key)
  })
  return names.filter((name) => !['enabled', 'interval'].includes(name))
}
