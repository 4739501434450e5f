// Package files that zypper downloaded.
import { type Dict, dictFrom, failure, misuse, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

import { packageFiles } from '../rpm_lowpkg/downloads.ts'
import { attribute, elements, textOfElement, zypperElements } from './program.ts'

const CACHE = '/var/cache/zypp/packages'

export const listDownloaded = (ctx: FunctionContext, root: string | null): Promise<Dict> =>
  packageFiles(ctx, `${root ?? ''}${CACHE}`)

export async function download(ctx: FunctionContext, packages: readonly string[], root: Value): Promise<Dict> {
  if (packages.length === 0) throw misuse('No packages specified')
  const found: Dict = new Map()
  for (const result of await zypperElements(ctx, 'download-result', ['download', ...packages], { root })) {
    const [repo] = elements(result, 'repository')
    const [file] = elements(result, 'localfile')
    const [name] = elements(result, 'name')
    if (!repo || !file || !name) continue
    const path = attribute(file, 'path')
    const facts = dictFrom({
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
