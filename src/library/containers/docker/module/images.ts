// Images: listing, pulling and removing them.
import {
  type Dict,
  dictFrom,
  float,
  isDict,
  isFailure,
  isList,
  loadJson,
  splitLines,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { attempt, docker, inspect, lines, said } from './cli.ts'

/** Return images by ID, with their properties. */
export async function images(ctx: FunctionContext, all: boolean): Promise<Dict> {
  const ids = [...new Set(await lines(ctx, 'image', 'ls', '--no-trunc', '--quiet', ...(all ? ['--all'] : [])))]
  const found: Dict = new Map()
  if (ids.length === 0) return found
  const known = ['RepoTags', 'RepoDigests', 'ParentId', 'Parent', 'Created', 'Size', 'VirtualSize', 'Labels']
  const inspected = loadJson(await said(ctx, 'image', 'inspect', ...ids))
  for (const facts of isList(inspected) ? inspected.filter(isDict) : []) {
    const tags = facts.get('RepoTags') ?? null
    if (!truthy(tags) && !all) continue
    found.set(facts.get('Id') ?? null, new Map([...facts].filter(([key]) => known.includes(str(key)))))
  }
  return found
}

export async function tags(ctx: FunctionContext): Promise<string[]> {
  const found = await lines(ctx, 'image', 'ls', '--format', '{{.Repository}}:{{.Tag}}')
  return [...new Set(found.filter((tag) => !tag.includes('<none>')))].sort()
}

export async function resolveId(ctx: FunctionContext, name: string): Promise<Value> {
  return (await attempt(() => inspect(ctx, 'image', name)))?.get('Id') ?? false
}

export async function resolveTag(ctx: FunctionContext, name: string, all: boolean): Promise<Value> {
  const facts = await attempt(() => inspect(ctx, 'image', name))
  if (!facts) return false
  const tags = facts.get('RepoTags') ?? []
  const found = isList(tags) && tags.length > 0 ? tags : [facts.get('Id') ?? null]
  return all ? found : (found[0] ?? null)
}

/** Pull an image; return the pulled layers, the existing layers, and the status. */
export async function pull(ctx: FunctionContext, image: string): Promise<Dict> {
  const started = ctx.host.now()
  const { stdout } = await docker(ctx, ['pull', image])
  const layers = new Map<string, string[]>()
  const add = (kind: string, layer: string): void => {
    layers.set(kind, [...(layers.get(kind) ?? []), layer])
  }
  const outcome: Dict = dictFrom({ Time_Elapsed: float(ctx.host.now() - started), retcode: 0 })
  for (const line of splitLines(stdout)) {
    const [, layer = '', event] = /^([0-9a-f]{6,}): (.*)$/.exec(line) ?? []
    if (event === 'Pull complete') add('Pulled', layer)
    else if (event === 'Already exists') add('Already_Pulled', layer)
    else if (line.startsWith('Status: ')) outcome.set('Status', line.slice(8))
  }
  if (layers.size > 0) outcome.set('Layers', new Map(layers))
  return outcome
}

export async function removeImages(ctx: FunctionContext, names: readonly Value[], force: boolean): Promise<Dict> {
  const [before, tagsBefore] = [[...(await images(ctx, true)).keys()], await tags(ctx)]
  const errors: Value[] = []
  for (const name of names) {
    try {
      await docker(ctx, ['rmi', ...(force ? ['--force'] : []), str(name)])
    } catch (error) {
      if (!isFailure(error)) throw error
      errors.push(error.message)
    }
  }
  const [after, tagsAfter] = [await images(ctx, true), await tags(ctx)]
  const outcome: Dict = new Map<Value, Value>([
    ['Layers', before.filter((id) => !after.has(id))],
    ['Tags', tagsBefore.filter((tag) => !tagsAfter.includes(tag))],
    ['retcode', errors.length > 0 ? 1 : 0],
  ])
  return errors.length > 0 ? outcome.set('Errors', errors) : outcome
}
