// The keys by which programs on the master's machine show who runs them: `cachedir/.<user>_key`, readable by that user
// alone. One is made for the master's own user and for each user that `publisher_acl` names, and kept across restarts.
import { timingSafeEqual } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type Log, localKeyFile, ownUser } from '../base/mod.ts'
import { type Dict, isDict, str } from '../data/mod.ts'
import { generateKeyString } from '../wire/mod.ts'

export interface LocalUser {
  name: string
  uid: number
  gid: number
}

/** The users by name whom the machine knows. */
export type FindUser = (name: string) => LocalUser | undefined

export class LocalKeys {
  private readonly keys = new Map<string, Buffer>()
  readonly owner: string

  constructor(opts: Dict, findUser: FindUser, log: Log) {
    this.owner = str(opts.get('user') ?? '') || ownUser()
    const acl = opts.get('publisher_acl') ?? null
    const names = new Set([this.owner, ...(isDict(acl) ? [...acl.keys()].map(str) : [])])
    const cachedir = str(opts.get('cachedir')!)
    mkdirSync(cachedir, { recursive: true })
    for (const name of names) {
      const user = findUser(name)
      if (user) this.keys.set(name, Buffer.from(keyFile(cachedir, user)))
      else log(name === this.owner ? 'warning' : 'debug', `No key for ${name}: this machine has no such user`)
    }
  }

  /** The key of the master's own user, for what the master asks of itself. */
  get ownerKey(): string {
    return this.keys.get(this.owner)?.toString() ?? ''
  }

  /** Whether the key is of that user, or of one who may act for everybody. */
  allows(key: string, user: string): boolean {
    const owns = (name: string): boolean => {
      const known = this.keys.get(name)
      const given = Buffer.from(key)
      return known !== undefined && known.length === given.length && timingSafeEqual(known, given)
    }
    if (owns(this.owner)) return true
    if (user === 'root' || user === this.owner || user.startsWith('sudo_')) return [...this.keys.keys()].some(owns)
    return owns(user)
  }

  /** Whether it is the key of the master's own user, who may do everything. */
  isOwners(key: string): boolean {
    return this.allows(key, '')
  }
}

function keyFile(cachedir: string, { name, uid, gid }: LocalUser): string {
  const file = localKeyFile(cachedir, name)
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) {
    const known = readFileSync(file, 'utf8').trim()
    if (known !== '') return known
  }
  const key = generateKeyString()
  writeFileSync(file, key, { mode: 0o600 })
  chmodSync(file, 0o600)
  if (process.getuid?.() === 0) chownSync(file, uid, gid)
  return key
}
