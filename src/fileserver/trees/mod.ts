// The backends `svnfs` and `hgfs` with their options.
import { createHash } from 'node:crypto'
import { join } from 'node:path/posix'
import { type Log, silentLog } from '../../base/mod.ts'
import { type OptionName, option, rawOption } from '../../config/mod.ts'
import { type Dict, exprMatch, isDict, isList, SaltError, str } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import { type ConfiguredTree, configuredTrees } from './configured.ts'
import { TreeFiles } from './files.ts'
import { BRANCH_METHODS, HgSource } from './hg.ts'
import { TreeRemote } from './remote.ts'
import type { TreeSource } from './source.ts'
import { SvnSource } from './svn.ts'

interface TreeKind {
  program: string
  /** Options of a single remote, each with the option that sets it for all remotes and with Salt's default. */
  own: Readonly<Record<string, readonly [OptionName, string]>>
  remotes: OptionName
  whitelist: OptionName
  blacklist: OptionName
  interval: OptionName
  /** Settings that determine the files, and therefore identify the cache. */
  telling: readonly string[]
  /** Return the problem with the options; `where` names the remote. */
  wrong(settings: ReadonlyMap<string, string>, where: string): string | undefined
  source(url: string, home: string, settings: ReadonlyMap<string, string>): TreeSource
}

const SVN: TreeKind = {
  program: 'svn',
  own: {
    mountpoint: ['svnfs_mountpoint', ''],
    root: ['svnfs_root', ''],
    trunk: ['svnfs_trunk', 'trunk'],
    branches: ['svnfs_branches', 'branches'],
    tags: ['svnfs_tags', 'tags'],
  },
  remotes: 'svnfs_remotes',
  whitelist: 'svnfs_saltenv_whitelist',
  blacklist: 'svnfs_saltenv_blacklist',
  interval: 'svnfs_update_interval',
  telling: ['trunk', 'branches', 'tags'],
  wrong: (settings, where) =>
    ['trunk', 'branches', 'tags']
      .map((name) => [name, settings.get(name)!] as const)
      .filter(([, path]) => path.startsWith('/') || path.split('/').includes('..'))
      .map(
        ([name, path]) =>
          `The parameter 'svnfs_${name}' (value: ${path}) ${where} cannot be an absolute path or lead up`,
      )[0],
  source: (url, home, settings) => {
    const path = (name: string): string => settings.get(name)!.replace(/\/+$/, '')
    return new SvnSource(url, home, { trunk: path('trunk'), branches: path('branches'), tags: path('tags') })
  },
}

const HG: TreeKind = {
  program: 'hg',
  own: {
    base: ['hgfs_base', 'default'],
    branch_method: ['hgfs_branch_method', 'branches'],
    mountpoint: ['hgfs_mountpoint', ''],
    root: ['hgfs_root', ''],
  },
  remotes: 'hgfs_remotes',
  whitelist: 'hgfs_saltenv_whitelist',
  blacklist: 'hgfs_saltenv_blacklist',
  interval: 'hgfs_update_interval',
  telling: ['base', 'branch_method'],
  wrong: (settings, where) => {
    const method = settings.get('branch_method')!
    return BRANCH_METHODS.some((known) => known === method)
      ? undefined
      : `Invalid branch_method '${method}' ${where}. Valid branch methods are: ${BRANCH_METHODS.join(', ')}.`
  },
  source: (url, home, settings) =>
    new HgSource(url, home, { base: settings.get('base')!, method: settings.get('branch_method')! }),
}

function remotesOf(kind: TreeKind, opts: Dict, log: Log): TreeRemote[] {
  const backend = `${kind.program}fs`
  const globals = new Map(
    Object.entries(kind.own).map(([name, [all, usual]]) => [name, str(rawOption(opts, all) ?? usual)]),
  )
  const words = (name: OptionName): string[] => {
    const value = rawOption(opts, name)
    return (isList(value) ? value.map(str) : str(value ?? '').split(',')).map((word) => word.trim()).filter(Boolean)
  }
  const [whitelist, blacklist] = [words(kind.whitelist), words(kind.blacklist)]
  const isExposed = (saltenv: string): boolean => {
    const matches = (pattern: string): boolean => exprMatch(saltenv, pattern)
    return !blacklist.some(matches) && (whitelist.length === 0 || whitelist.some(matches))
  }
  const interval = Number(rawOption(opts, kind.interval) ?? 60)
  return configuredTrees(rawOption(opts, kind.remotes), { program: kind.program, globals }, log).map((configured) => {
    const { url, shownId, settings } = configured
    const root = settings.get('root')!.replace(/^\/+|\/+$/g, '')
    const wrong =
      kind.wrong(settings, `of remote ${shownId}`) ??
      (root.split('/').includes('..')
        ? `The root '${root}' of remote ${shownId} leads out of the repository`
        : undefined)
    if (wrong !== undefined) {
      log('error', wrong)
      throw new SaltError('FileserverConfigError', `Failed to load ${kind.program} fileserver backend`)
    }
    const folder = join(option(opts, 'cachedir'), backend, folderName(kind, configured))
    const mountpoint = settings
      .get('mountpoint')!
      .replace(/^salt:\/\//, '')
      .replace(/^\/+|\/+$/g, '')
    const given = { backend, folder, id: url, shownId, interval: Math.max(0, interval), root, mountpoint, isExposed }
    return new TreeRemote(given, kind.source(url, folder, settings), log)
  })
}

/**
 * Return the folder name for a repository: from its address and the settings of its environments, without its password.
 */
function folderName({ telling }: TreeKind, { shownId, settings }: ConfiguredTree): string {
  const identity = JSON.stringify([shownId, ...telling.map((name) => settings.get(name)!)])
  return createHash('sha256').update(identity).digest('hex').slice(0, 32)
}

interface Opened {
  files: TreeFiles
  /** The first to ask may have had no log. */
  log: Log
}

const opened = new WeakMap<Dict, Map<string, Opened>>()

/** Return the backend for a set of options: one instance per set, because it caches what it has read. */
function open(kind: TreeKind, given: Dict, host: Host, log: Log): TreeFiles {
  // a target of salt-ssh is served from the trees of the master
  const masters = given.get('__master_opts__')
  const opts = masters !== undefined && isDict(masters) ? masters : given
  const known = opened.get(opts) ?? new Map<string, Opened>()
  opened.set(opts, known)
  const name = `${kind.program}fs`
  const before = known.get(name)
  if (before) {
    if (log !== silentLog) before.log = log
    return before.files
  }
  const say: Log = (level, text) => (known.get(name)?.log ?? log)(level, text)
  const files = new TreeFiles(name, opts, host, say, () => remotesOf(kind, opts, say))
  known.set(name, { files, log })
  return files
}

export const openSvnFiles = (opts: Dict, host: Host, log: Log): TreeFiles => open(SVN, opts, host, log)
export const openHgFiles = (opts: Dict, host: Host, log: Log): TreeFiles => open(HG, opts, host, log)
