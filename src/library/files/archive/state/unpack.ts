// Unpacking an archive to its target.
import { SaltError, shlexSplit, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import { isHostError, type StateReturn } from '../../../../sdk/mod.ts'
import { ending, type Options, type Work } from './request.ts'

/** Unpack an archive; return its files, or a report on failure. */
export async function unpack(work: Work, cached: string, options: Options): Promise<Value[] | string | StateReturn> {
  const { ctx, request, target } = work
  const further = Object.fromEntries([...request.kwargs].filter(([key]) => !key.startsWith('__') && !/^keep/.test(key)))
  const { password } = request
  try {
    if (options.format === 'zip') {
      const keywords = { options: options.options, trim_output: options.trim, password, ...further }
      if (options.byProgram) return await ctx.call('archive.cmd_unzip', [cached, target], keywords)
      const permissions = { extract_perms: request.extract_perms }
      return await ctx.call('archive.unzip', [cached, target], { ...keywords, ...permissions })
    }
    if (options.format === 'rar') {
      return await ctx.call('archive.unrar', [cached, target], { trim_output: options.trim, ...further })
    }
    return await untar(work, cached, options)
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return ending(work)(false, error.message)
  }
}

async function untar(work: Work, cached: string, options: Options): Promise<Value[] | string | StateReturn> {
  const { ctx, target } = work
  const argv = options.options === null ? ['tar', 'xf', cached] : ['tar', ...tarWords(options.options), '-f', cached]
  const outcome = await ctx.call('cmd.run_all', [argv], { cwd: target, python_shell: false })
  if (outcome.get('retcode') !== 0) {
    work.changes.clear()
    for (const [key, value] of outcome) work.changes.set(key, value)
    return ending(work)(false, '')
  }
  if (options.options === null) return trimmed(await names(work, cached), options.trim)
  const files = splitLines(str(outcome.get('stdout') ?? ''))
  return files.length > 0 ? trimmed(files, options.trim) : 'no tar output so far'
}

/** Return the options of tar for unpacking; a first word without a dash is a bundle of short options. */
function tarWords(given: string): string[] {
  const words = shlexSplit(given).filter((word) => !['v', '-v', '--verbose'].includes(word))
  const [first = ''] = words
  if (words.length === 0 || first.startsWith('-')) return ['xv', ...words]
  return [`xv${first.replaceAll(/[xf]/g, '')}`, ...words.slice(1)]
}

const trimmed = (files: Value[], trim: Value): Value[] => (truthy(trim) ? files.slice(0, Number(str(trim))) : files)

/** Return paths in the order of the archive, directories without their slash. */
async function names({ ctx }: Work, cached: string): Promise<Value[]> {
  const { stdout } = await ctx.host.run({ argv: ['tar', 'tf', cached, '--quoting-style=literal'] })
  return splitLines(Buffer.from(stdout).toString()).map((name) => name.replace(/\/+$/, ''))
}

/** Remove the target if it is empty. */
export async function dropIfEmpty({ ctx, target }: Work): Promise<void> {
  try {
    await ctx.host.removeDirectory(target)
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('debug', error.message)
  }
}
