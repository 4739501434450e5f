// The keys of local users: `cachedir/.<user>_key`, readable only by that user. Programs on the master's machine send
// them to prove their user. The master's own user and each user in `publisher_acl` has one; keys survive restarts.
import { createHash, timingSafeEqual } from 'node:crypto'
import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type Log, localKeyFile, makeOwnFolder, ownUser, PASSABLE_FOLDER } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, str } from '../data/mod.ts'
import { generateKeyString } from '../wire/mod.ts'

export interface LocalUser {
  name: string
  uid: number
  gid: number
}

/** Find a user of the machine by name. */
export type FindUser = (name: string) => LocalUser | undefined

/** The users of `publisher_acl`: local users that may have some functions run. */
const localUsers = (opts: Dict): string[] => {
  const acl = option(opts, 'publisher_acl')
  return isDict(acl) ? [...acl.keys()].map(str) : []
}

/** Whether local users besides the master's own may have functions run. */
export const hasLocalUsers = (opts: Dict): boolean => localUsers(opts).length > 0

export class LocalKeys {
  private readonly digests = new Map<string, Buffer>()
  readonly owner: string
  /** The key of the master's own user, for requests of the master to itself; empty if this machine has no such user. */
  readonly ownerKey: string

  constructor(opts: Dict, findUser: FindUser, log: Log) {
    this.owner = option(opts, 'user') || ownUser()
    const names = new Set([this.owner, ...localUsers(opts)])
    const cachedir = option(opts, 'cachedir')
    makeOwnFolder(cachedir, PASSABLE_FOLDER)
    let ownerKey = ''
    for (const name of names) {
      const user = findUser(name)
      const key = user && keyFile(cachedir, user)
      if (name === this.owner) ownerKey = key ?? ''
      if (key) this.digests.set(name, digest(key))
      else log(name === this.owner ? 'warning' : 'debug', `No key for ${name}: this machine has no such user`)
    }
    this.ownerKey = ownerKey
  }

  /** Return the user of a key. Every key is compared, so that the time reveals nothing. */
  userOf(key: string): string | undefined {
    const given = digest(key)
    let found: string | undefined
    for (const [name, known] of this.digests) if (timingSafeEqual(known, given)) found = name
    return found
  }
}

const digest = (key: string): Buffer => createHash('sha256').update(key).digest()

function keyFile(cachedir: string, { name, uid, gid }: LocalUser): string {
  const file = localKeyFile(cachedir, name)
  const known = statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, 'utf8').trim() : ''
  const key = known === '' ? generateKeyString() : known
  if (known === '') writeFileSync(file, key, { mode: 0o600 })
  chmodSync(file, 0o600)
  if (process.getuid?.() === 0) chownSync(file, uid, gid)
  return key
}
