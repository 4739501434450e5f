// Copies users' own modules from the file server: `salt://_modules` and the like of all wanted environments go to
// `extension_modules`. Files are compared by content, and files that the file server no longer has are removed.
import { type Log, lookup } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
import type { FileClient } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'

export interface SyncSurroundings {
  opts: Dict
  host: Host
  files: FileClient
  log: Log
}

/** Names as text with commas, or a dict of lists by family; a list is refused. */
type NameLists = string | Value[] | Dict | null

export interface SyncRequest {
  /** `modules`, `states` … */
  family: string
  envs: readonly string[]
  /** Null means the option of that name. */
  whitelist: NameLists
  blacklist: NameLists
  /** The files below underscore folders on the file server. Default: they are listed. */
  offered?: (saltenv: string) => Promise<string[]>
}

/** Return a function that lists each environment once, for syncs of several families. */
export function listedOnce(files: FileClient): (saltenv: string) => Promise<string[]> {
  const known = new Map<string, Promise<string[]>>()
  return (saltenv) => {
    const listing = known.get(saltenv) ?? files.files(saltenv, '_')
    known.set(saltenv, listing)
    return listing
  }
}

export interface Synced {
  /** `modules.probe` … */
  names: string[]
  /** Whether any file came, changed or went. */
  touched: boolean
}

const WANTED = /\.(pyx?|so|zip|[cm]?[jt]s)$/

/** Other names of folders. */
const ALSO: Readonly<Record<string, readonly string[]>> = lookup({ output: ['outputters'] })

/** The names that a list means for a family; undefined when it says nothing of it. */
function listed(
  { opts, log }: SyncSurroundings,
  option: string,
  given: NameLists,
  family: string,
): string[] | undefined {
  if (typeof given === 'string') return given.split(',')
  const chosen = given ?? opts.get(option) ?? null
  if (!isDict(chosen)) {
    if (truthy(chosen)) log('error', `${option} must be a string or dictionary: ${str(chosen)}`)
    return undefined
  }
  const names = chosen.get(family)
  if (names === undefined || !truthy(chosen)) return undefined
  return isList(names) ? names.map(str) : [str(names)]
}

export async function syncModules(around: SyncSurroundings, request: SyncRequest): Promise<Synced> {
  const { opts, log } = around
  const { family } = request
  const all = opts.has('extension_modules') ? option(opts, 'extension_modules') : `${option(opts, 'cachedir')}/extmods`
  const folder = `${all}/${family}`
  const synced: Synced = { names: [], touched: false }
  try {
    await around.host.makeDirectory(folder, { parents: true, mode: 0o700 })
    const offered = await takeOver(around, request, folder, synced)
    if (opts.get('clean_dynamic_modules') === true || opts.get('clean_dynamic_modules') === undefined) {
      if (await clean(around.host, folder, '', offered)) synced.touched = true
    }
  } catch (error) {
    log('error', `Failed to sync ${family} module: ${error instanceof Error ? error.message : String(error)}`)
  }
  return synced
}

/** Copy changed files; return the paths below the folder on the file server. */
async function takeOver(
  around: SyncSurroundings,
  { family, envs, whitelist, blacklist, offered: list }: SyncRequest,
  folder: string,
  synced: Synced,
): Promise<Set<string>> {
  const { files, host } = around
  const allowed = listed(around, 'extmod_whitelist', whitelist, family)
  const refused = listed(around, 'extmod_blacklist', blacklist, family)
  const offered = new Set<string>()
  const folders = [family, ...(ALSO[family] ?? [])].map((name) => `_${name}/`)
  for (const saltenv of envs) {
    for (const path of await (list ?? listedOnce(files))(saltenv)) {
      const source = folders.find((name) => path.startsWith(name))
      if (source === undefined || !WANTED.test(path)) continue
      const relative = path.slice(source.length)
      const name = relative.replace(/\.[^./]*$/, '').replaceAll('/', '.')
      if ((allowed && !allowed.includes(name)) || refused?.includes(name)) continue
      const cached = await files.fetch(`salt://${path}`, { saltenv })
      if (cached === false) continue
      offered.add(relative)
      if (await copied(host, cached, `${folder}/${relative}`)) synced.names.push(`${family}.${name}`)
    }
  }
  synced.touched = synced.names.length > 0
  return offered
}

/** Whether the target was not yet the same. */
async function copied(host: Host, source: string, target: string): Promise<boolean> {
  const content = Buffer.from(await host.read(source))
  const present = (await host.stat(target))?.type === 'file' ? Buffer.from(await host.read(target)) : undefined
  if (present && content.equals(present)) return false
  await host.makeDirectory(target.slice(0, target.lastIndexOf('/')), { parents: true, mode: 0o700 })
  await host.write(target, content, { mode: 0o600 })
  return true
}

/** Removes files that are not wanted and folders that are empty then; whether any went. */
async function clean(host: Host, folder: string, below: string, wanted: ReadonlySet<string>): Promise<boolean> {
  let touched = false
  for (const name of await host.list(`${folder}/${below}`)) {
    const path = `${folder}/${below}${name}`
    if ((await host.lstat(path))?.type === 'directory') {
      if (await clean(host, folder, `${below}${name}/`, wanted)) touched = true
      if ((await host.list(path)).length === 0) await host.removeDirectory(path)
    } else if (!wanted.has(`${below}${name}`)) {
      await host.remove(path)
      touched = true
    }
  }
  return touched
}
