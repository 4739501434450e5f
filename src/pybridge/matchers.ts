// Users' own matchers: `_matchers/NAME_match.py` with a function `match`, for `tgt_type: NAME` and `match: NAME`. One of
// the name of a built-in kind takes its place.
import { option } from '../config/mod.ts'
import { type Dict, isDict, type Value } from '../data/mod.ts'
import type { MatchOptions, MatchSubject } from '../match/mod.ts'
import { moduleFiles, type Scope } from '../python/mod.ts'

async function scopeOf({ opts, grains, pillar, log }: MatchSubject): Promise<Scope> {
  const { answersOf } = await import('../python/mod.ts')
  return { opts, grains, pillar, memory: new Map(), log: log ?? (() => {}), answers: answersOf({}) }
}

/**
 * Return the result of a user's own matcher; undefined if there is none with that name, which costs the listing of a
 * few folders.
 */
export function ownMatch(
  kind: string,
  target: Value,
  subject: MatchSubject,
  options: MatchOptions = {},
): Promise<Value> | undefined {
  const file = moduleFiles(subject.opts, 'matchers').find(({ name }) => name === `${kind}_match`)
  return file && asked(`${kind}_match`, target, subject, options)
}

async function asked(name: string, target: Value, subject: MatchSubject, options: MatchOptions): Promise<Value> {
  const { userPlugins } = await import('./plugins.ts')
  const scope = await scopeOf(subject)
  const plugin = (await userPlugins(scope, 'matchers', [name])).get(name)
  if (!plugin?.has('match')) throw new Error(`'${name}.match' is not available.`)
  const nodegroups = option(subject.opts, 'nodegroups')
  const known: Record<string, Value | undefined> = {
    delimiter: options.delimiter,
    minion_id: options.id,
    nodegroups: isDict(nodegroups) ? nodegroups : new Map(),
  }
  const kwargs: Dict = new Map()
  for (const parameter of plugin.parameters('match')) {
    const value = known[parameter]
    if (value !== undefined) kwargs.set(parameter, value)
  }
  return plugin.call(scope, 'match', [target], kwargs)
}
