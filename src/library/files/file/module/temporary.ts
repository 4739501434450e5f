// Temporary files of content that is put in place.
import { str, type Value } from '../../../../data/mod.ts'
import { baseName, type FunctionContext } from '../../../../sdk/mod.ts'

const PREFIX = '__salt.tmp.'

export function temporaryFile(ctx: FunctionContext, content: string | Uint8Array): Promise<string> {
  return ctx.host.tempFile({ prefix: PREFIX, content })
}

/** Remove a temporary file; any other file stays. */
export async function discard(ctx: FunctionContext, file: Value): Promise<void> {
  if (typeof file !== 'string' || !baseName(file).startsWith(PREFIX)) return
  const roots = ctx.opts.get('file_roots')
  const directories = roots instanceof Map ? [...roots.values()].flat().map((root) => str(root as Value)) : []
  if (directories.some((root) => file.startsWith(root))) return
  if (await ctx.host.stat(file)) await ctx.host.remove(file)
}
