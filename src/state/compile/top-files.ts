// The rendered top files of the relevant environments, with their includes.

import { option } from '../../config/mod.ts'
import {
  contains,
  type Dict,
  fnmatchFilter,
  getItem,
  iterate,
  PyError,
  str,
  truthy,
  type Value,
} from '../../data/mod.ts'
import { RenderError, type TopPlaces, type TreeFile } from '../../render/mod.ts'
import type { CompilerContext, RenderSls } from './compiler-context.ts'
import type { StateList, StateTree } from './tree.ts'

/** By environment: its top file and the files that it includes. */
export type Tops = Map<string, Value[]>

export interface TopFiles {
  ctx: CompilerContext
  states: StateList
  render: RenderSls
  places: TopPlaces
}

/** Return the environments whose top files are read. */
export async function environmentsOf(opts: Dict, tree: StateTree): Promise<string[]> {
  const roots = opts.get('file_roots')
  const configured = new Set(['base', ...(roots instanceof Map ? [...roots.keys()].map(str) : [])])
  const order = opts.get('env_order')
  const wanted = Array.isArray(order) ? [...new Set(order.map(str))] : []
  const served = await tree.envs()
  if (wanted.length === 0) return [...new Set([...configured, ...served])]
  return served.length > 0 ? wanted.filter((env) => served.includes(env)) : wanted
}

export async function readTops({ ctx, states, render, places }: TopFiles): Promise<Tops> {
  const { opts, tree } = ctx
  const strategy = option(opts, 'top_file_merging_strategy')
  const only = option(opts, 'saltenv')
  if (strategy === 'same' && !truthy(only) && !truthy(option(opts, 'default_top'))) {
    throw new RenderError(
      'SaltRenderError',
      "top_file_merging_strategy set to 'same', but no default_top configuration option was set",
    )
  }
  const path = topPath(option(opts, 'state_top'))
  const tops: Tops = new Map()
  for (const saltenv of truthy(only) ? [str(only)] : await searched(opts, tree)) {
    const found = await tree.read(path, saltenv)
    const value = found ? await rendered(found, saltenv) : new Map()
    tops.set(saltenv, [value])
    if (!found) ctx.log('debug', `No contents loaded for saltenv '${saltenv}'`)
    else if (!(value instanceof Map)) ctx.log('error', `${found.file}:1: The top file does not render to a dictionary`)
  }
  await addIncluded(tops, states, rendered)
  return tops

  async function rendered(found: TreeFile, saltenv: string): Promise<Value> {
    const { value, sourceLine } = await render({ ...found, saltenv, sls: '' })
    places.remember({ value, file: found.file, sourceLine })
    return value
  }
}

async function searched(opts: Dict, tree: StateTree): Promise<string[]> {
  const only = option(opts, 'state_top_saltenv')
  return truthy(only) ? [str(only)] : environmentsOf(opts, tree)
}

const topPath = (url: string): string => url.replace(/^salt:\/\//, '').replace(/^\//, '')

/** Add the `include` entries of top files; entries in included files are ignored. */
async function addIncluded(
  tops: Tops,
  states: StateList,
  render: (found: TreeFile, saltenv: string) => Promise<Value>,
): Promise<void> {
  for (const [saltenv, files] of tops) {
    const wanted: Value[] = []
    for (const file of files) {
      if (!contains(file, 'include')) continue
      wanted.push(...iterate(getItem(file, 'include')))
      if (file instanceof Map) file.delete('include')
    }
    const done = new Set<string>()
    for (const pattern of wanted) {
      for (const sls of fnmatchFilter(await states.of(saltenv), str(pattern))) {
        if (done.has(sls)) continue
        done.add(sls)
        const found = await states.file(sls, saltenv)
        files.push(found ? await render(found, saltenv) : new Map())
      }
    }
  }
}

/** Top data that is no dict fails as in Python. */
export function itemsOf(top: Value): Iterable<[Value, Value]> {
  if (top instanceof Map) return top
  const name = Array.isArray(top) ? 'list' : typeof top === 'string' ? 'str' : 'object'
  throw new PyError('AttributeError', `'${name}' object has no attribute 'items'`)
}
