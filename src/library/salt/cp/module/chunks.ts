// `salt-cp --chunked`: each call brings one chunk of a file, compressed by itself.
import { gunzipSync } from 'node:zlib'
import { str, type Value } from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, isHostError, ret } from '../../../../sdk/mod.ts'

function failed(ctx: FunctionContext, message: string): string {
  ctx.memory.set('retcode', 1)
  return message
}

const parent = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

async function makeDirectory(ctx: FunctionContext, path: string): Promise<Value> {
  const there = await ctx.host.stat(path)
  if (there?.type === 'file') return 'Path exists and is a file'
  if (!there) await ctx.host.makeDirectory(path, { parents: true })
  return true
}

async function write(ctx: FunctionContext, path: string, data: Uint8Array, isFirst: boolean): Promise<void> {
  if (!isFirst) return ctx.host.append(path, data)
  if (!(await ctx.host.stat(parent(path)))) await ctx.host.makeDirectory(parent(path), { parents: true })
  await ctx.host.write(path, data)
}

export const receiveChunk = changes({
  doc: 'Write a chunk of a file, or create an empty directory.',
  args: {
    dest: arg.string('Path of the file or directory'),
    chunk: arg.any('Chunk in base64 as text or bytes; None for a directory'),
    append: arg.boolean('Append the chunk to the file', { default: false }),
    compressed: arg.boolean('Whether the chunk is compressed with gzip', { default: true }),
    mode: arg.any('Mode of a new file as a number; other types are ignored', { optional: true }),
  },
  returns: ret.any('True, or a text with the error'),
  run: async (ctx, { dest, chunk, append, compressed, mode }) => {
    try {
      if (chunk === null) return await makeDirectory(ctx, dest)
      const bytes = Buffer.from(
        chunk instanceof Uint8Array ? Buffer.from(chunk).toString('latin1') : str(chunk),
        'base64',
      )
      await write(ctx, dest, compressed ? gunzipSync(bytes) : bytes, !append)
      if (!append && typeof mode === 'number') await ctx.host.chmod(dest, mode)
      return true
    } catch (error) {
      if (!isHostError(error)) throw error
      return failed(ctx, error.message)
    }
  },
})
