// `log_granular_levels`: levels of components by name. A name covers all names below it; the longest match counts.
import { logLevelNumber } from '../../config/mod.ts'
import { type Dict, str } from '../../data/mod.ts'

/** The folders of Salt's plugins by the word that their loggers have: `salt.loaded.int.module.file` is of `salt.modules`. */
const FOLDERS: ReadonlyMap<string, string> = new Map([
  ['module', 'modules'],
  ['returner', 'returners'],
  ['render', 'renderers'],
  ['executor', 'executors'],
  ['top', 'tops'],
])

/** Return the least level of a component, by number; 0 where no level is set. */
export function granularLevels(levels: Dict): (name: string) => number {
  const known = new Map([...levels].map(([name, level]) => [str(name), logLevelNumber(level) ?? 0]))
  if (known.size === 0) return () => 0
  return (name) => {
    for (const candidate of ancestors(name)) {
      const level = known.get(candidate)
      if (level !== undefined) return level
    }
    return known.get('') ?? known.get('root') ?? 0
  }
}

/** The names that a level of a component may be set under, the closest first. */
function ancestors(name: string): string[] {
  const loaded = /^salt\.loaded\.\w+\.(\w+)((?:\.\w+)*)/.exec(name)
  if (!loaded) return chain(name)
  const [, family, rest] = loaded
  const own = chain(name).filter((candidate) => candidate.split('.').length > 3)
  return [...own, ...chain(`salt.${FOLDERS.get(family!) ?? family}${rest}`), 'salt.loaded', 'salt']
}

/** A name and all above it. */
function chain(name: string): string[] {
  const parts = name.split('.')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'))
}
