// Reads an archive that is not trusted: only files, directories, and links that stay inside of it are accepted.
import { spawn } from 'node:child_process'
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { PassThrough, type Readable } from 'node:stream'
import zlib from 'node:zlib'
import { shownText, toError } from '../base/mod.ts'
import { type TarEntry, type TarHead, tarEntries } from '../data/mod.ts'
import { zstd } from './archive-writer.ts'
import { UpkeepError } from './errors.ts'

export interface ReadEntry extends TarEntry {
  /** The bytes of a file; unread bytes are skipped. */
  body: AsyncIterable<Buffer>
}

export interface ArchiveLimits {
  /** A file with the key of age, for an archive that was encrypted to one. */
  identity?: string
}

/** Go through the entries of an archive in a file. */
export async function* readArchive(file: string, options: ArchiveLimits = {}): AsyncGenerator<ReadEntry> {
  const { stream, failed } = opened(file, options)
  try {
    for await (const { body, ...head } of tarEntries(stream)) yield { ...checked(head), body }
  } catch (error) {
    throw (await failed()) ?? readable(error, file)
  } finally {
    stream.destroy()
  }
  const failure = await failed()
  if (failure) throw failure
}

/** An error of decompression is one of the archive. */
function readable(error: unknown, file: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (!/^(?:Z_|ERR_.*Z|ZSTD)/.test(String(code))) return error
  return new UpkeepError('BadArchive', `${file} is damaged: ${toError(error).message}`, { cause: error })
}

interface Opened {
  stream: Readable
  /** Resolves with the failure of the program that decrypts, if any. */
  failed(): Promise<unknown>
}

function opened(file: string, { identity }: ArchiveLimits): Opened {
  const start = firstBytes(file)
  const age =
    start.toString('latin1').startsWith('age-encryption.org/') || start.toString('latin1').startsWith('-----BEGIN AGE')
  if (age) {
    if (identity === undefined) {
      throw new UpkeepError('ProgramFailed', `${file} is encrypted with age`, {
        hint: 'Name the file of your key with --identity',
      })
    }
    return decrypted('age', ['--decrypt', '--identity', identity, '--', file])
  }
  const isPgp =
    start.toString('latin1').startsWith('-----BEGIN PGP') || [0x84, 0x85, 0x8c, 0xc1, 0xd2].includes(start[0] ?? 0)
  if (isPgp) return decrypted('gpg', ['--quiet', '--decrypt', '--', file])
  const source = createReadStream(file)
  return { stream: unpacked(source, start), failed: async () => undefined }
}

function firstBytes(file: string): Buffer {
  const fd = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(24)
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(fd)
  }
}

/** Decompress by the first bytes. */
function unpacked(source: Readable, start: Buffer): Readable {
  const transform =
    start[0] === 0x1f && start[1] === 0x8b
      ? zlib.createGunzip()
      : start.readUInt32LE(0) === 0xfd2fb528
        ? zstd('createZstdDecompress')
        : undefined
  if (!transform) return source
  source.on('error', (error) => transform.destroy(error))
  return source.pipe(transform)
}

function decrypted(program: string, args: string[]): Opened {
  const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (bytes: Buffer) => {
    if (said.length < 4096) said += bytes.toString()
  })
  const ended = new Promise<unknown>((done) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? `the program '${program}' is missing` : error.message
      done(new UpkeepError('ProgramFailed', `Cannot decrypt the archive: ${why}`))
    })
    child.once('close', (code, signal) => {
      if (code === 0 || signal === 'SIGPIPE') done(undefined)
      else done(new UpkeepError('ProgramFailed', `Cannot decrypt the archive: ${program}: ${shownText(said.trim())}`))
    })
  })
  return { stream: innerOf(child.stdout), failed: () => ended }
}

/** The compression inside an encrypted archive shows in its first bytes. */
function innerOf(source: Readable): Readable {
  const gunzip = zlib.createUnzip()
  let transform: NodeJS.ReadWriteStream | undefined
  source.once('data', (bytes: Buffer) => {
    source.pause()
    source.unshift(bytes)
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    const isZstd = bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528
    transform = isGzip ? gunzip : isZstd ? zstd('createZstdDecompress') : new PassThrough()
    source.pipe(transform)
    transform.pipe(out)
    transform.on('error', (error) => out.destroy(error as Error))
  })
  source.once('end', () => transform ?? out.end())
  const out = new PassThrough()
  return out
}

/** Refuse entries that could reach outside of the directory in which an archive is unpacked. */
function checked({ path, kind, type, size, mode, mtime, link }: TarHead): TarEntry {
  const place = path.replace(/\/+$/, '')
  if (kind !== 'file' && kind !== 'directory' && kind !== 'link') {
    throw new UpkeepError(
      'UnsafePath',
      `The archive has an entry of type '${shownText(type)}' at ${shownText(place)}; only files, directories and links are taken`,
    )
  }
  if (!isInside(place))
    throw new UpkeepError('UnsafePath', `The archive names the path ${shownText(place)}, which is not taken`)
  if (kind === 'link' && !isLinkInside(place, link ?? '')) {
    throw new UpkeepError(
      'UnsafePath',
      `The archive has a link at ${shownText(place)} to ${shownText(link ?? '')}, which leads out of its directory`,
    )
  }
  if (kind !== 'file' && size !== 0) throw new UpkeepError('BadArchive', `${shownText(place)} has bytes and is no file`)
  return { path: place, kind, size, mode, mtime, ...(kind === 'link' && { link: link! }) }
}

/** Whether a path is relative and plain: no way up, no empty part, nothing that no file name can have. */
const isInside = (path: string): boolean =>
  path.length <= 4096 &&
  !path.includes('\0') &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.length <= 255)

/** Whether a link stays below the first part of its path, judged by its text, which must have no `..` after a name. */
function isLinkInside(path: string, link: string): boolean {
  if (link === '' || link.startsWith('/') || link.includes('\0')) return false
  let depth = path.split('/').length - 1
  for (const part of link.split('/')) {
    if (part === '..') depth--
    else if (part !== '' && part !== '.') depth++
    if (depth < 1) return false
  }
  return true
}
