// `_master_tops`: SLS files that other systems name for a minion, by environment. `ext_nodes` asks a program, which is
// called with the minion's id and writes YAML with `classes` and `environment`. Users' own files in `_tops` have a
// function `top` that gets the minion's options and grains.
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, splitWords, str, textOf, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { userPlugins } from '../pybridge/mod.ts'
import { answersOf } from '../python/mod.ts'
import { load as loadYaml } from '../yaml/mod.ts'

type Source = (id: string, setting: Value, host: Host) => Promise<Dict>

const SECONDS = 60

async function externalNodes(id: string, setting: Value, host: Host): Promise<Dict> {
  const argv = [...splitWords(str(setting)), id]
  const { retcode, stdout, stderr } = await host.run({ argv, timeout: SECONDS })
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
  if (retcode !== 0) throw new Error(`${argv[0]} ended with ${retcode}: ${text(stderr)}`)
  const node = loadYaml(text(stdout))
  if (!isDict(node)) return new Map()
  const classes = node.get('classes') ?? null
  const names = isDict(classes) ? [...classes.keys()] : isList(classes) ? [...classes] : undefined
  return names === undefined ? new Map() : new Map([[node.get('environment') ?? 'base', names]])
}

/** Users' own sources by name. */
async function ownSources(opts: Dict, log: Log, load: Dict): Promise<Map<string, () => Promise<Dict>>> {
  const asking = load.get('opts')
  const options: Dict = asking !== undefined && isDict(asking) ? asking : new Map()
  const known = options.get('grains')
  const grains: Dict = known !== undefined && isDict(known) ? known : new Map()
  const scope = { opts, grains, pillar: new Map(), memory: new Map(), log, answers: answersOf({}) }
  const given = new Map<Value, Value>([
    ['opts', options],
    ['grains', grains],
  ])
  const plugins = [...(await userPlugins(scope, 'tops'))].filter(([, plugin]) => plugin.has('top'))
  return new Map(
    plugins.map(([name, plugin]) => [
      name,
      async () => {
        const found = await plugin.call(scope, 'top', [], given)
        return isDict(found) ? found : new Map()
      },
    ]),
  )
}

const SOURCES: Readonly<Record<string, Source>> = { ext_nodes: externalNodes }

/** The sources that are built in. */
export const TOP_NAMES: readonly string[] = Object.keys(SOURCES)

interface TopParts {
  opts: Dict
  log: Log
  host: Host
}

/** Sources that fail are told of in the log and left out. */
export async function masterTops({ opts, log, host }: TopParts, load: Dict): Promise<Dict> {
  const settings = option(opts, 'master_tops')
  const id = textOf(load.get('id') ?? null) ?? ''
  const tops: Dict = new Map()
  if (!isDict(settings) || settings.size === 0) return tops
  const owns = await ownSources(opts, log, load)
  for (const [name, setting] of settings) {
    const builtIn = Object.hasOwn(SOURCES, str(name)) ? SOURCES[str(name)] : undefined
    const source = owns.get(str(name)) ?? (builtIn && (() => builtIn(id, setting, host)))
    try {
      if (!source) throw new Error('there is no such source here')
      for (const [env, names] of await source()) {
        const known = tops.get(env)
        tops.set(env, [...(known !== undefined && isList(known) ? known : []), ...(isList(names) ? names : [])])
      }
    } catch (error) {
      log('error', `Top function ${str(name)} failed with error ${toError(error).message} for minion ${id}`)
    }
  }
  return tops
}
