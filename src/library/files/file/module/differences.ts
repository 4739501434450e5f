// `file.get_diff`: the difference of two text files; for binary files only whether they differ.
import { failure, SaltError, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError } from '../../../../sdk/mod.ts'
import { isText } from '../is-text.ts'
import { type Ignored, ignoresSome } from '../managed-request.ts'
import { asLatin, binaryLines, byteDiff, isSignificant } from './text.ts'

export interface DiffRequest {
  saltenv?: string
  show_filenames?: boolean
  show_changes?: boolean
  /** Whether the files are rendered templates, which the option `obfuscate_templates` hides. */
  template?: boolean
  hashes?: readonly [Value, Value]
  ignored?: Ignored
}

export interface Difference {
  text: string
  /** Whether the difference exceeds what the request ignores. */
  isSignificant: boolean
}

/** Return the local path of a file; fetch a remote one. */
async function local(ctx: FunctionContext, file: Value, saltenv: Value, hash: Value): Promise<Value> {
  const path = textOf(file)
  if (path?.startsWith('/')) return path
  return ctx.call('cp.cache_file', [file, saltenv], { source_hash: hash })
}

async function localPaths(
  ctx: FunctionContext,
  files: readonly [Value, Value],
  request: DiffRequest,
): Promise<string[]> {
  const errors: string[] = []
  const paths: string[] = []
  for (const [index, file] of files.entries()) {
    try {
      const path = await local(ctx, file, request.saltenv ?? 'base', request.hashes?.[index] ?? null)
      if (path === false) errors.push(`File ${str(file)} not found`)
      else paths.push(str(path))
    } catch (error) {
      if (!(error instanceof SaltError) || error.code !== 'MinionError') throw error
      errors.push(error.message)
    }
  }
  if (errors.length > 0) {
    const info = errors.map((error) => `- ${error}`).join('\n')
    throw failure(`Failed to cache one or more files. Additional info follows:\n\n${info}`)
  }
  return paths
}

async function content(ctx: FunctionContext, path: string): Promise<Uint8Array> {
  try {
    return await ctx.host.read(path)
  } catch (error) {
    if (!isHostError(error)) throw error
    const reason = error.message.replace(/^\[Errno \d+\] /, '').replace(/: '.*$/s, '')
    throw failure(`Failed to read ${path}: ${reason}`)
  }
}

export async function configFlag(ctx: FunctionContext, name: string): Promise<boolean> {
  const value = ctx.has('config.option') ? await ctx.call('config.option', [name]) : (ctx.opts.get(name) ?? null)
  return truthy(value)
}

export async function fileDifference(
  ctx: FunctionContext,
  files: readonly [Value, Value],
  request: DiffRequest = {},
): Promise<Difference> {
  const paths = await localPaths(ctx, files, request)
  const [old, fresh] = [await content(ctx, paths[0]!), await content(ctx, paths[1]!)]
  if (Buffer.compare(old, fresh) === 0) return { text: '', isSignificant: false }
  if (request.template && (await configFlag(ctx, 'obfuscate_templates'))) {
    return { text: '<Obfuscated Template>', isSignificant: true }
  }
  if (request.show_changes === false) return { text: '<show_changes=False>', isSignificant: true }
  const binary = binaryChange(isText(old), isText(fresh))
  if (binary !== '') return { text: binary, isSignificant: true }
  const lines = (bytes: Uint8Array): string[] => binaryLines(asLatin(bytes))
  const text = byteDiff(lines(old), lines(fresh), request.show_filenames === false ? [] : paths)
  const { ignored } = request
  return { text, isSignificant: !ignored || !ignoresSome(ignored) || isSignificant(text, ignored) }
}

function binaryChange(oldIsText: boolean, freshIsText: boolean): string {
  if (oldIsText) return freshIsText ? '' : 'Replace text file with binary file'
  return freshIsText ? 'Replace binary file with text file' : 'Replace binary file'
}
