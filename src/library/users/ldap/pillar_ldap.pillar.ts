// `pillar_ldap`: searches in an LDAP directory, which a configuration file lists. The file is a Jinja template over grains.
import { type Dict, failure, isDict, isList, numberOf, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineExtPillar, dirName, type ExtPillarContext, loadYaml, plainTemplates } from '../../../sdk/mod.ts'
import { type LdapEntry, searchLdap } from './search.ts'

/** Salt's default of `scope`: the whole tree below the base. */
const SUBTREE = 2

const namesAt = (source: Dict, name: string): string[] => {
  const value = source.get(name) ?? []
  return isList(value) ? value.map(str) : []
}

async function search(ctx: ExtPillarContext, source: Dict): Promise<LdapEntry[]> {
  const text = (name: string): string | null => {
    const value = source.get(name) ?? null
    return truthy(value) ? str(value) : null
  }
  const filter = text('filter')
  if (filter === null) throw failure('missing filter')
  const isAnonymous = truthy(source.get('anonymous') ?? false)
  return searchLdap(
    ctx,
    {
      server: text('server') ?? 'localhost',
      port: numberOf(source.get('port') ?? null) ?? 389,
      tls: truthy(source.get('tls') ?? false),
      binddn: isAnonymous ? null : text('binddn'),
      bindpw: isAnonymous ? null : text('bindpw'),
    },
    {
      base: text('dn') ?? '',
      scope: numberOf(source.get('scope') ?? null) ?? SUBTREE,
      filter,
      attributes: [...namesAt(source, 'lists'), ...namesAt(source, 'attrs'), text('dict_key_attr') ?? 'dn'],
    },
  )
}

/** Return the requested attributes of an entry: the last value of each of `attrs`, all values of `lists`. */
function recordOf({ dn, attributes }: LdapEntry, source: Dict): Dict {
  const [attrs, lists] = [namesAt(source, 'attrs'), namesAt(source, 'lists')]
  const record: Dict = new Map()
  if (attrs.includes('dn') || attrs.includes('distinguishedName')) record.set('dn', dn)
  for (const [name, values] of attributes) {
    if (attrs.includes(name)) record.set(name, values.at(-1)!)
    if (lists.includes(name)) record.set(name, values)
  }
  return record
}

/** Add the values `key=value` of the first entry: those of `attrs` are set, those of `lists` collected. */
function addSplit(data: Dict, { attributes }: LdapEntry, source: Dict): void {
  const [attrs, lists] = [namesAt(source, 'attrs'), namesAt(source, 'lists')]
  for (const [name, values] of attributes) {
    for (const value of values.map(str)) {
      const [, key, text] = /^([^=]*)=([\s\S]*)$/.exec(value) ?? []
      if (key === undefined) continue
      if (attrs.includes(name)) data.set(key, text!)
      else if (lists.includes(name)) {
        const known = data.get(key) ?? []
        data.set(key, [...(isList(known) ? known : []), text!])
      }
    }
  }
}

function byKey(entries: readonly LdapEntry[], source: Dict): Dict {
  const attribute = str(source.get('dict_key_attr') ?? 'dn')
  const found: Dict = new Map()
  for (const entry of entries) {
    const isName = attribute === 'dn' || attribute === 'distinguishedName'
    const key = isName ? entry.dn : (entry.attributes.get(attribute) ?? []).map(str).sort().join(',')
    const known = (found.get(key) ?? []) as Value[]
    found.set(key, [...known, recordOf(entry, source)])
  }
  return found
}

async function readConfig(ctx: ExtPillarContext, path: string): Promise<Dict> {
  const globals = Object.fromEntries([...ctx.grains].map(([key, value]) => [str(key), value]))
  const templates = await plainTemplates({ host: ctx.host, opts: ctx.opts, folder: dirName(path), globals })
  const config = await loadYaml(await templates.render(path))
  if (!isDict(config)) throw failure(`${path} is invalidly formatted, must be a YAML dictionary`)
  if (!config.has('search_order')) throw failure(`${path} has no search_order, the list of its searches`)
  return config
}

export default defineExtPillar({
  name: 'pillar_ldap',
  doc: 'The entries that searches in an LDAP directory find. The program ldapsearch must be installed.',
  args: {
    config_file: arg.text(
      'YAML file, a template over grains: `search_order` lists searches, each with `server`, `port`, `tls`, `binddn`, `bindpw`, `anonymous`, ' +
        '`dn`, `scope`, `filter`, `attrs`, `lists`, `dict_key_attr` and `mode` (`split`, `map` or `dict`)',
    ),
  },
  run: async (ctx, { config_file }) => {
    const config = await readConfig(ctx, config_file)
    const data: Dict = new Map()
    for (const name of namesAt(config, 'search_order')) {
      const source = config.get(name) ?? null
      if (!isDict(source)) throw failure(`${config_file} has no search '${name}', which search_order names`)
      const entries = await search(ctx, source)
      if (entries.length === 0) continue
      const mode = str(source.get('mode') ?? 'split')
      if (mode === 'map')
        data.set(
          name,
          entries.map((entry) => recordOf(entry, source)),
        )
      else if (mode === 'dict') data.set(name, byKey(entries, source))
      else addSplit(data, entries[0]!, source)
    }
    return data
  },
})
