// The session keys of minions: one for each minion, reused until it is too old. A restarted master finds them in
// `cachedir/session_keys`, one line each: a file for each would cost as much as the rest of a sign-in. Keys in
// `cachedir/sessions/<id>` from Salt's master are valid too.
import { closeSync, mkdirSync, openSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, namingErrors, silentLog, toError } from '../../base/mod.ts'
import { Crypticle, generateKeyString, KEY_BYTES, readIfThere } from '../crypto/mod.ts'

const DAY = 86_400
/** Limit of unused keys in the file; then the file is rewritten. */
const STALE_LINES = 10_000

interface Session {
  /** In milliseconds of the clock. */
  madeAt: number
  key: string
  /** Made when it is first used: a restarted master knows more minions than talk to it at once. */
  crypticle?: Crypticle
}

export interface SessionKeyOptions {
  /** The cache of the master, where the keys are kept; without it only in memory. */
  cachedir?: string | undefined
  /** `publish_session`: seconds that a key is used. */
  lifetime?: number | undefined
  now?: (() => number) | undefined
  log?: Log | undefined
}

export class SessionKeys {
  private readonly cachedir: string | undefined
  private readonly lifetime: number
  private readonly now: () => number
  private readonly log: Log
  private readonly sessions = new Map<string, Session>()
  private lines = 0
  private handle: number | undefined
  /** Whether the last key could not be kept. */
  private isFailing = false

  constructor({ cachedir, lifetime = DAY, now = Date.now, log = silentLog }: SessionKeyOptions = {}) {
    this.cachedir = cachedir
    this.lifetime = lifetime * 1000
    this.now = now
    this.log = log
    if (cachedir === undefined) return
    mkdirSync(cachedir, { recursive: true })
    for (const [id, session] of keptIn(readIfThere(this.file) ?? '')) {
      if (this.isFresh(session)) this.sessions.set(id, session)
    }
    this.keeping(() => this.rewrite())
  }

  /** The key that this minion has, undefined when it has none or a too old one. */
  find(id: string): Crypticle | undefined {
    const known = this.sessions.get(id)
    if (known !== undefined && this.isFresh(known)) return crypticleOf(known)
    const stored = this.ofSalt(id)
    if (stored === undefined || !this.isFresh(stored)) return undefined
    this.sessions.set(id, stored)
    return crypticleOf(stored)
  }

  /** The key for a minion that was just let in. */
  issue(id: string): Crypticle {
    const known = this.find(id)
    if (known !== undefined) return known
    const made: Session = { madeAt: this.now(), key: generateKeyString() }
    this.sessions.set(id, made)
    this.keep(id, made)
    return crypticleOf(made)
  }

  close(): void {
    if (this.handle !== undefined) closeSync(this.handle)
    this.handle = undefined
  }

  private get file(): string {
    return join(this.cachedir!, 'session_keys')
  }

  /** If a session cannot be saved, for example on a full disk, the only cost is a new sign-in after a restart. */
  private keep(id: string, session: Session): void {
    if (this.cachedir === undefined) return
    this.keeping(() => {
      if (this.lines > this.sessions.size + STALE_LINES) this.rewrite()
      else {
        this.handle ??= openSync(this.file, 'a', 0o600)
        writeSync(this.handle, lineOf(id, session))
        this.lines++
      }
    })
  }

  private keeping(write: () => void): void {
    try {
      namingErrors(this.file, write)
      this.isFailing = false
    } catch (error) {
      // on a full disk, each sign-in would log this
      const level = this.isFailing ? 'debug' : 'error'
      this.isFailing = true
      this.log(level, `Session keys cannot be kept: ${toError(error).message}`)
    }
  }

  private rewrite(): void {
    this.close()
    const fresh = `${this.file}.new`
    writeFileSync(fresh, [...this.sessions].map(([id, session]) => lineOf(id, session)).join(''), { mode: 0o600 })
    renameSync(fresh, this.file)
    this.lines = this.sessions.size
  }

  private isFresh(session: Session): boolean {
    return this.now() - session.madeAt < this.lifetime
  }

  private ofSalt(id: string): Session | undefined {
    if (this.cachedir === undefined) return undefined
    const file = join(this.cachedir, 'sessions', id)
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat && sessionOf(readIfThere(file)?.trim() ?? '', stat.mtimeMs)
  }
}

function crypticleOf(session: Session): Crypticle {
  session.crypticle ??= new Crypticle(session.key)
  return session.crypticle
}

const lineOf = (id: string, { madeAt, key }: Session): string => `${madeAt} ${key} ${id}\n`

/** The keys of a file; a line that was not written to its end is none. */
function* keptIn(text: string): Generator<[id: string, session: Session]> {
  for (const line of text.split('\n').slice(0, -1)) {
    const [madeAt = '', key = '', ...id] = line.split(' ')
    const session = sessionOf(key, Number(madeAt))
    if (session !== undefined && id.length > 0) yield [id.join(' '), session]
  }
}

function sessionOf(key: string, madeAt: number): Session | undefined {
  if (Number.isNaN(madeAt) || Buffer.from(key, 'base64').length !== KEY_BYTES) return undefined
  return { madeAt, key }
}
