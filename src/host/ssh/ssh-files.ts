// The files of a target, by its POSIX tools. One operation is one request; the tools report errors in the system's
// words.
import { createHash } from 'node:crypto'
import { join } from 'node:path/posix'
import { Turns } from '../../base/mod.ts'
import { isHostError, systemError } from '../errors.ts'
import type { AccessMode, FileRange, FileStat, FileSystemStat, HostFiles, TempOptions, WriteOptions } from '../host.ts'
import { randomName } from '../random-name.ts'
import type { AgentAnswer, AgentBatch, AgentRequestOptions } from './agent.ts'
import type { Agents } from './agents.ts'
import type { SshConnection } from './connection.ts'
import type { Facts } from './facts.ts'
import { hashBatch, type StatWay, statBatch } from './many-files.ts'
import { contentWords, INLINE, pathWord, word } from './shell-text.ts'
import { FILE_SYSTEM, parseDiskFree, parseFileSystem, parseStat, statCommand } from './stat-text.ts'
import { toolError } from './tool-errors.ts'
import { downloadRest, upload } from './transfer.ts'

/** Size of the first read of a stream; only larger files need a separate channel. */
const FIRST_PIECE = 1 << 20

const MODES: Record<AccessMode, string> = { exists: '-e', read: '-r', write: '-w', execute: '-x' }

/** The tools for checksums in the order of preference: those of GNU and busybox, of BSD, and of Perl. */
const sumTools = (algorithm: string): string[] =>
  algorithm === 'md5'
    ? ['md5sum', 'md5 -q']
    : [`${algorithm}sum`, `${algorithm} -q`, `shasum -a ${algorithm.slice('sha'.length)}`]

const SUMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']

/** The words of options for the shell's `_write`: exclusive, mode, owner and group; an empty one is not given. */
const optionWords = ({ exclusive = false, mode, uid, gid }: WriteOptions): string =>
  [exclusive ? 'x' : '', mode?.toString(8) ?? '', uid ?? '', gid ?? ''].map((value) => word(String(value))).join(' ')

export class SshFiles implements HostFiles {
  protected readonly connection: SshConnection
  protected readonly agents: Agents
  protected readonly facts: Facts
  private readonly stats: AgentBatch<FileStat | null>
  /** Large content is sent over separate connections, of which a server allows few per session. */
  private readonly transfers = new Turns({ atOnce: 2, mostWaiting: Number.POSITIVE_INFINITY })
  /** By algorithm, the tool of this target and requests for many files. */
  private readonly sums: ReadonlyMap<string, { tool: string; batch: AgentBatch<string | null> }>

  constructor(connection: SshConnection, agents: Agents, facts: Facts) {
    this.connection = connection
    this.agents = agents
    this.facts = facts
    this.stats = statBatch(facts.stat)
    const toolOf = (algorithm: string): string | undefined =>
      sumTools(algorithm).find((line) => facts.tools.has(line.replace(/ .*/, '')))
    this.sums = new Map(
      SUMS.flatMap((algorithm) => {
        const tool = toolOf(algorithm)
        return tool === undefined ? [] : [[algorithm, { tool, batch: hashBatch(tool) }]]
      }),
    )
  }

  /** Put temporary files that are still in memory on disk. Called before a path of theirs is changed or followed. */
  protected ready(..._paths: string[]): void {}

  /** Send a request that runs in a subshell, whose tools print errors in English. */
  protected ask(text: string, options: AgentRequestOptions = { isRead: true }): Promise<AgentAnswer> {
    return this.agents.request(`( LC_ALL=C; export LC_ALL; ${text} ) </dev/null`, options)
  }

  /** Send a request, and throw an error of the target. */
  protected async must(text: string, path?: string, other?: string): Promise<Buffer> {
    return this.succeeded(this.ask(text), path, other)
  }

  private async succeeded(asked: Promise<AgentAnswer>, path?: string, other?: string): Promise<Buffer> {
    const answer = await asked
    if (answer.status !== 0) throw toolError(answer, path, other)
    if (answer.isTruncated) throw systemError('EFBIG', path, other)
    return answer.stdout
  }

  /** Send a change. Earlier reads are invalid; later requests are answered after it. */
  private async change(text: string, path?: string, other?: string): Promise<void> {
    const asked = this.succeeded(this.ask(text, {}), path, other)
    this.changed(...[path, other].filter((one) => one !== undefined))
    await asked
  }

  /** Called when something changes on the target, with the changed paths; without them, anything may have changed. */
  protected changed(..._paths: string[]): void {}

  async read(path: string, range?: FileRange): Promise<Uint8Array> {
    const file = pathWord(path)
    if (range === undefined) return this.must(`cat ${file}`, path)
    const answer = await this.ask(`tail -c +${range.offset + 1} ${file} | head -c ${range.length}`)
    if (answer.stderr.length > 0) throw toolError(answer, path)
    return answer.stdout
  }

  async *stream(path: string): AsyncIterable<Uint8Array> {
    const first = await this.ask(`head -c ${FIRST_PIECE} ${pathWord(path)}`)
    if (first.status !== 0) throw toolError(first, path)
    if (first.stdout.length > 0) yield first.stdout
    if (first.stdout.length < FIRST_PIECE) return
    yield* downloadRest(this.connection, this.facts.tools, path, first.stdout)
  }

  async write(path: string, data: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    this.ready(path)
    const bytes = Buffer.from(data as Uint8Array)
    if (bytes.length > INLINE) return this.writeStream(path, pieceOf(bytes), options)
    await this.change(`_write ${pathWord(path)} ${optionWords(options)} ${randomName(16)} ${contentWords(bytes)}`, path)
  }

  async writeStream(path: string, pieces: AsyncIterable<Uint8Array>, options: WriteOptions = {}): Promise<void> {
    const { begin, isWhole, all } = await beginning(pieces, INLINE)
    if (isWhole) return this.write(path, begin, options)
    this.ready(path)
    this.changed(path)
    const tools = {
      agents: this.agents,
      connection: this.connection,
      tools: this.facts.tools,
      isSummed: this.sums.has('sha256'),
    }
    const target = {
      path,
      into: (file: string, size: number, checksum: string) =>
        `_move ${pathWord(path)} ${optionWords(options)} ${word(file)} ${size} ${word(checksum)}`,
      beside: `_beside ${pathWord(path)} ${word(options.exclusive ? 'x' : '')}`,
    }
    const send = (): Promise<void> => upload(tools, all, target)
    await this.transfers.run([], send, send).finally(() => this.changed(path))
  }

  async append(path: string, data: string | Uint8Array): Promise<void> {
    this.ready(path)
    const bytes = Buffer.from(data as Uint8Array)
    for (let at = 0; at === 0 || at < bytes.length; at += INLINE) {
      const piece = contentWords(bytes.subarray(at, at + INLINE))
      await this.change(`printf ${piece} | _into ${pathWord(path)}`, path)
    }
  }

  async writeAt(path: string, offset: number, data: Uint8Array): Promise<void> {
    this.ready(path)
    for (let at = 0; at < data.length; at += INLINE) {
      const piece = contentWords(data.subarray(at, at + INLINE))
      await this.change(`printf ${piece} | _patch ${pathWord(path)} ${offset + at}`, path)
    }
  }

  async truncate(path: string, length: number): Promise<void> {
    this.ready(path)
    const file = pathWord(path)
    const cut = this.facts.tools.has('truncate')
      ? `truncate -s ${length} ${file}`
      : `dd if=/dev/null of=${file} bs=1 seek=${length} count=0`
    await this.change(`_must ${file}; ${cut}`, path)
  }

  async copy(source: string, target: string): Promise<void> {
    this.ready(source, target)
    await this.change(`_copy ${pathWord(source)} ${pathWord(target)}`, source, target)
  }

  stat(path: string): Promise<FileStat | undefined> {
    return this.statOrNothing(path, 'L')
  }

  lstat(path: string): Promise<FileStat | undefined> {
    return this.statOrNothing(path, 'P')
  }

  private async statOrNothing(path: string, way: StatWay): Promise<FileStat | undefined> {
    if (path === '') return undefined
    if (path.includes('\0')) throw systemError('EINVAL', path)
    const told = await this.agents.requestOf(this.stats, `${way}${path}`)
    if (told !== undefined) return told ?? undefined
    const answer = await this.ask(`${statCommand(this.facts.stat, way === 'L')} ${pathWord(path)}`)
    if (answer.status === 0) return parseStat(this.facts.stat, answer.stdout.toString())
    const error = toolError(answer, path)
    if (isHostError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }

  async fileSystem(path: string): Promise<FileSystemStat> {
    if (this.facts.stat === 'bsd') return parseDiskFree((await this.must(`df -kP ${pathWord(path)}`, path)).toString())
    return parseFileSystem((await this.must(`${FILE_SYSTEM} ${pathWord(path)}`, path)).toString())
  }

  async access(path: string, wish: AccessMode): Promise<boolean> {
    if (path === '' || path.includes('\0')) return false
    return (await this.ask(`[ ${MODES[wish]} ${pathWord(path)} ]`)).status === 0
  }

  async list(path: string): Promise<string[]> {
    const names = (await this.must(`_list ${pathWord(path)}`, path)).toString().split('\0')
    return names.filter((name) => name !== '' && name !== '.' && name !== '..')
  }

  async realPath(path: string): Promise<string> {
    this.ready(path)
    return withoutEnd(await this.must(`_walk ${pathWord(path)}; _must "$_at"; printf '%s\\n' "$_at"`, path))
  }

  async makeDirectory(path: string, { mode = 0o777, parents = false } = {}): Promise<void> {
    const umask = (~mode & 0o777) | (await this.umask())
    await this.change(`umask ${umask.toString(8)}; mkdir ${parents ? '-p ' : ''}${pathWord(path)}`, path)
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.ready(path)
    await this.change(`chmod ${mode.toString(8).padStart(5, '0')} ${pathWord(path)}`, path)
  }

  async chown(path: string, uid: number, gid: number): Promise<void> {
    this.ready(path)
    await this.change(`_must ${pathWord(path)}${ownerChange('chown', uid, gid, path)}`, path)
  }

  async lchown(path: string, uid: number, gid: number): Promise<void> {
    this.ready(path)
    await this.change(`_must ${pathWord(path)}${ownerChange('chown -h', uid, gid, path)}`, path)
  }

  async link(target: string, path: string): Promise<void> {
    this.ready(target)
    await this.change(`_there ${pathWord(path)} && _n EEXIST; ln ${pathWord(target)} ${pathWord(path)}`, target, path)
  }

  async symlink(target: string, path: string): Promise<void> {
    if (target === '') throw systemError('ENOENT', target, path)
    // the target of a link may begin with a dash
    await this.change(`_there ${pathWord(path)} && _n EEXIST; ln -s -- ${word(target)} ${pathWord(path)}`, target, path)
  }

  async readLink(path: string): Promise<string> {
    const file = pathWord(path)
    return withoutEnd(await this.must(`_must ${file}; [ -L ${file} ] || _n EINVAL; readlink ${file}`, path))
  }

  async rename(source: string, target: string): Promise<void> {
    this.ready(source, target)
    await this.change(`_rename ${pathWord(source)} ${pathWord(target)}`, source, target)
  }

  async remove(path: string): Promise<void> {
    const file = pathWord(path)
    await this.change(`_must ${file}; [ -d ${file} ] && ! [ -L ${file} ] && _n EISDIR; rm -f ${file}`, path)
  }

  async removeDirectory(path: string, { recursive = false } = {}): Promise<void> {
    const file = pathWord(path)
    await this.change(recursive ? `_must ${file}; rm -rf ${file}` : `rmdir ${file}`, path)
  }

  async setTimes(path: string, atime: number, mtime: number): Promise<void> {
    this.ready(path)
    const file = pathWord(path)
    const set = (flag: string, time: number): string => {
      if (this.facts.stat === 'gnu') return `touch -c ${flag} -d @${time.toFixed(9)} ${file}`
      const [date = '', clock = ''] = new Date(Math.floor(time) * 1000).toISOString().split(/[T.]/)
      const [hour, minute, second] = clock.split(':')
      return `TZ=UTC0 touch -c ${flag} -t ${date.replaceAll('-', '')}${hour}${minute}.${second} ${file}`
    }
    await this.change(`_must ${file}; ${set('-a', atime)} && ${set('-m', mtime)}`, path)
  }

  async hash(path: string, algorithm: string): Promise<string> {
    if (path === '' || path.includes('\0')) throw systemError(path === '' ? 'ENOENT' : 'EINVAL', path)
    const sum = this.sums.get(algorithm.toLowerCase())
    if (sum !== undefined) {
      const told = await this.agents.requestOf(sum.batch, path)
      if (told === null) throw systemError('ENOENT', path)
      if (told !== undefined) return told
      const text = (await this.must(`${sum.tool} ${pathWord(path)}`, path)).toString()
      return /^\\?([0-9a-f]+)/.exec(text)?.[1] ?? ''
    }
    const hash = createHash(algorithm)
    for await (const piece of this.stream(path)) hash.update(piece)
    return hash.digest('hex')
  }

  tempFile(options: TempOptions = {}): Promise<string> {
    return this.temporary(options, (file) => `umask 077; set -C; : > ${file}`)
  }

  tempDirectory(options: TempOptions = {}): Promise<string> {
    return this.temporary(options, (file) => `umask 077; mkdir ${file}`)
  }

  protected temporaryName(options: TempOptions): string {
    const { directory = this.facts.env.get('TMPDIR') || '/tmp', prefix = 'tmp', suffix = '' } = options
    return join(directory, `${prefix}${randomName()}${suffix}`)
  }

  private async temporary(options: TempOptions, make: (file: string) => string): Promise<string> {
    for (;;) {
      const path = this.temporaryName(options)
      try {
        await this.change(make(pathWord(path)), path)
        return path
      } catch (error) {
        if (!isHostError(error, 'EEXIST')) throw error
      }
    }
  }

  async umask(): Promise<number> {
    return this.facts.umask
  }
}

async function* pieceOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

/** A path that a tool printed, without the line end it added. */
const withoutEnd = (bytes: Buffer): string => bytes.toString().replace(/\n$/, '')

/** A further command that sets the owner; -1 leaves a part as it is. */
function ownerChange(tool: string, uid: number, gid: number, path: string): string {
  const owner = `${uid < 0 ? '' : uid}${gid < 0 ? '' : `:${gid}`}`
  return owner === '' ? '' : `; ${tool} ${owner} ${pathWord(path)}`
}

/** Return the first bytes of a stream, whether they are all of it, and the whole stream. */
async function beginning(pieces: AsyncIterable<Uint8Array>, size: number) {
  const source = pieces[Symbol.asyncIterator]()
  const held: Uint8Array[] = []
  let count = 0
  let isWhole = false
  while (!isWhole && count <= size) {
    const { done, value } = await source.next()
    if (done) isWhole = true
    else {
      held.push(value)
      count += value.length
    }
  }
  const begin = Buffer.concat(held)
  const all = (async function* (): AsyncGenerator<Uint8Array> {
    yield begin
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
  })()
  return { begin, isWhole, all }
}
