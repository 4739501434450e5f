// The decompressed bytes of a file; its first bytes identify the compression.
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { TarError } from './tar-reader.ts'

/** Formats that only a program can decompress. */
const PROGRAMS: ReadonlyArray<[magic: string, argv: string[]]> = [
  ['425a68', ['bzip2', '-dc']],
  ['fd377a585a00', ['xz', '-dc']],
  ['5d0000', ['xz', '--format=lzma', '-dc']],
  ['28b52ffd', ['zstd', '-dc']],
]

export async function plainBytes(ctx: FunctionContext, path: string): Promise<AsyncIterable<Uint8Array>> {
  const start = Buffer.from(await ctx.host.read(path, { offset: 0, length: 6 })).toString('hex')
  if (start.startsWith('1f8b')) return gunzipped(ctx.host.stream(path))
  const program = PROGRAMS.find(([magic]) => start.startsWith(magic))?.[1]
  return program ? outputOf(ctx, [...program, path]) : ctx.host.stream(path)
}

export async function* outputOf(ctx: FunctionContext, argv: string[]): AsyncGenerator<Uint8Array> {
  if ((await ctx.host.which(argv[0]!)) === undefined) throw new TarError(`${argv[0]} is not there`)
  const { stdout, retcode } = await ctx.host.run({ argv })
  if (retcode !== 0) throw new TarError(`${argv.join(' ')} failed`)
  yield stdout
}

async function* gunzipped(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = Readable.from(pieces).pipe(createGunzip())
  try {
    for await (const piece of stream) yield piece as Uint8Array
  } catch (error) {
    throw new TarError(String(error))
  }
}
