// Checks the names of plug-ins in the options of a master. Each part of the master reports a missing plug-in when it
// needs it; this check reports all of them at the start, with the place in the file.
import { didYouMean, type Log, shownText } from '../base/mod.ts'
import { placeOfOption } from '../config/mod.ts'
import { returnerNames } from '../daemon/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import { backendNames } from '../fileserver/mod.ts'
import { returnerTable, topsTable } from '../loader/mod.ts'
import { builtinExtPillars } from '../pillar/mod.ts'
import { reportExtensions } from '../pybridge/mod.ts'
import { type FamilyName, mayHaveModules } from '../python/mod.ts'
import { BACKEND_NAMES } from './access/backends.ts'
import { BUILT_IN_TOKENS } from './access/own-tokens.ts'

interface PluginOption {
  option: string
  family: FamilyName
  builtIn: readonly string[]
  namesIn(value: Value | undefined): string[]
}

const keysOf = (value: Value | undefined): string[] =>
  isDict(value ?? null) ? [...(value as Dict).keys()].map(str) : []

const RETURNERS = { family: 'returners', builtIn: ['local_cache', ...Object.keys(returnerTable)] } as const

const PLUGIN_OPTIONS: readonly PluginOption[] = [
  { option: 'external_auth', family: 'auth', builtIn: BACKEND_NAMES, namesIn: keysOf },
  {
    option: 'eauth_tokens',
    family: 'tokens',
    builtIn: BUILT_IN_TOKENS,
    namesIn: (value) => (value === undefined ? [] : [str(value)]),
  },
  { option: 'master_job_cache', ...RETURNERS, namesIn: returnerNames },
  { option: 'ext_job_cache', ...RETURNERS, namesIn: returnerNames },
  { option: 'event_return', ...RETURNERS, namesIn: returnerNames },
  { option: 'master_tops', family: 'tops', builtIn: Object.keys(topsTable), namesIn: keysOf },
  {
    option: 'fileserver_backend',
    family: 'fileserver',
    builtIn: backendNames,
    namesIn: (value) => (value !== undefined && isList(value) ? value.map(str) : []),
  },
  {
    option: 'ext_pillar',
    family: 'pillar',
    builtIn: [...builtinExtPillars.keys()],
    namesIn: (value) => (value !== undefined && isList(value) ? value.flatMap(keysOf) : []),
  },
]

/** Report installed extensions, and each name in the options that no plug-in has. */
export function reportPlugins(opts: Dict, log: Log): void {
  reportExtensions(opts, log)
  reportUnknownPlugins(opts, log)
}

/** A name in an option that no built-in plug-in has. */
export interface UnknownPlugin {
  option: string
  family: FamilyName
  name: string
  /** Similar names, or the list of existing ones. */
  hint: string
}

/** Return each name in the options of a master that no built-in plug-in has. */
export function* unknownPlugins(opts: Dict): Generator<UnknownPlugin> {
  for (const { option, family, builtIn, namesIn } of PLUGIN_OPTIONS) {
    for (const name of namesIn(opts.get(option))) {
      if (builtIn.includes(name)) continue
      yield { option, family, name, hint: didYouMean(name, builtIn) ?? `There are ${builtIn.join(', ')}` }
    }
  }
}

/**
 * Log an error for each name without a plug-in. A user's own module may have any name, so nothing is reported if there
 * are such modules.
 */
function reportUnknownPlugins(opts: Dict, log: Log): void {
  for (const { option, family, name, hint } of unknownPlugins(opts)) {
    if (mayHaveModules(opts, family)) continue
    log(
      'error',
      `Option '${option}'${placeOfOption(opts, option)} names '${shownText(name)}', which is not here. ${hint}`,
    )
  }
}
