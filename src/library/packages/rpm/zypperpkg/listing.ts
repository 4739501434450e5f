// Installed and available packages, patterns, patches and products.
import { lookup } from '../../../../base/mod.ts'
import {
  compareLoose,
  type Dict,
  dictFrom,
  failure,
  fnmatch,
  str,
  truthy,
  type Value,
  type XmlElement,
} from '../../../../data/mod.ts'
import { type FunctionContext, outputOf, textAt } from '../../../../sdk/mod.ts'
import { listed, wantsRemoved } from '../../common/installed.ts'
import { queryInstalled } from '../rpm_lowpkg/installed.ts'
import { attribute, elements, textOfElement, zypper, zypperElements } from './program.ts'

type Options = ReadonlyMap<string, Value>

export interface ListCall {
  asList?: boolean
  root?: Value
  includes?: readonly string[]
  kwargs?: Options
}

export async function listInstalled(ctx: FunctionContext, call: ListCall = {}): Promise<Dict> {
  const { asList = false, root = null, includes = [], kwargs = new Map() } = call
  if (wantsRemoved(kwargs)) return new Map()
  const asked = kwargs.get('attr') ?? null
  const attr = asked === null || asked === 'all' ? asked : listed(asked)
  const key = `pkg.list_pkgs_${str(root)}_${includes.join(',')}`
  const known = kwargs.get('use_context') === false ? undefined : ctx.memory.get(key)
  const packages = known ?? (await gathered(ctx, root, includes))
  ctx.memory.set(key, packages)
  return ctx.call('pkg_resource.format_pkg_list', [packages, asList, attr])
}

export function forgetInstalled(ctx: FunctionContext): void {
  for (const key of [...ctx.memory.keys()]) {
    if (/^pkg\.list_(?:pkgs|provides)/.test(str(key))) ctx.memory.delete(key)
  }
}

const factsOf = (epoch: Value, version: Value, release: Value, arch: Value): Dict =>
  dictFrom({ epoch, version, release, arch, install_date: null, install_date_time_t: null })

async function gathered(ctx: FunctionContext, root: Value, includes: readonly string[]): Promise<Dict> {
  const all = await queryInstalled(ctx, [...(truthy(root) ? ['--root', str(root)] : []), '-qa'])
  const packages: Dict = new Map([...all].filter(([name]) => !str(name).startsWith('gpg-pubkey')))
  for (const include of includes) {
    if (include === 'product') {
      for (const product of await products(ctx, false, root)) {
        const field = (name: string): Value => product.get(name) ?? null
        const facts = factsOf(field('epoch'), field('version'), field('release'), field('arch'))
        packages.set(`product:${str(field('name'))}`, [facts])
      }
    } else if (include === 'pattern' || include === 'patch') {
      const names = include === 'pattern' ? await installedPatterns(ctx, root) : await patches(ctx, root, true)
      for (const name of names.keys()) {
        const known = (await available(ctx, [`${include}:${str(name)}`], root)).get(name) as Dict | undefined
        const facts = factsOf(null, known?.get('version') ?? null, null, known?.get('arch') ?? null)
        packages.set(`${include}:${str(name)}`, [facts])
      }
    }
  }
  return packages
}

/** Return the facts that zypper has about packages. */
export async function available(ctx: FunctionContext, names: readonly string[], root: Value): Promise<Dict> {
  const found: Dict = new Map()
  const sorted = [...new Set(names)].sort()
  if (sorted.length === 0) return found
  const { stdout } = await zypper(ctx, ['info', '-t', 'package', ...sorted], { root, readOnly: true })
  for (const part of stdout.split(/Information for package*/)) {
    const facts: Dict = new Map()
    for (const line of part.split('\n').filter((one) => one.includes(':') && !one.startsWith('-----'))) {
      const colon = line.indexOf(':')
      const value = line.slice(colon + 1).trim()
      if (value !== '') facts.set(line.slice(0, colon).trim().toLowerCase(), value)
    }
    const name = facts.get('name')
    if (facts.has('installed')) facts.set('installed', str(facts.get('installed')!).toLowerCase().startsWith('yes'))
    facts.delete('name')
    if (name !== undefined) found.set(name, facts)
  }
  return found
}

export async function upgrades(ctx: FunctionContext, root: Value, kwargs: Options): Promise<Dict> {
  const from = kwargs.get('fromrepo')
  const repos = from === undefined ? [] : Array.isArray(from) ? (from as Value[]) : [from]
  const words = ['list-updates', ...repos.flatMap((repo) => ['--repo', str(repo)])]
  const found = await zypperElements(ctx, 'update', words, { root, readOnly: true })
  const packages = found.filter((update) => attribute(update, 'kind') === 'package')
  return new Map(packages.map((update) => [attribute(update, 'name'), attribute(update, 'edition')]))
}

/** Return the versions that repositories have, newest first, by name, or by repository and name. */
export async function repoPackages(ctx: FunctionContext, patterns: readonly string[], kwargs: Options): Promise<Dict> {
  const from = kwargs.get('fromrepo') ?? null
  const byRepo = truthy(kwargs.get('byrepo') ?? null)
  const found: Dict = new Map()
  const solvables = await zypperElements(ctx, 'solvable', ['se', '-s', ...patterns], {
    root: kwargs.get('root') ?? null,
  })
  for (const { attributes } of solvables) {
    const [kind, repo, name, version] = ['kind', 'repository', 'name', 'edition'].map((key) => attributes.get(key))
    if (kind !== 'package' || repo === undefined || name === undefined || version === undefined) continue
    if (truthy(from) && repo !== from) continue
    if (patterns.length > 0 && !patterns.some((pattern) => fnmatch(name, pattern))) continue
    const place = byRepo ? ((found.get(repo) as Dict | undefined) ?? new Map()) : found
    if (byRepo) found.set(repo, place)
    const versions = new Set([...((place.get(name) as string[] | undefined) ?? []), version])
    place.set(
      name,
      [...versions].sort((a, b) => -(compareLoose(a, b) ?? 0)),
    )
  }
  return found
}

const summaries = (solvables: readonly XmlElement[]): Dict =>
  new Map(
    solvables.map((solvable) => {
      const installed = attribute(solvable, 'status') === 'installed'
      return [attribute(solvable, 'name'), dictFrom({ installed, summary: attribute(solvable, 'summary') })]
    }),
  )

const installedOf = (all: Dict): Dict =>
  new Map([...all].filter(([, facts]) => (facts as Dict).get('installed') === true))

export async function patches(ctx: FunctionContext, root: Value, installedOnly: boolean): Promise<Dict> {
  const all = await zypperElements(ctx, 'solvable', ['se', '-t', 'patch'], { root, readOnly: true })
  return summaries(all.filter((patch) => !installedOnly || attribute(patch, 'status') === 'installed'))
}

export async function patterns(ctx: FunctionContext, root: Value): Promise<Dict> {
  return summaries(await zypperElements(ctx, 'solvable', ['se', '-t', 'pattern'], { root, readOnly: true }))
}

export async function installedPatterns(ctx: FunctionContext, root: Value): Promise<Dict> {
  const query = [
    'rpm',
    ...(truthy(root) ? ['--root', str(root)] : []),
    '-q',
    '--provides',
    '--whatprovides',
    'pattern()',
  ]
  const output = await outputOf(ctx, query, { ignore_retcode: true })
  const hidden = [...output.matchAll(/^pattern\(\) = (.*)$/gm)].map((match) => match[1]!.split('=').at(-1)!.trim())
  const found = installedOf(await patterns(ctx, root))
  for (const name of new Set(hidden.filter((one) => !one.startsWith('.')))) {
    if (!found.has(name)) found.set(name, dictFrom({ installed: true, summary: 'Non-visible pattern' }))
  }
  return found
}

export async function products(ctx: FunctionContext, all: boolean, root: Value): Promise<Dict[]> {
  const words = all ? ['products'] : ['--disable-repositories', 'products', '-i']
  const [list] = await zypperElements(ctx, 'product-list', words, { root, readOnly: true })
  const found: Dict[] = []
  for (const product of list ? elements(list, 'product') : []) {
    const facts: Dict = new Map()
    for (const [key, value] of product.attributes) {
      if (key === 'isbase' || key === 'installed') facts.set(key, value === 'true' || value === '1')
      else if (value !== '') facts.set(key, value)
    }
    const [end] = elements(product, 'endoflife')
    if (end) facts.set('eol', attribute(end, 'text')).set('eol_t', Number(attribute(end, 'time_t') || 0))
    const [description] = elements(product, 'description')
    const text = description ? textOfElement(description) : ''
    facts.set(
      'description',
      text
        .split('\n')
        .map((line) => line.trim())
        .join(' '),
    )
    const line = facts.get('productline')
    const oem =
      line === undefined
        ? undefined
        : await textAt(ctx.host, `${truthy(root) ? str(root) : ''}/var/lib/suseRegister/OEM/${str(line)}`)
    const release = oem?.split('\n')[0]?.trim()
    if (release) facts.set('release', release)
    found.push(facts)
  }
  return found
}

const SEARCH: Readonly<Record<string, string>> = lookup({
  provides: '--provides',
  recommends: '--recommends',
  requires: '--requires',
  suggests: '--suggests',
  conflicts: '--conflicts',
  obsoletes: '--obsoletes',
  file_list: '--file-list',
  search_descriptions: '--search-descriptions',
  case_sensitive: '--case-sensitive',
  installed_only: '--installed-only',
  not_installed_only: '-u',
  details: '--details',
})

export async function search(ctx: FunctionContext, criteria: string, kwargs: Options): Promise<Dict> {
  const match = str(kwargs.get('match') ?? '')
  const kind = ['exact', 'words', 'substrings'].includes(match) ? [`--match-${match}`] : []
  const options = [...kwargs.keys()].filter((name) => name in SEARCH).map((name) => SEARCH[name]!)
  const call = { root: kwargs.get('root') ?? null, readOnly: true, lenient: true }
  const solvables = await zypperElements(ctx, 'solvable', ['search', ...kind, ...options, criteria], call)
  if (solvables.length === 0) throw failure(`No packages found matching '${criteria}'`)
  return new Map(solvables.map((solvable) => [attribute(solvable, 'name'), new Map<Value, Value>(solvable.attributes)]))
}
