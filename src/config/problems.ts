// All complaints about the options of a daemon at once, for a report instead of a log.
import type { Dict } from '../data/mod.ts'
import { checkEffects, checkNames, checkPlugins, checkTypes, isKnownOption, type OptionProblem } from './check.ts'
import type { Role } from './option.ts'
import { OLD_NAMES } from './options.ts'
import { sourcesOf } from './source.ts'

/** Return all complaints about the options that files set. `unknown` are undeclared names that resemble no declared one. */
export function optionProblems(opts: Dict, role: Role): { problems: OptionProblem[]; unknown: string[] } {
  const sources = sourcesOf(opts)
  const set: Dict = new Map([...opts].filter(([name]) => sources.has(String(name))))
  const named = [...checkNames(sources, role)]
  const slips = new Set(named.map(({ option }) => option))
  return {
    problems: [
      ...named,
      ...checkTypes(set, sources),
      ...checkPlugins(set, sources),
      ...checkEffects(set, sources, role),
      ...oldNames(sources.keys()),
    ],
    unknown: [...sources.keys()].filter(
      (name) => !isKnownOption(name) && !slips.has(name) && !name.includes('.') && !name.startsWith('_'),
    ),
  }
}

function* oldNames(names: Iterable<string>): Generator<OptionProblem> {
  for (const option of names) {
    const current = OLD_NAMES.get(option)
    if (current === undefined) continue
    yield {
      kind: 'old',
      option,
      level: 'warning',
      text: `Option '${option}' is now called '${current}'`,
      meant: current,
    }
  }
}
