// Owners of files, facts about packages, and downloaded package files.
import { basename } from 'node:path/posix'
import { lookup } from '../../../../base/mod.ts'
import { type Dict, failure, isList, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn, runAll } from '../../../../sdk/mod.ts'
import { callApt } from './call.ts'

/** Return the package that owns a file, empty for none; by path for several files. */
export async function owner(ctx: FunctionContext, paths: readonly string[]): Promise<Value> {
  if (paths.length === 0) return ''
  const owners: Dict = new Map()
  for (const path of paths) {
    const { stdout } = await runAll(ctx, ['dpkg', '-S', path], { output_loglevel: 'trace' })
    const [name = ''] = stdout.split(':')
    owners.set(path, name.toLowerCase().includes('no path found') ? '' : name)
  }
  return owners.size === 1 ? [...owners.values()][0]! : owners
}

/** Return the package that installed a file; False for a path that is relative or does not exist. */
export async function which(ctx: FunctionContext, path: string): Promise<string | null | false> {
  if (!path.startsWith('/') || (await ctx.host.stat(path)) === undefined) {
    ctx.log('debug', path.startsWith('/') ? `${path} does not exist` : `${path} is not absolute path`)
    return false
  }
  const { stdout } = await callApt(ctx, ['dpkg', '-S', path])
  return stdout.includes('no path found matching pattern') ? null : stdout.split(':')[0]!
}

const filterOf = (given: Value): string[] =>
  (isList(given)
    ? [...given]
    : str(given)
        .split(',')
        .map((word) => word.trim())
  ).map((word) => (typeof word === 'string' ? word.toLowerCase() : str(word)))

/** Return the fields of `apt-cache show` by package and version. */
export async function show(ctx: FunctionContext, names: readonly string[], filter: Value): Promise<Dict> {
  const packages: Dict = new Map()
  if (names.length === 0) return packages
  const wanted = filterOf(filter)
  const { stdout } = await callApt(ctx, ['apt-cache', 'show', ...names], { scope: false })
  for (const paragraph of stdout.split(/\n\s*\n/)) {
    const fields = new Map<Value, Value>()
    for (const line of paragraph.split('\n')) {
      const [, key, value] = /^([^:]*):(.*)$/s.exec(line.trim()) ?? []
      const name = key?.trim().toLowerCase()
      if (name === undefined) continue
      const isWanted = wanted.length === 0 || ['package', 'version'].includes(name) || wanted.includes(name)
      if (isWanted) fields.set(key!.trim(), value!.trim())
    }
    const name = fields.get('Package')
    const version = fields.get('Version')
    if (name === undefined || version === undefined) continue
    fields.delete('Package')
    fields.delete('Version')
    const versions = (packages.get(name) ?? new Map()) as Dict
    versions.set(version, new Map([...((versions.get(version) ?? new Map()) as Dict), ...fields]))
    packages.set(name, versions)
  }
  return packages
}

const COMMON_NAMES: Readonly<Record<string, string>> = lookup({
  package: 'name',
  origin: 'vendor',
  section: 'group',
  maintainer: 'packager',
  homepage: 'url',
})

/** Return the facts about installed packages, under the names that all providers use. */
export async function infoInstalled(ctx: FunctionContext, names: readonly Value[], failhard: Value): Promise<Dict> {
  const found: Dict = new Map()
  for (const [name, facts] of await ctx.call('lowpkg.info', names, { failhard })) {
    const info = facts as Dict
    if (str(info.get('status') ?? 'ii')[1] !== 'i') continue
    const entries = [...info].filter(([key]) => key !== 'status')
    found.set(name, new Map(entries.map(([key, value]) => [COMMON_NAMES[str(key)] ?? key, value])))
  }
  return found
}

async function* packageFiles(ctx: FunctionContext, folder: string): AsyncGenerator<string> {
  const folders: string[] = []
  for (const name of await namesIn(ctx.host, folder)) {
    const path = `${folder}/${name}`
    const type = (await ctx.host.lstat(path))?.type
    if (type === 'directory') folders.push(path)
    else if (basename(path).endsWith('.deb')) yield path
  }
  for (const path of folders) yield* packageFiles(ctx, path)
}

/** Return the package files in the cache of apt, by name and version. */
export async function listDownloaded(ctx: FunctionContext, root: string | null): Promise<Dict> {
  const cache = root ? `${root.replace(/\/+$/, '')}/var/cache/apt` : '/var/cache/apt'
  const packages: Dict = new Map()
  for await (const path of packageFiles(ctx, cache)) {
    const info = (await ctx.call('lowpkg.bin_pkg_info', [path])) as Dict
    const stat = await ctx.host.stat(path)
    const created = Math.floor(stat?.ctime ?? 0)
    const versions = (packages.get(info.get('name')!) ?? new Map()) as Dict
    const facts: Dict = new Map<Value, Value>([
      ['path', path],
      ['size', stat?.size ?? 0],
      ['creation_date_time_t', created],
      ['creation_date_time', new Date(created * 1000).toISOString().slice(0, 19)],
    ])
    packages.set(info.get('name')!, versions.set(info.get('version')!, facts))
  }
  return packages
}

/** Services that still use files which have been replaced. */
export async function servicesNeedRestart(ctx: FunctionContext): Promise<string[]> {
  if ((await ctx.host.which('checkrestart')) === undefined) {
    throw failure(
      "'checkrestart' is needed. It is part of the 'debian-goodies' package which can be installed from official repositories.",
    )
  }
  const { stdout } = await runAll(ctx, ['checkrestart', '--machine', '--package'])
  const lines = stdout.split('\n').filter((line) => line.startsWith('SERVICE:'))
  return [...new Set(lines.map((line) => line.slice(8, line.indexOf(','))))]
}
