// The keys that minions and master talk with: one for each minion, in `cachedir/sessions/<id>`, handed out again until
// it is too old. A restarted master finds them there.
import { mkdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { Crypticle, generateKeyString, readIfThere, writeKeyFile } from '../crypto/mod.ts'

const DAY = 86_400

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
    if (this.directory !== undefined) {
      const file = join(this.directory, id)
      writeKeyFile(file, made.crypticle.keyString, 0o600)
      utimesSync(file, made.madeAt / 1000, made.madeAt / 1000)
    }
    this.sessions.set(id, made)
    return made.crypticle
  }

  private isFresh(session: Session): boolean {
    return this.now() - session.madeAt < this.lifetime
  }

  private read(id: string): Session | undefined {
    if (this.directory === undefined) return undefined
    const file = join(this.directory, id)
    const text = readIfThere(file)?.trim()
    if (text === undefined || Buffer.from(text, 'base64').length !== Buffer.from(generateKeyString(), 'base64').length)
      return undefined
    return { madeAt: statSync(file).mtimeMs, crypticle: new Crypticle(text) }
  }
}
