// Package files that zypper fetched.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn } from '../../../../sdk/mod.ts'
import { failure, infoOf, misuse } from '../../common/installed.ts'
import { isoTime } from '../rpm_lowpkg/package.ts'
import { attribute, elements, textOfElement, zypperElements } from './program.ts'

const CACHE = '/var/cache/zypp/packages'

async function rpmFiles(ctx: FunctionContext, folder: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await namesIn(ctx.host, folder)) {
    const path = `${folder}/${name}`
    if ((await ctx.host.lstat(path))?.type === 'directory') found.push(...(await rpmFiles(ctx, path)))
    else if (name.endsWith('.rpm')) found.push(path)
  }
  return found
}

export async function listDownloaded(ctx: FunctionContext, root: Value): Promise<Dict> {
  const found: Dict = new Map()
  for (const path of await rpmFiles(ctx, `${truthy(root) ? str(root) : ''}${CACHE}`)) {
    const facts = (await ctx.call('lowpkg.bin_pkg_info', [path])) as Dict
    const { ctime, size } = (await ctx.host.stat(path))!
    const seconds = Math.trunc(ctime)
    const entry = infoOf({ path, size, creation_date_time_t: seconds, creation_date_time: isoTime(seconds) })
    const name = facts.get('name')!
    found.set(name, new Map([...((found.get(name) as Dict | undefined) ?? []), [facts.get('version')!, entry]]))
  }
  return found
}

export async function download(ctx: FunctionContext, packages: readonly string[], root: Value): Promise<Dict> {
  if (packages.length === 0) throw misuse('No packages specified')
  const found: Dict = new Map()
  for (const result of await zypperElements(ctx, 'download-result', ['download', ...packages], { root })) {
    const [repo] = elements(result, 'repository')
    const [file] = elements(result, 'localfile')
    const [name] = elements(result, 'name')
    if (!repo || !file || !name) continue
    const path = attribute(file, 'path')
    const facts = infoOf({
      'repository-name': attribute(repo, 'name'),
      'repository-alias': attribute(repo, 'alias'),
      path,
    })
    if (truthy(await ctx.call('lowpkg.checksum', [path], { root }))) found.set(textOfElement(name), facts)
  }
  if (found.size === 0) throw failure(`Unable to download packages: ${packages.join(', ')}`)
  const failed = packages.filter((name) => !found.has(name))
  if (failed.length > 0) found.set('_error', `The following package(s) failed to download: ${failed.join(', ')}`)
  return found
}
