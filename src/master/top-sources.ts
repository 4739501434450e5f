// The sources of `_master_tops`: SLS files that other systems name for a minion, by environment. The sources are plugins of the library, and users'
// own files in `_tops`, which have a function `top` that gets the minion's options and grains.
import { toError } from '../base/mod.ts'
import { type Dict, dictFrom, isDict, isList, str, textOf, type Value } from '../data/mod.ts'
import { moduleTable, Registry, topsTable } from '../loader/mod.ts'
import { userPlugins } from '../pybridge/mod.ts'
import { answersOf } from '../python/mod.ts'
import { sourceFamily } from '../render/mod.ts'
import { callTops, dataSourceContext } from '../sdk/mod.ts'
import type { TopParts } from './tops.ts'

type Source = (setting: Value) => Promise<Dict>

/** The minion's own data in its request. */
interface Asking {
  id: string
  opts: Dict
  grains: Dict
}

const dictOr = (value: Value | undefined): Dict => (value !== undefined && isDict(value) ? value : new Map())

/** Return the sources of users' own by name. */
async function ownSources(
  { opts, log }: TopParts,
  asking: Asking,
  functions: Registry,
  names: readonly string[],
): Promise<ReadonlyMap<string, Source>> {
  const answers = answersOf({ function: sourceFamily(functions) })
  const scope = { opts, grains: asking.grains, pillar: new Map(), memory: new Map(), log, answers }
  const given = dictFrom({ opts: asking.opts, grains: asking.grains })
  const found = await userPlugins(scope, 'tops', names, Object.keys(topsTable))
  const plugins = [...found].filter(([, plugin]) => plugin.has('top'))
  return new Map(
    plugins.map(([name, plugin]) => [name, async () => dictOr(await plugin.call(scope, 'top', [], given))]),
  )
}

async function builtIn(name: string, parts: TopParts, asking: Asking, functions: Registry): Promise<Source> {
  if (!Object.hasOwn(topsTable, name)) throw new Error('there is no such source here')
  const { default: source } = await topsTable[name]!()
  const context = dataSourceContext({ ...parts, grains: asking.grains, functions })
  return (setting) => callTops(source, { ...context, minionId: asking.id }, setting)
}

/** Merge the top data of all sources. A source that fails is logged and skipped. */
export async function topsOf(parts: TopParts, settings: Dict, load: Dict): Promise<Dict> {
  const { opts, log, host } = parts
  const tops: Dict = new Map()
  const minionOpts = dictOr(load.get('opts'))
  const asking = {
    id: textOf(load.get('id') ?? null) ?? '',
    opts: minionOpts,
    grains: dictOr(minionOpts.get('grains')),
  }
  const functions = new Registry(moduleTable, { opts, grains: asking.grains, pillar: new Map(), host, log })
  const owns = await ownSources(parts, asking, functions, [...settings.keys()].map(str))
  for (const [key, setting] of settings) {
    const name = str(key)
    try {
      const source = owns.get(name) ?? (await builtIn(name, parts, asking, functions))
      for (const [env, names] of await source(setting)) {
        const known = tops.get(env)
        tops.set(env, [...(known !== undefined && isList(known) ? known : []), ...(isList(names) ? names : [])])
      }
    } catch (error) {
      log('error', `Top function ${name} failed with error ${toError(error).message} for minion ${asking.id}`)
    }
  }
  return tops
}
