// Files of gitfs whose remotes are repositories of this machine: each environment is written below a scratch folder of
// the examination, so that all checks read it like a root. Other remotes would need the network and are not read.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAnyError, type Log, recover, toError } from '../../base/mod.ts'
import { option, rawOption } from '../../config/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../../data/mod.ts'
import { FileServer } from '../../fileserver/mod.ts'
import { parseAddress } from '../../git/mod.ts'
import { LocalHost } from '../../host/mod.ts'

const TREES = 'trees'

export interface GitRoots {
  /** The folder of each environment's files. */
  roots: ReadonlyMap<string, string>
  /** Whether all remotes were read. */
  isWhole: boolean
  /** Errors while reading. */
  problems: readonly string[]
}

const isGit = (backend: string): boolean => backend === 'git' || backend === 'gitfs'

/** The address of a remote, which may be a dict with its settings. */
function addressOf(remote: Value): string {
  const [key] = isDict(remote) ? [...remote.keys()] : [remote]
  return str(key ?? '')
}

function isLocal(remote: Value): boolean {
  // the check of the configuration reports it
  return recover(isAnyError, false, () => parseAddress(addressOf(remote)).scheme === 'file')
}

/** Write the files of local remotes below the scratch folder, once for all tries of an examination. */
export async function gitRoots(opts: Dict, scratch: string): Promise<GitRoots | undefined> {
  const names = option(opts, 'fileserver_backend').map(str)
  const remotes = rawOption(opts, 'gitfs_remotes')
  const all = isList(remotes) ? remotes : []
  if (scratch === '' || !names.some(isGit) || all.length === 0) return undefined
  const local = all.filter(isLocal)
  const problems: string[] = []
  const log: Log = (level, text) => void (['warning', 'error', 'critical'].includes(level) && problems.push(text))
  const own = new Map(opts).set('gitfs_remotes', local).set('fileserver_backend', ['gitfs'])
  own.set('cachedir', join(scratch, 'cache')).set('fileserver_events', false)
  const roots = new Map<string, string>()
  try {
    const server = new FileServer(own, new LocalHost(), log)
    const marked = join(scratch, 'written')
    if (!existsSync(marked)) await server.update(() => undefined)
    for (const env of await server.envs()) {
      const root = join(scratch, TREES, encodeURIComponent(env))
      roots.set(env, root)
      if (!existsSync(marked)) await writeTree(server, env, root)
    }
    writeFileSync(marked, '')
  } catch (error) {
    problems.push(toError(error).message)
  }
  const isWhole = local.length === all.length && problems.length === 0
  return { roots, isWhole, problems }
}

async function writeTree(server: FileServer, env: string, root: string): Promise<void> {
  mkdirSync(root, { recursive: true })
  for (const path of (await server.list(env)).files) {
    const found = await server.find(`|${path}`, env)
    if (!found) continue
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    copyFileSync(found.path, file)
  }
}

/**
 * Add the folders of environments to file_roots, before or after its own folders, in the order of `fileserver_backend`.
 */
export function withGitRoots(fileRoots: Dict, backends: readonly Value[], { roots }: GitRoots): Dict {
  const names = backends.map(str)
  const isFirst = names.findIndex(isGit) < names.findIndex((name) => name === 'roots' || name === 'file')
  const hasRoots = names.some((name) => name === 'roots' || name === 'file')
  const merged: Dict = hasRoots ? new Map(fileRoots) : new Map()
  for (const [env, root] of roots) {
    const before = merged.get(env) ?? []
    const folders = isList(before) ? before : [before]
    merged.set(env, isFirst ? [root, ...folders] : [...folders, root])
  }
  return merged
}

/** Replace paths of the scratch folder in a text by URLs for minions. */
export function withoutScratch(text: string, scratch: string): string {
  const folder = `${join(scratch, TREES)}/`
  if (scratch === '' || !text.includes(folder)) return text
  const parts = text.split(folder)
  const shown = parts.slice(1).map((rest) => {
    const [, env = '', path = '', more = ''] = /^([^/\s'"]*)\/?([^\s'":]*)([\s\S]*)$/.exec(rest) ?? []
    return `salt://${path}?saltenv=${decodeURIComponent(env)}${more}`
  })
  return [parts[0], ...shown].join('')
}
