// `consul`: the data of a Consul server below a key. Values are YAML, unless `expand_keys=False` is given.
import { type Dict, failure, isDict, merge, PyRegex, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineExtPillar, type ExtPillarContext, loadYaml, option } from '../../../sdk/mod.ts'
import { Consul } from './client.ts'

interface Wanted {
  profile: string
  root: string
  pillarRoot: string
  expands: boolean
  target: string | undefined
}

/** Read `my_profile root=/salt pillar_root=a/b expand_keys=False target="web*"`. */
function wantedOf(conf: string): Wanted {
  const target = /target="(.*?)"/.exec(conf)
  let rest = target ? conf.replace(target[0], '') : conf
  const taken = (pattern: RegExp): string => {
    const found = pattern.exec(rest)
    if (found) rest = rest.replace(found[0], '')
    return found?.[1] ?? ''
  }
  const root = taken(/(?<!_)root=(\S*)/).replace(/\/$/, '')
  const pillarRoot = taken(/pillar_root=(\S*)/).replace(/\/$/, '')
  const expands = !/expand_keys=False/i.test(rest)
  rest = rest.replace(/expand_keys=\S*/i, '')
  return { profile: taken(/(?:profile=)?(\S+)/), root, pillarRoot, expands, target: target?.[1] }
}

function settingsOf({ opts }: ExtPillarContext, profile: string): Map<string, Value> {
  const conf = profile === '' ? opts : opts.get(profile)
  if (conf === undefined || !isDict(conf)) {
    throw failure(`The option '${profile}', which is the profile of ext_pillar consul, is not a mapping`)
  }
  const found = new Map<string, Value>()
  for (const [key, value] of conf) {
    if (str(key).startsWith('consul.')) found.set(str(key).slice('consul.'.length), value)
  }
  const dc = found.get('dc') ?? null
  if (isDict(dc)) found.set('dc', centerFor(dc, str(option(opts, 'pillarenv') ?? '') || 'base'))
  return found
}

/** Return the data center of the longest pattern that matches the environment. */
function centerFor(patterns: Dict, pillarenv: string): Value {
  const byLength = [...patterns].sort(([a], [b]) => str(b).length - str(a).length || (str(a) < str(b) ? -1 : 1))
  for (const [pattern, center] of byLength) {
    const found = new PyRegex(str(pattern), 0).match(pillarenv)
    if (found)
      return str(center).replace(/\{(\w+)\}/g, (whole, name: string) => str(found.groupDict().get(name) ?? whole))
  }
  return null
}

/** Fill the minion's id and grains into the root. A value cannot add a level to the path. */
function filledRoot(ctx: ExtPillarContext, root: string): string {
  const known: Readonly<Record<string, Value>> = {
    minion_id: ctx.minionId,
    role: ctx.grains.get('role') ?? null,
    environment: ctx.grains.get('environment') ?? null,
  }
  return root.replace(/%\((minion_id|role|environment)\)s/g, (_, name: string) => str(known[name]!).replaceAll('/', ''))
}

async function treeOf(
  found: ReadonlyArray<[string, string | undefined]>,
  root: string,
  expands: boolean,
): Promise<Dict> {
  let tree: Value = new Map()
  for (const [key, text] of [...found].reverse()) {
    const path = key.startsWith(root) ? key.slice(root.length).replace(/^\//, '') : key
    if (path === '' || path.endsWith('/') || text === undefined) continue
    const value = expands ? await loadYaml(text) : text
    const nested = path.split('/').reduceRight<Value>((inner, name) => new Map([[name, inner]]), value)
    tree = merge(tree, nested, { strategy: 'recurse' })
  }
  return tree as Dict
}

export default defineExtPillar({
  name: 'consul',
  doc: 'The values of a Consul server below a key, as YAML.',
  args: {
    conf: arg.text(
      'Name of the option with the profile (`consul.host`, `consul.port`, `consul.token`, `consul.dc` …), `root=` the key, with `%(minion_id)s`, ' +
        '`%(role)s` and `%(environment)s`, `pillar_root=` where the data go, `expand_keys=False` for plain texts, `target="…"` the minions that get it',
    ),
  },
  run: async (ctx, { conf }) => {
    const { profile, root, pillarRoot, expands, target } = wantedOf(conf)
    if (target !== undefined && !(await ctx.isMember(target))) return new Map()
    const own = filledRoot(ctx, root)
    const found = await new Consul(ctx, settingsOf(ctx, profile)).below(own === '' ? '' : `${own}/`)
    const tree = await treeOf(found, own, expands)
    if (pillarRoot === '' || !truthy(tree)) return tree
    return pillarRoot.split('/').reduceRight<Value>((inner, name) => new Map([[name, inner]]), tree)
  },
})
