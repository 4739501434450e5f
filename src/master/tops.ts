// `_master_tops`: SLS files that other systems name for a minion, by environment. `ext_nodes` asks a program, which is
// called with the minion's id and writes YAML with `classes` and `environment`.
import { type Log, toError } from '../base/mod.ts'
import { type Dict, isDict, isList, splitWords, str, textOf, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
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

const SOURCES: Readonly<Record<string, Source>> = { ext_nodes: externalNodes }

interface TopParts {
  opts: Dict
  log: Log
  host: Host
}

/** Sources that fail are told of in the log and left out. */
export async function masterTops({ opts, log, host }: TopParts, load: Dict): Promise<Dict> {
  const settings = opts.get('master_tops') ?? null
  const id = textOf(load.get('id') ?? null) ?? ''
  const tops: Dict = new Map()
  for (const [name, setting] of isDict(settings) ? settings : []) {
    const source = Object.hasOwn(SOURCES, str(name)) ? SOURCES[str(name)] : undefined
    try {
      if (!source) throw new Error('there is no such source here')
      for (const [env, names] of await source(id, setting, host)) {
        const known = tops.get(env)
        tops.set(env, [...(known !== undefined && isList(known) ? known : []), ...(isList(names) ? names : [])])
      }
    } catch (error) {
      log('error', `Top function ${str(name)} failed with error ${toError(error).message} for minion ${id}`)
    }
  }
  return tops
}
