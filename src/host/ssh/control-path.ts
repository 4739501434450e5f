// The path of the socket of a shared connection. Its name is a hash of everything that determines the login, so other
// credentials never find it. The password is a part of it, hashed with random bytes that only this directory contains.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { linkSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path/posix'
import { makeOwnFolder, PRIVATE_FILE, PRIVATE_FOLDER } from '../../base/mod.ts'
import { connectionArguments } from './command-line.ts'
import { SshError } from './errors.ts'
import type { SshTarget } from './target.ts'

/** Length limit of a Unix socket path, minus the suffix that ssh adds while it creates one. */
const LONGEST = 104 - 18

/** Refuse a directory that others could put a socket into. */
export function checkOwnFolder(folder: string): void {
  makeOwnFolder(folder, PRIVATE_FOLDER)
  const stat = lstatSync(folder)
  if (stat.isDirectory() && stat.uid === process.geteuid?.() && (stat.mode & 0o077) === 0) return
  throw new SshError('Unreachable', `The directory for SSH connections is not private to this user: ${folder}`, '')
}

/** Return the path of the socket, and whether later programs can find it there. */
export function controlPath(target: SshTarget, folder: string): { path: string; isKept: boolean } {
  const name = connectionName(target, folder)
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= LONGEST) return { path, isKept: true }
  return { path: join(mkdtempSync(join(tmpdir(), '.brine-')), name), isKept: false }
}

function connectionName(target: SshTarget, folder: string): string {
  const { SSH_AUTH_SOCK: agent = '', HOME: home = '' } = process.env
  const secrets = [target.password, target.passphrase].map((secret) => secret ?? null)
  const facts = [target.host, connectionArguments(target), secrets, keyState(target.identity), agent, home]
  return createHmac('sha256', directorySalt(folder)).update(JSON.stringify(facts)).digest('hex').slice(0, 20)
}

/** Another key under the same name is another login. */
function keyState(identity: string | undefined): string {
  const stat = identity === undefined ? undefined : statSync(identity, { throwIfNoEntry: false })
  return stat ? createHash('sha256').update(`${stat.ino} ${stat.size} ${stat.mtimeMs}`).digest('hex') : ''
}

function directorySalt(folder: string): Buffer {
  const path = join(folder, 'salt')
  const mine = join(folder, `.salt.${randomBytes(8).toString('hex')}`)
  if (!statSync(path, { throwIfNoEntry: false })) {
    writeFileSync(mine, randomBytes(32), { mode: PRIVATE_FILE, flag: 'wx' })
    try {
      linkSync(mine, path)
    } catch (error) {
      // another program was first
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(mine, { force: true })
    }
  }
  return readFileSync(path)
}
