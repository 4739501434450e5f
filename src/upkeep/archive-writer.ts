// The file of an archive: tar, compressed by the ending of its name and encrypted on request. It has a temporary name and mode 0600
// until it is whole.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { PassThrough, type Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import { PRIVATE_FILE } from '../base/mod.ts'
import { TAR_BLOCK, type TarEntry, tarHead, tarPadding } from '../data/mod.ts'
import { UpkeepError } from './errors.ts'

export interface ArchiveOptions {
  file: string
  /** A recipient that the archive is encrypted to: a key of age, or of GnuPG. */
  encryptTo?: string
  /** Whether a file of that name is replaced. */
  isForced?: boolean
}

/** Remove the suffix of encryption; the suffix before it names the compression. */
const innerName = (file: string): string => file.replace(/\.(?:age|gpg|asc|pgp)$/, '')

export class ArchiveWriter {
  private readonly tar = new PassThrough({ highWaterMark: 1 << 20 })
  private readonly written: Promise<unknown>
  private readonly part: string
  private readonly file: string
  private failure: unknown

  constructor({ file, encryptTo, isForced = false }: ArchiveOptions) {
    if (lstatSync(file, { throwIfNoEntry: false }) && !isForced) {
      throw new UpkeepError('InTheWay', `${file} is there already`, { hint: 'Name another file, or add --force' })
    }
    this.file = file
    this.part = `${file}.${randomBytes(6).toString('hex')}.part`
    const compress = compressor(innerName(file))
    // a new file under a random name, opened so that a link of that name is not followed
    const target = createWriteStream('', { fd: openSync(this.part, 'wx', PRIVATE_FILE), flush: true })
    const packed: Readable = compress ? this.tar.pipe(compress) : this.tar
    if (compress) this.tar.on('error', (error) => compress.destroy(error))
    this.written = encryptTo === undefined ? pipeline(packed, target) : encrypted(packed, target, encryptTo)
    this.written.catch((error: unknown) => {
      this.failure = error
      this.tar.destroy()
    })
  }

  /** Add an entry with its body. The body must have the bytes that the entry says. */
  async add(entry: TarEntry, body: Iterable<Buffer> | AsyncIterable<Buffer> = []): Promise<void> {
    await this.write(tarHead(entry))
    let left = entry.size
    for await (const bytes of body) {
      left -= bytes.length
      await this.write(bytes)
    }
    if (left !== 0) throw new UpkeepError('InTheWay', `${entry.path} changed while it was read; try again`)
    await this.write(Buffer.alloc(tarPadding(entry.size)))
  }

  private async write(bytes: Buffer): Promise<void> {
    if (this.failure) throw this.failure
    if (bytes.length === 0 || this.tar.write(bytes)) return
    await Promise.race([new Promise((done) => this.tar.once('drain', done)), this.written])
    if (this.failure) throw this.failure
  }

  /** End the archive and give it its name. */
  async finish(): Promise<void> {
    this.tar.end(Buffer.alloc(2 * TAR_BLOCK))
    await this.written
    renameSync(this.part, this.file)
  }

  /** Remove the unfinished file. */
  async abandon(): Promise<void> {
    this.tar.destroy(new Error('abandoned'))
    await this.written.catch(() => undefined)
    rmSync(this.part, { force: true })
  }
}

/** The functions of Node 22.15 and newer. */
interface Zstd {
  createZstdCompress?: () => Transform
  createZstdDecompress?: () => Transform
}

/** Return the compression by the ending of a name; undefined for none. */
function compressor(name: string): Transform | undefined {
  if (/\.(?:tar\.gz|tgz)$/.test(name)) return zlib.createGzip({ level: 6 })
  if (name.endsWith('.tar')) return undefined
  if (name.endsWith('.tar.zst')) return zstd('createZstdCompress')
  throw new UpkeepError('BadArchive', `${name}: the name of an archive ends in .tar, .tar.gz or .tar.zst`, {
    hint: 'With --encrypt-to it may have .age or .gpg behind that',
  })
}

export function zstd(name: keyof Zstd): Transform {
  const make = (zlib as Zstd)[name]
  if (make) return make()
  throw new UpkeepError('BadArchive', `Node ${process.versions.node} cannot read or write zstd`, {
    hint: 'Use .tar.gz, or Node 22.15 or newer',
  })
}

/**
 * Return the program and arguments for encryption to a recipient. Recipients are public, so they may appear in a
 * process list.
 */
function encryption(recipient: string): [string, string[]] {
  if (/^(?:age1|ssh-(?:ed25519|rsa) )/.test(recipient)) return ['age', ['--encrypt', '--recipient', recipient]]
  if (recipient.startsWith('-')) throw new UpkeepError('ProgramFailed', `'${recipient}' cannot be a recipient`)
  return [
    'gpg',
    ['--batch', '--no-tty', '--no-auto-key-locate', '--trust-model', 'always', '--encrypt', '--recipient', recipient],
  ]
}

async function encrypted(packed: Readable, target: NodeJS.WritableStream, recipient: string): Promise<void> {
  const [program, args] = encryption(recipient)
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (bytes: Buffer) => {
    if (said.length < 4096) said += bytes.toString()
  })
  const ended = new Promise<void>((done, fail) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? `the program '${program}' is missing` : error.message
      fail(new UpkeepError('ProgramFailed', `Cannot encrypt the archive: ${why}`))
    })
    child.once('close', (code) => {
      if (code === 0) done()
      else fail(new UpkeepError('ProgramFailed', `Cannot encrypt the archive: ${program}: ${said.trim()}`))
    })
  })
  // a program that ends early breaks its pipe; its own words are the reason
  const fed = pipeline(packed, child.stdin).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
  await Promise.all([ended, fed, pipeline(child.stdout, target)])
}
