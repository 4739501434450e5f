// The refs of a repository on a web server, queried repeatedly over one connection. `git remote-https` makes the
// connection, with git's logins, proxies, redirects and certificates; this file only writes protocol 2's request for
// refs. Any unexpected answer ends the program, and the caller uses `git ls-remote`, which also reports errors.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { parseAddress } from './address.ts'
import { hold } from './held-child.ts'
import type { GitRemote } from './remote.ts'
import { gitEnvironment } from './run-git.ts'

/** Limit of programs that wait for the next request, for all mirrors; further mirrors use `git ls-remote`. */
const MOST_WATCHES = 32

/** How long a program waits for the next request; longer than the usual interval between updates. */
const IDLE_MS = 150_000

/** How long an answer may take. */
const ANSWER_MS = 60_000

const MOST_BYTES = 64 << 20

const [FLUSH, DELIMITER, END] = ['0000', '0001', '0002'] as const

/** Write one line of the protocol: its length with the four digits themselves, then the text. */
const packet = (text: string): string => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`

let running = 0

/** An answer on its way: its lines so far, and the packet that ends it. */
interface Wait {
  end: typeof FLUSH | typeof END
  lines: string[]
  /** Bytes that came so far. */
  bytes: number
  resolve(lines: string[] | undefined): void
}

export class RefWatch {
  private readonly folder: string
  private readonly remote: GitRemote
  private child: ChildProcessWithoutNullStreams | undefined
  private format = 'sha1'
  private wait: Wait | undefined
  private heard: Buffer = Buffer.alloc(0)
  private idle: NodeJS.Timeout | undefined
  private isUseless = false

  constructor(folder: string, remote: GitRemote) {
    this.folder = folder
    this.remote = remote
  }

  /** Whether this watch uses the login and the settings of a remote. */
  isFor(remote: GitRemote): boolean {
    return JSON.stringify(remote) === JSON.stringify(this.remote)
  }

  /** Return branches and tags in the form of `git ls-remote`; undefined if this way does not work. */
  async list(signal?: AbortSignal): Promise<string | undefined> {
    if (this.isUseless || this.wait || (!this.child && running >= MOST_WATCHES)) return undefined
    clearTimeout(this.idle)
    const stop = (): void => this.close()
    signal?.addEventListener('abort', stop)
    const late = setTimeout(stop, ANSWER_MS)
    try {
      if (!this.child && !(await this.connect())) return undefined
      const words = ['command=ls-refs\n', `object-format=${this.format}`].map(packet).join('')
      const wanted = ['peel\n', 'ref-prefix refs/heads/\n', 'ref-prefix refs/tags/\n'].map(packet).join('')
      const lines = await this.ask(`${words}${DELIMITER}${wanted}${FLUSH}`, END)
      const listed = lines && shownRefs(lines)
      if (listed === undefined) this.close()
      return listed
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', stop)
      if (this.child) hold(this.child, false)
      this.idle = setTimeout(stop, IDLE_MS)
      this.idle.unref()
    }
  }

  close(): void {
    clearTimeout(this.idle)
    const child = this.child
    if (!child) return
    this.child = undefined
    running--
    child.stdin.end()
    child.kill()
    this.heard = Buffer.alloc(0)
    this.wait?.resolve(undefined)
    this.wait = undefined
  }

  /** Start the program, and return whether the server speaks protocol 2. */
  private async connect(): Promise<boolean> {
    const { spawn } = process.getBuiltinModule('node:child_process')
    const { url, scheme } = parseAddress(this.remote.url)
    const argv = [`--git-dir=${this.folder}`, `remote-${scheme}`, 'origin', url]
    const env = Object.fromEntries(gitEnvironment(this.remote, this.folder))
    const child = spawn('git', argv, { env, cwd: this.folder, stdio: ['pipe', 'pipe', 'pipe'] })
    this.child = child
    running++
    const gone = (): void => {
      if (this.child === child) this.close()
    }
    child.once('error', gone).once('close', gone)
    child.stdin.on('error', gone)
    child.stderr.resume()
    child.stdout.on('data', (piece: Buffer) => this.hear(child, piece))
    const lines = await this.ask('stateless-connect git-upload-pack\n', FLUSH)
    const formats = lines?.flatMap((line) => /^object-format=(\S+)/.exec(line)?.[1] ?? [])
    this.format = formats?.[0] ?? 'sha1'
    const isSpoken = lines?.some((line) => line.startsWith('ls-refs')) ?? false
    if (lines && !isSpoken) this.isUseless = true
    if (!isSpoken) this.close()
    return isSpoken
  }

  private ask(text: string, end: Wait['end']): Promise<string[] | undefined> {
    const child = this.child
    if (!child) return Promise.resolve(undefined)
    hold(child, true)
    return new Promise((resolve) => {
      this.wait = { end, lines: [], bytes: 0, resolve }
      child.stdin.write(text)
    })
  }

  private hear(child: ChildProcessWithoutNullStreams, piece: Buffer): void {
    if (this.child !== child) return
    this.heard = this.heard.length === 0 ? piece : Buffer.concat([this.heard, piece])
    if (!this.wait) return this.close()
    this.wait.bytes += piece.length
    if (this.wait.bytes > MOST_BYTES) return this.close()
    let at = 0
    while (at + 4 <= this.heard.length) {
      // an empty line precedes the first packet; a server without protocol 2 is reported by the word `fallback`
      if (this.heard[at] === 10) {
        at++
        continue
      }
      const head = this.heard.toString('latin1', at, at + 4)
      if (head === this.wait.end) return this.answered()
      const length = /^[0-9a-f]{4}$/.test(head) ? Math.max(4, Number.parseInt(head, 16)) : 0
      if (length === 0) return this.unspoken(head)
      if (at + length > this.heard.length) break
      if (length > 4) this.wait.lines.push(this.heard.toString('utf8', at + 4, at + length))
      at += length
    }
    this.heard = this.heard.subarray(at)
  }

  /** The server does not speak protocol 2, or sends something else. */
  private unspoken(head: string): void {
    if (head === 'fall') this.isUseless = true
    this.close()
  }

  private answered(): void {
    const { resolve, lines } = this.wait!
    this.wait = undefined
    this.heard = Buffer.alloc(0)
    resolve(lines)
  }
}

/** Return refs in the form of `git ls-remote`; undefined for an invalid line. */
function shownRefs(lines: readonly string[]): string | undefined {
  const shown: string[] = []
  for (const line of lines) {
    const [, id, name, more] = /^([0-9a-f]{40,64}) ([^\s]+)((?: [^\s]+)*)\n?$/.exec(line) ?? []
    if (id === undefined) return undefined
    shown.push(`${id}\t${name}`)
    const [, peeled] = / peeled:([0-9a-f]{40,64})/.exec(more!) ?? []
    if (peeled !== undefined) shown.push(`${peeled}\t${name}^{}`)
  }
  return shown.map((line) => `${line}\n`).join('')
}
