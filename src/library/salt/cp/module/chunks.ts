// Files that come in pieces, one call after the other: salt-cp's `--chunked`. Each piece is compressed by itself.
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
  doc: 'Write a piece of a file that was sent along with the call, or make an empty directory.',
  args: {
    dest: arg.string('The file'),
    chunk: arg.any('The piece in base64; None for a directory'),
    append: arg.boolean('Whether it goes to the end of the file', { default: false }),
    compressed: arg.boolean('Whether the piece is compressed', { default: true }),
    mode: arg.any('The mode of a new file', { optional: true }),
  },
  returns: ret.any('True, or what went wrong'),
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
