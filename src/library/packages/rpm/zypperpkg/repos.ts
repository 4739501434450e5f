// Repositories of zypper: read from its files, changed by itself.
import { type Dict, failure, str, truthy, urlParts, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn, textAt } from '../../../../sdk/mod.ts'
import { parseRepoFile } from '../yumpkg/repos.ts'
import { elements, textOfElement, zypperElements } from './program.ts'
import { refresh } from './refresh.ts'

const REPOS = '/etc/zypp/repos.d'
type Options = ReadonlyMap<string, Value>

const below = (root: Value, path: string): string => (truthy(root) ? `${str(root).replace(/\/$/, '')}${path}` : path)

function readable(value: Value): Value {
  if (value === '0' || value === '1') return value === '1'
  return value === 'NONE' ? null : value
}

export async function listRepos(ctx: FunctionContext, root: Value): Promise<Map<string, Dict>> {
  const folder = below(root, REPOS)
  const found = new Map<string, Dict>()
  for (const name of await namesIn(ctx.host, folder)) {
    if (!name.endsWith('.repo')) continue
    for (const [alias, options] of parseRepoFile((await textAt(ctx.host, `${folder}/${name}`)) ?? '').repos) {
      const facts = [...options]
        .filter(([key]) => key !== 'comments')
        .map(([key, value]): [Value, Value] => [key, readable(value)])
      found.set(alias, new Map([...facts, ['alias', alias]]))
    }
  }
  return found
}

export async function deleteRepo(ctx: FunctionContext, repo: string, root: Value): Promise<Dict> {
  if ((await listRepos(ctx, root)).has(repo)) {
    const stream = await zypperElements(ctx, 'stream', ['rr', '--loose-auth', '--loose-query', repo], { root })
    const [document] = stream
    const message = document && elements(document, 'message')[0]
    if (document && message && elements(document, 'progress').length > 0) {
      return new Map<Value, Value>([
        [repo, true],
        ['message', textOfElement(message)],
      ])
    }
  }
  throw failure(`Repository '${repo}' not found.`)
}

async function addRepo(ctx: FunctionContext, repo: string, kwargs: Options, root: Value): Promise<void> {
  const url = kwargs.get('url') ?? kwargs.get('mirrorlist') ?? kwargs.get('baseurl') ?? null
  if (!truthy(url)) {
    throw failure(`Repository '${repo}' not found, and neither 'baseurl' nor 'mirrorlist' was specified`)
  }
  if (urlParts(str(url)).scheme === '') {
    throw failure(`Repository '${repo}' not found and URL for baseurl/mirrorlist is malformed`)
  }
  const place = (address: Value): string => {
    const { scheme, netloc, path } = urlParts(str(address))
    return `${scheme}://${netloc}${path || '/'}`
  }
  for (const [alias, options] of await listRepos(ctx, root)) {
    if (options.has('baseurl') && place(options.get('baseurl')!) === place(url)) {
      throw failure(`Repository '${repo}' already exists as '${alias}'.`)
    }
  }
  await zypperElements(ctx, 'stream', ['ar', str(url), repo], { root })
  if (!(await listRepos(ctx, root)).has(repo)) {
    throw failure(`Failed add new repository '${repo}' for unspecified reason. Please check zypper logs.`)
  }
}

const SWITCHES: readonly [string, string, string][] = [
  ['enabled', '--enable', '--disable'],
  ['refresh', '--refresh', '--no-refresh'],
  ['cache', '--keep-packages', '--no-keep-packages'],
  ['gpgcheck', '--gpgcheck', '--no-gpgcheck'],
]

function changeWords(kwargs: Options): string[] {
  const words = SWITCHES.flatMap(([name, on, off]) => (kwargs.has(name) ? [truthy(kwargs.get(name)!) ? on : off] : []))
  if (kwargs.has('priority')) words.push(`--priority=${str(kwargs.get('priority')!)}`)
  if (kwargs.has('humanname')) words.push(`--name='${str(kwargs.get('humanname')!)}'`)
  if (kwargs.has('name')) words.push('--name', str(kwargs.get('name')!))
  return words
}

/** Change a repository, or add one; return its data afterwards. */
export async function modifyRepo(ctx: FunctionContext, repo: string, kwargs: Options): Promise<Dict> {
  const root = kwargs.get('root') ?? null
  const known = (await listRepos(ctx, root)).get(repo)
  if (known === undefined) await addRepo(ctx, repo, kwargs, root)
  else if (kwargs.has('baseurl') && kwargs.get('baseurl') !== known.get('baseurl')) {
    const options = new Map([...known].map(([key, value]): [string, Value] => [str(key), value]))
    for (const [key, value] of kwargs) options.set(key, value)
    if (!options.has('cache')) options.set('cache', false)
    await deleteRepo(ctx, repo, root)
    return modifyRepo(ctx, repo, options)
  }
  const words = changeWords(kwargs)
  if (words.length > 0) await zypperElements(ctx, 'stream', ['mr', ...words, repo], { root, refreshable: true })
  const importing = kwargs.get('gpgautoimport') === true
  if (importing) await refresh(ctx, { root, gpgautoimport: true, repos: repo })
  const facts = (await listRepos(ctx, root)).get(repo) ?? new Map()
  const unchanged = !importing && known !== undefined && words.length === 0
  return unchanged ? facts.set('comment', 'Specified arguments did not result in modification of repo') : facts
}
