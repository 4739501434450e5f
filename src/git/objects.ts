// Objects of a mirror by their ids, read through a long-lived `git cat-file`, and through a second one while the first
// sends a large object. They end when idle, and a program does not wait for them. Readers need no lock: objects never
// change, and git finds new packs.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { GitError } from './errors.ts'
import { hold } from './held-child.ts'
import { gitEnvironment } from './run-git.ts'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

export interface GitObject {
  id: string
  type: ObjectType
  content: Buffer
}

/** Objects that are read into memory are no larger than this; files of any size are copied piece by piece. */
const MOST_BYTES = 256 << 20

/** An object with more bytes to come than this holds up the questions behind it. */
const LARGE_BYTES = 4 << 20

/** Programs that read contents of one mirror at the same time. */
const MOST_LANES = 4

/** How long the program waits for the next request, in milliseconds. */
const IDLE_MS = 10_000

/** A request, and the receivers of the answer. */
interface Question {
  name: string
  /** Receives the content piece by piece. */
  take(piece: Buffer): void
  /** Called with the object before its content; if it refuses, the content is skipped. */
  begin(id: string, type: ObjectType, size: number): void
  done(): void
  /** Called if the object does not exist. */
  missing(): void
  fail(error: Error): void
}

export class GitObjects {
  private readonly folder: string
  private readonly lanes: CatFile[] = []
  private info: CatFile | undefined

  constructor(folder: string) {
    this.folder = folder
  }

  /** Return an object by its id or by an expression such as `abc123^{commit}`; undefined if it does not exist. */
  read(name: string): Promise<GitObject | undefined> {
    const cat = this.lane()
    return new Promise((resolve, reject) => {
      let [head, bytes]: [Omit<GitObject, 'content'> | undefined, number] = [undefined, 0]
      const pieces: Buffer[] = []
      cat.ask(name, {
        begin: (id, type, size) => {
          if (size > MOST_BYTES)
            reject(new GitError('ObjectUnreadable', `Object ${id} has ${size} bytes, which is too large`))
          else head = { id, type }
        },
        take: (piece) => {
          if (head === undefined) return
          pieces.push(piece)
          bytes += piece.length
        },
        done: () =>
          resolve(head && { ...head, content: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, bytes) }),
        missing: () => resolve(undefined),
        fail: reject,
      })
    })
  }

  /** Pass on a blob piece by piece and return its size; undefined if it does not exist. */
  copy(id: string, hear: (piece: Buffer) => void): Promise<number | undefined> {
    const cat = this.lane()
    return new Promise((resolve, reject) => {
      let heard: number | undefined
      cat.ask(id, {
        begin: (_, type) => {
          if (type === 'blob') heard = 0
        },
        take: (piece) => {
          if (heard === undefined) return
          hear(piece)
          heard += piece.length
        },
        done: () => resolve(heard),
        missing: () => resolve(undefined),
        fail: reject,
      })
    })
  }

  /** Return the object of an expression, without its content. */
  look(name: string): Promise<{ id: string; type: ObjectType; size: number } | undefined> {
    this.info ??= new CatFile(this.folder, '--batch-check')
    const cat = this.info
    return new Promise((resolve, reject) => {
      cat.ask(name, {
        begin: (id, type, size) => resolve({ id, type, size }),
        take: () => {},
        done: () => {},
        missing: () => resolve(undefined),
        fail: reject,
      })
    })
  }

  /** End the programs; the next request starts them again. */
  close(): void {
    for (const cat of this.lanes.splice(0)) cat.close()
    this.info?.close()
    this.info = undefined
  }

  /** Return a program that answers soon: an idle one or one without a large object, or else the one with the fewest requests. */
  private lane(): CatFile {
    const free = this.lanes.find((cat) => cat.bytesLeft <= LARGE_BYTES)
    if (free) return free
    if (this.lanes.length >= MOST_LANES)
      return this.lanes.reduce((best, cat) => (cat.queued < best.queued ? cat : best))
    const cat = new CatFile(this.folder, '--batch')
    this.lanes.push(cat)
    return cat
  }
}

/** One `git cat-file` and the questions that wait for it, answered in order. */
class CatFile {
  private readonly folder: string
  private readonly mode: '--batch' | '--batch-check'
  private child: ChildProcessWithoutNullStreams | undefined
  private waiting: Question[] = []
  private idle: NodeJS.Timeout | undefined
  /** The received part of the next header, and the number of missing bytes of content. */
  private header: Buffer[] = []
  private left = -1
  private said = ''
  /** Requests of this turn of the event loop: one write sends them all. */
  private unsent = ''

  constructor(folder: string, mode: '--batch' | '--batch-check') {
    this.folder = folder
    this.mode = mode
  }

  /** The number of missing bytes of the present object. */
  get bytesLeft(): number {
    return this.left
  }

  get queued(): number {
    return this.waiting.length
  }

  ask(name: string, question: Omit<Question, 'name'>): void {
    // a line break would be a second question
    if (/[\n\0]/.test(name) || name === '') return question.missing()
    clearTimeout(this.idle)
    const child = this.running()
    this.waiting.push({ name, ...question })
    if (this.waiting.length === 1) hold(child, true)
    if (this.unsent === '') queueMicrotask(() => this.send())
    this.unsent += `${name}\n`
  }

  private send(): void {
    const questions = this.unsent
    this.unsent = ''
    if (questions !== '') this.child?.stdin.write(questions)
  }

  close(): void {
    clearTimeout(this.idle)
    this.send()
    this.child?.stdin.end()
    // a program that ends answers no question more
    if (this.waiting.length === 0) this.child = undefined
  }

  private running(): ChildProcessWithoutNullStreams {
    if (this.child) return this.child
    const { spawn } = process.getBuiltinModule('node:child_process')
    const env = Object.fromEntries(gitEnvironment())
    const argv = [`--git-dir=${this.folder}`, 'cat-file', this.mode]
    const child = spawn('git', argv, { env, cwd: this.folder, stdio: ['pipe', 'pipe', 'pipe'] })
    this.child = child
    this.said = ''
    child.stdout.on('data', (piece: Buffer) => this.hear(piece))
    child.stderr.on('data', (piece: Buffer) => {
      this.said = `${this.said}${piece}`.slice(-1000)
    })
    // the exit of the program reports the reason
    child.stdin.on('error', () => {})
    child.once('error', (error) => this.ended(child, error.message))
    child.once('close', () => this.ended(child, this.said.trim() || 'git cat-file ended'))
    return child
  }

  private ended(child: ChildProcessWithoutNullStreams, why: string): void {
    if (this.child !== child) return
    this.child = undefined
    const lost = this.waiting
    this.waiting = []
    this.unsent = ''
    this.header = []
    this.left = -1
    for (const { name, fail } of lost) fail(new GitError('ObjectUnreadable', `Cannot read object ${name}: ${why}`))
  }

  private hear(piece: Buffer): void {
    let rest = piece
    while (rest.length > 0) rest = this.left < 0 ? this.hearHeader(rest) : this.hearContent(rest)
  }

  private hearHeader(piece: Buffer): Buffer {
    const end = piece.indexOf(10)
    if (end < 0) {
      this.header.push(piece)
      return piece.subarray(piece.length)
    }
    const line = Buffer.concat([...this.header, piece.subarray(0, end)]).toString('latin1')
    this.header = []
    const question = this.waiting[0]!
    const [, id, type, size] = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)$/.exec(line) ?? []
    if (id === undefined) {
      this.answered()
      question.missing()
    } else {
      question.begin(id, type as ObjectType, Number(size))
      if (this.mode === '--batch') this.left = Number(size)
      else this.finish(question)
    }
    return piece.subarray(end + 1)
  }

  /** The content, and the line break behind it. */
  private hearContent(piece: Buffer): Buffer {
    const question = this.waiting[0]!
    if (this.left > 0) {
      const part = piece.subarray(0, this.left)
      this.left -= part.length
      try {
        question.take(part)
      } catch (error) {
        // a full disk: the rest of the content is dropped, because its file is closed
        question.take = () => {}
        question.fail(error as Error)
      }
      return piece.subarray(part.length)
    }
    this.left = -1
    this.finish(question)
    return piece.subarray(1)
  }

  private finish(question: Question): void {
    this.answered()
    question.done()
  }

  private answered(): void {
    this.waiting.shift()
    if (this.waiting.length > 0 || this.child === undefined) return
    hold(this.child, false)
    this.idle = setTimeout(() => this.close(), IDLE_MS)
    this.idle.unref()
  }
}
