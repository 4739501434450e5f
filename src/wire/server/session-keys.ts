// The keys that minions and master talk with: one for each minion, in `cachedir/sessions/<id>`, handed out again until
// it is too old. A restarted master finds them there.
import { closeSync, futimesSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Crypticle, generateKeyString, readIfThere } from '../crypto/mod.ts'

const DAY = 86_400
const KEY_BYTES = Buffer.from(generateKeyString(), 'base64').length

interface Session {
  /** In milliseconds of the clock. */
  madeAt: number
  crypticle: Crypticle
}

export interface SessionKeyOptions {
  /** Where the keys are kept; without it only in memory. */
  directory?: string | undefined
  /** `publish_session`: seconds that a key is used. */
  lifetime?: number | undefined
  now?: (() => number) | undefined
}

export class SessionKeys {
  private readonly directory: string | undefined
  private readonly lifetime: number
  private readonly now: () => number
  private readonly sessions = new Map<string, Session>()

  constructor({ directory, lifetime = DAY, now = Date.now }: SessionKeyOptions = {}) {
    this.directory = directory
    this.lifetime = lifetime * 1000
    this.now = now
    if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  /** The key that this minion has, undefined when it has none or a too old one. */
  find(id: string): Crypticle | undefined {
    const known = this.sessions.get(id)
    if (known !== undefined && this.isFresh(known)) return known.crypticle
    const stored = this.read(id)
    if (stored === undefined || !this.isFresh(stored)) return undefined
    this.sessions.set(id, stored)
    return stored.crypticle
  }

  /** The key for a minion that was just let in. */
  issue(id: string): Crypticle {
    const known = this.find(id)
    if (known !== undefined) return known
    const made: Session = { madeAt: this.now(), crypticle: new Crypticle(generateKeyString()) }
    // a half-written file is taken for none, so it needs no other name first
    if (this.directory !== undefined) this.write(join(this.directory, id), made)
    this.sessions.set(id, made)
    return made.crypticle
  }

  private write(file: string, { crypticle, madeAt }: Session): void {
    const handle = openSync(file, 'w', 0o600)
    try {
      writeSync(handle, crypticle.keyString)
      futimesSync(handle, madeAt / 1000, madeAt / 1000)
    } finally {
      closeSync(handle)
    }
  }

  private isFresh(session: Session): boolean {
    return this.now() - session.madeAt < this.lifetime
  }

  private read(id: string): Session | undefined {
    if (this.directory === undefined) return undefined
    const file = join(this.directory, id)
    const stat = statSync(file, { throwIfNoEntry: false })
    const text = stat && readIfThere(file)?.trim()
    if (!text || Buffer.from(text, 'base64').length !== KEY_BYTES) return undefined
    return { madeAt: stat!.mtimeMs, crypticle: new Crypticle(text) }
  }
}
