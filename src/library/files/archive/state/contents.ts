// The comparison of the content of an archive with the target.
import { type Dict, SaltError, truthy, type Value } from '../../../../data/mod.ts'
import { type FileType, isHostError, type StateReturn } from '../../../../sdk/mod.ts'
import { type Extraction, ending, type Options, type Work } from './request.ts'

export interface Listing {
  dirs: string[]
  files: string[]
  links: string[]
  topDirs: string[]
  topFiles: string[]
  topLinks: string[]
}

export async function listing(work: Work, cached: string, { format, strip }: Options): Promise<Listing | StateReturn> {
  const { ctx, request } = work
  try {
    const found = (await ctx.call('archive.list', [cached], {
      archive_format: format,
      options: request.list_options,
      strip_components: strip,
      clean: false,
      verbose: true,
      use_etag: request.use_etag,
    })) as Dict
    const list = (key: string): string[] => (found.get(key) ?? []) as string[]
    return {
      dirs: list('dirs'),
      files: list('files'),
      links: list('links'),
      topDirs: list('top_level_dirs'),
      topFiles: list('top_level_files'),
      topLinks: list('top_level_links'),
    }
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return ending(work)(false, unlistable(request, format, error.message))
  }
}

function unlistable(request: Extraction, format: string, message: string): string {
  const needs: string[] = []
  if (!truthy(request.if_missing)) needs.push("'if_missing' must be set")
  if (!truthy(request.enforce_ownership_on) && (truthy(request.user) || truthy(request.group))) {
    needs.push("Ownership cannot be managed without setting 'enforce_ownership_on'.")
  }
  if (needs.length === 0) return message
  const advice =
    format === 'tar'
      ? "If the source archive is a tar archive compressed using a compression type not natively supported by the tar command, then setting the 'list_options' argument may allow the contents to be listed. Otherwise, if Salt is unable to determine the files/directories in the archive, the following workaround(s) would need to be used for this state to proceed"
      : 'The following workarounds must be used for this state to proceed'
  const list = needs.map((need) => `\n- ${need}`).join('')
  return `${message}\n\n${advice} (assuming the source file is a valid ${format} archive):\n${list}`
}

export interface Comparison {
  missing: boolean
  wrongType: string[]
}

/** Paths below a path of the wrong type do not count as missing. */
export async function compare({ ctx, target }: Work, listing: Listing): Promise<Comparison | string> {
  const wrongType: string[] = []
  let missing = false
  const kinds: [string[], (type: FileType) => boolean][] = [
    [listing.dirs, (type) => type === 'directory'],
    [listing.files, (type) => type !== 'link' && type !== 'directory'],
    [listing.links, (type) => type === 'link'],
  ]
  for (const [paths, fits] of kinds) {
    for (const path of paths) {
      try {
        const stat = await ctx.host.lstat(`${target}${path}`.replace(/\/+$/, ''))
        if (stat === undefined) missing ||= !wrongType.some((held) => path.startsWith(`${held.replace(/\/+$/, '')}/`))
        else if (!fits(stat.type)) wrongType.push(path)
      } catch (error) {
        if (!isHostError(error)) throw error
        if (error.code !== 'ENOTDIR') return error.message
      }
    }
  }
  return { missing, wrongType }
}

export async function removeAll(work: Work, paths: readonly string[]): Promise<string[]> {
  const { ctx, target, changes } = work
  const errors: string[] = []
  const removed = (changes.get('removed') ?? []) as Value[]
  for (const path of paths) {
    const full = `${target}${path}`
    const bare = full.replace(/\/+$/, '')
    try {
      const type = (await ctx.host.lstat(bare))?.type
      if (type === 'directory') await ctx.host.removeDirectory(bare, { recursive: true })
      else if (type !== undefined) await ctx.host.remove(bare)
      else continue
      removed.push(full)
    } catch (error) {
      if (!isHostError(error)) throw error
      errors.push(error.message)
    }
  }
  if (removed.length > 0) changes.set('removed', removed)
  return errors
}
