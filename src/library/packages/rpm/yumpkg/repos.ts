// Repositories of yum and dnf: sections of `.repo` files in the directories that the configuration names.
import { type Dict, failure, isDict, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn, textAt } from '../../../../sdk/mod.ts'
import type { Options } from '../../common/functions.ts'
import { listed } from '../../common/installed.ts'
import { callYum, isDnf, programOf } from './program.ts'

const CONFIGS = ['/etc/yum/yum.conf', '/etc/yum.conf', '/etc/dnf/dnf.conf', '/etc/tdnf/tdnf.conf']
const LINKS = ['baseurl', 'mirrorlist', 'metalink']

export interface RepoFile {
  /** Comments before the first section. */
  header: string
  repos: Map<string, Dict>
}

/** Parse sections as Python's configparser does; comments inside a section stay with it. */
export function parseRepoFile(text: string): RepoFile {
  const file: RepoFile = { header: '', repos: new Map() }
  let section: Dict | undefined
  let key: string | undefined
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    const heading = /^\[(.+)\]$/.exec(line)?.[1]
    if (line.startsWith('#')) {
      if (section === undefined) file.header += `${line}\n`
      else
        section.set('comments', [
          ...((section.get('comments') as Value[] | undefined) ?? []),
          line.slice(1).trimStart(),
        ])
    } else if (heading !== undefined) {
      section = file.repos.get(heading) ?? new Map()
      file.repos.set(heading, section)
      key = undefined
    } else if (line === '' || line.startsWith(';') || section === undefined) continue
    else if (/^\s/.test(raw) && key !== undefined) section.set(key, `${str(section.get(key)!)}\n${line}`)
    else {
      const [, name, value] = /^([^=:]+?)\s*[=:]\s*(.*)$/.exec(line) ?? []
      if (name === undefined) continue
      key = name.toLowerCase()
      section.set(key, value!)
    }
  }
  return file
}

const commentText = (comments: Value): string =>
  (Array.isArray(comments) ? comments : [])
    .map((comment) => `# ${str(comment).replace(/^#+/, '').trimStart()}\n`)
    .join('')

const lineText = (key: Value, value: Value): string => {
  const text = typeof value === 'boolean' ? (value ? '1' : '0') : str(value).split('\n').join('\n ')
  return `${str(key)}=${text}`
}

async function mainOptions(ctx: FunctionContext): Promise<Dict> {
  for (const path of CONFIGS) {
    const text = await textAt(ctx.host, path)
    if (text !== undefined) return parseRepoFile(text).repos.get('main') ?? new Map()
  }
  throw failure(`No suitable yum config file found in: ('${CONFIGS.join("', '")}')`)
}

async function directories(ctx: FunctionContext, basedir: Value): Promise<string[]> {
  const asked = listed(basedir)
    .map((path) => path.trim())
    .filter(Boolean)
  if (asked.length > 0) return asked
  const set = (await mainOptions(ctx)).get('reposdir')
  return set === undefined ? ['/etc/yum/repos.d', '/etc/yum.repos.d'] : listed(set)
}

async function readRepoFile(ctx: FunctionContext, path: string): Promise<RepoFile> {
  return parseRepoFile((await textAt(ctx.host, path)) ?? '')
}

export async function listRepos(ctx: FunctionContext, basedir: Value): Promise<Dict> {
  const repos: Dict = new Map()
  for (const folder of await directories(ctx, basedir)) {
    for (const name of await namesIn(ctx.host, folder)) {
      if (!name.endsWith('.repo')) continue
      const path = `${folder}/${name}`
      for (const [repo, options] of (await readRepoFile(ctx, path)).repos) repos.set(repo, options.set('file', path))
    }
  }
  return repos
}

/** Return the repository id that dnf gives to `copr:user/project`. */
function ownName(repo: string): string {
  if (!repo.startsWith('copr:')) return repo
  const [user, project = ''] = repo.slice('copr:'.length).split('/', 2)
  return `copr:copr.fedorainfracloud.org:${user}:${project}`
}

const fileOf = (repos: Dict, repo: string): string | undefined => {
  const options = repos.get(repo) ?? null
  return isDict(options) ? str(options.get('file')!) : undefined
}

export async function getRepo(ctx: FunctionContext, repo: string, basedir: Value): Promise<Dict> {
  const name = ownName(repo)
  const file = fileOf(await listRepos(ctx, basedir), name)
  return file === undefined ? new Map() : ((await readRepoFile(ctx, file)).repos.get(name) ?? new Map())
}

export async function deleteRepo(ctx: FunctionContext, given: string, basedir: Value): Promise<string> {
  const repo = ownName(given)
  const folders = await directories(ctx, basedir)
  const repos = await listRepos(ctx, folders)
  const path = fileOf(repos, repo)
  if (path === undefined) return `Error: the ${repo} repo does not exist in ${str(folders)}`
  const others = [...repos.keys()].some((name) => name !== repo && fileOf(repos, str(name)) === path)
  if (!others) {
    await ctx.host.remove(path)
    return `File ${path} containing repo ${repo} has been removed`
  }
  const file = await readRepoFile(ctx, path)
  let content = file.header
  for (const [name, options] of file.repos) {
    if (name === repo) continue
    const lines = [...options].filter(([key]) => key !== 'comments').map(([key, value]) => `\n${lineText(key, value)}`)
    content += `\n[${name}]${lines.join('')}\n${commentText(options.get('comments') ?? null)}\n`
  }
  await ctx.host.write(path, content)
  return `Repo ${repo} has been removed from ${path}`
}

/** Return the settings to set and the names of settings to remove: empty ones, and alternatives of the given link. */
function requestedSettings(kwargs: Options): { set: Dict; gone: string[] } {
  const set: Dict = new Map()
  const gone: string[] = []
  for (const [name, value] of kwargs) {
    if (name.startsWith('__') || name === 'saltenv') continue
    if (truthy(value) || value === 0 || value === false) set.set(name, value)
    else gone.push(name)
  }
  if (LINKS.filter((link) => kwargs.has(link)).length >= 2)
    throw misuse(`One and only one of ${LINKS.join(', ')} can be used`)
  const link = LINKS.find((name) => set.has(name))
  if (link !== undefined) gone.push(...LINKS.filter((name) => name !== link))
  if (gone.includes('name')) throw misuse('The repo name cannot be deleted')
  return { set, gone }
}

async function enableCopr(ctx: FunctionContext, project: string): Promise<void> {
  const program = await programOf(ctx)
  const plugin = isDnf(program) ? 'dnf-plugins-core' : 'yum-plugin-copr'
  if (!truthy(await ctx.call('pkg_resource.version', [plugin]))) throw misuse(`${plugin} must be installed to use COPR`)
  const { retcode, stderr } = await callYum(ctx, ['copr', 'enable', project, '-y'])
  if (retcode !== 0) {
    throw failure(`Unable to add COPR '${project}'. '${program}' exited with status ${retcode}: '${stderr}' `)
  }
}

async function newFile(ctx: FunctionContext, folders: readonly string[], repo: string, set: Dict): Promise<string> {
  let folder: string | undefined
  for (const one of folders) if (folder === undefined && (await ctx.host.stat(one)) !== undefined) folder = one
  if (folder === undefined) {
    throw misuse(
      `The repo does not exist and needs to be created, but none of the following basedir directories exist: ${str([...folders])}`,
    )
  }
  if (!set.has('name')) throw misuse('The repo does not exist and needs to be created, but a name was not given')
  if (!LINKS.some((link) => set.has(link))) {
    throw misuse(`The repo does not exist and needs to be created, but none of ${LINKS.join(', ')} was given`)
  }
  return `${folder}/${repo}.repo`
}

/** Change a repository, or create it, and return its file with all repositories in it. */
export async function modifyRepo(ctx: FunctionContext, given: string, basedir: Value, kwargs: Options): Promise<Dict> {
  const { set, gone } = requestedSettings(kwargs)
  const repo = ownName(given)
  const folders = await directories(ctx, basedir)
  let path = fileOf(await listRepos(ctx, folders), repo)
  if (path === undefined && given.startsWith('copr:')) {
    await enableCopr(ctx, given.slice('copr:'.length))
    path = fileOf(await listRepos(ctx, folders), repo)
  }
  const isNew = path === undefined
  path ??= await newFile(ctx, folders, repo, set)
  const file: RepoFile = isNew ? { header: '', repos: new Map([[repo, new Map()]]) } : await readRepoFile(ctx, path)
  const options = file.repos.get(repo)!
  for (const link of LINKS) {
    const others = LINKS.filter((other) => other !== link)
    if (gone.includes(link) && others.every((other) => !set.has(other) && !options.has(other))) {
      throw misuse(`Cannot delete ${link} without specifying ${others.join(' or ')}`)
    }
  }
  for (const name of gone) options.delete(name)
  for (const [name, value] of set) options.set(name, value)
  let content = file.header
  for (const [name, lines] of file.repos) {
    const comments = commentText(lines.get('comments') ?? null)
    lines.delete('comments')
    content += `[${name}]\n${[...lines].map(([key, value]) => `${lineText(key, value)}\n`).join('')}${comments}\n`
  }
  await ctx.host.write(path, content)
  return new Map([[path, new Map<Value, Value>(file.repos)]])
}
