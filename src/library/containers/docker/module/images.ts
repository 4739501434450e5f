// Images: which there are, fetching and removing them.
import { type Dict, float, loadJson, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { attempt, docker, inspect, isFailure, lines, said } from './cli.ts'

/** Images by ID, with all that is known of them. */
export async function images(ctx: FunctionContext, all: boolean): Promise<Dict> {
  const ids = [...new Set(await lines(ctx, 'image', 'ls', '--no-trunc', '--quiet', ...(all ? ['--all'] : [])))]
  const found: Dict = new Map()
  if (ids.length === 0) return found
  for (const facts of loadJson(await said(ctx, 'image', 'inspect', ...ids)) as Dict[]) {
    const tags = facts.get('RepoTags') ?? null
    if (!truthy(tags) && !all) continue
    const known = ['RepoTags', 'RepoDigests', 'ParentId', 'Parent', 'Created', 'Size', 'VirtualSize', 'Labels']
    found.set(facts.get('Id')!, new Map([...facts].filter(([key]) => known.includes(str(key)))))
  }
  return found
}

export async function tags(ctx: FunctionContext): Promise<string[]> {
  const found = await lines(ctx, 'image', 'ls', '--format', '{{.Repository}}:{{.Tag}}')
  return [...new Set(found.filter((tag) => !tag.includes('<none>')))].sort()
}

export async function resolveId(ctx: FunctionContext, name: Value): Promise<Value> {
  return (await attempt(() => inspect(ctx, 'image', name)))?.get('Id') ?? false
}

export async function resolveTag(ctx: FunctionContext, name: Value, all: boolean): Promise<Value> {
  const facts = await attempt(() => inspect(ctx, 'image', name))
  if (!facts) return false
  const found = (facts.get('RepoTags') ?? []) as Value[]
  if (found.length === 0) return all ? [facts.get('Id')!] : facts.get('Id')!
  return all ? found : found[0]!
}

/** What `docker pull` told: layers that came and that were there, and its last word. */
export async function pull(ctx: FunctionContext, image: Value): Promise<Dict> {
  const started = ctx.host.now()
  const { stdout } = await docker(ctx, ['pull', str(image)])
  const layers: Dict = new Map()
  const add = (kind: string, layer: string): void => {
    layers.set(kind, [...((layers.get(kind) ?? []) as Value[]), layer])
  }
  const outcome: Dict = new Map<Value, Value>([
    ['Time_Elapsed', float(ctx.host.now() - started)],
    ['retcode', 0],
  ])
  for (const line of splitLines(stdout)) {
    const [, layer, event] = /^([0-9a-f]{6,}): (.*)$/.exec(line) ?? []
    if (event === 'Pull complete') add('Pulled', layer!)
    else if (event === 'Already exists') add('Already_Pulled', layer!)
    else if (line.startsWith('Status: ')) outcome.set('Status', line.slice(8))
  }
  if (layers.size > 0) outcome.set('Layers', layers)
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
  return new Map<Value, Value>([
    ['Layers', before.filter((id) => !after.has(id))],
    ['Tags', tagsBefore.filter((tag) => !tagsAfter.includes(tag))],
    ['retcode', errors.length > 0 ? 1 : 0],
    ...(errors.length > 0 ? ([['Errors', errors]] as [Value, Value][]) : []),
  ])
}
