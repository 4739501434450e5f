// Jobs in the files of Salt's `local_cache`, below `cachedir/jobs`, where Salt's own Python on the master's machine
// reads them. Brine's programs never read these files. A job has a directory named after the hash of its id, with the
// files `jid`, `.load.p` and `.minions.p`, and a directory for each minion with a return, with `return.p` and `out.p`.
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode, isJid, makeOwnFolder, PRIVATE_FOLDER, recover } from '../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, isList, str, type Value } from '../data/mod.ts'
import { isValidId } from '../wire/mod.ts'
import type { JobRecord } from './jobs.ts'

export interface JobFilesOptions {
  /** `cachedir/jobs`. */
  folder: string
  /** The option `hash_type`. */
  hashType: string
  /** Whether the group of new files gets the permissions that it has on the folder: for users of `publisher_acl` in that group. */
  isShared?: boolean
}

/** Ids that would name a file of the job itself. */
const TAKEN = /^(\.|jid$|nocache$|endtime$)/

/** Parts of a return that Salt stores; its outputter has a separate file. */
const KEPT = ['return', 'retcode', 'success'] as const

/** How many jobs are remembered with whether they have files. */
const MOST_REMEMBERED = 1000

export class JobFiles {
  private readonly options: JobFilesOptions
  private readonly known = new Map<string, boolean>()
  /** The last requested job: most returns belong to the same job as the previous one. */
  private last = { jid: '', folder: '' }

  constructor(options: JobFilesOptions) {
    this.options = options
  }

  /** Whether a job has files. */
  has(jid: string): boolean {
    const known = this.known.get(jid)
    if (known !== undefined) return known
    return this.remember(jid, isJid(jid) && existsSync(join(this.folderOf(jid), '.load.p')))
  }

  private remember(jid: string, isHere: boolean): boolean {
    if (this.known.size >= MOST_REMEMBERED) this.known.clear()
    this.known.set(jid, isHere)
    return isHere
  }

  /** Write a job, or further minions of one. The load is written last, because Salt takes it for the sign of a whole job. */
  saveJob({ jid, load, minions }: JobRecord): void {
    if (!isJid(jid)) return
    const folder = this.makeFolder(this.folderOf(jid))
    const list = join(folder, '.minions.p')
    const all = [...new Set([...readList(list), ...minions])].sort()
    this.replace(join(folder, 'jid'), Buffer.from(jid))
    this.replace(list, encodeMsgpack(all, 'bus'))
    this.replace(join(folder, '.load.p'), encodeMsgpack(load, 'bus'))
    this.remember(jid, true)
  }

  /** Write a minion's return to a job that has files. */
  saveReturn(jid: string, id: string, fields: Dict): void {
    if (!isValidId(id) || TAKEN.test(id)) return
    const folder = this.folderOf(jid)
    // write under a name that readers skip, then rename, so that readers never see a part
    const fresh = join(folder, '.fresh')
    this.makeEmpty(fresh)
    const kept = KEPT.filter((name) => fields.has(name)).map((name): [Value, Value] => [name, fields.get(name)!])
    this.write(join(fresh, 'return.p'), encodeMsgpack(new Map(kept), 'bus'))
    if (fields.has('out')) this.write(join(fresh, 'out.p'), encodeMsgpack(fields.get('out')!, 'bus'))
    const place = join(folder, id)
    unlessTaken(place, () => renameSync(fresh, place))
  }

  /** Remove jobs that are older, Salt's own too. Return their number. */
  async prune(olderThanSeconds: number): Promise<number> {
    const before = Date.now() - olderThanSeconds * 1000
    let count = 0
    for (const top of await names(this.options.folder, /^[0-9a-f]{2}$/)) {
      const jobs = await names(join(this.options.folder, top), /^[0-9a-f]{4,}$/)
      for (const job of jobs.map((name) => join(this.options.folder, top, name))) {
        // the file `jid` is written with the job; the directory changes with each return
        const { mtimeMs } = await stat(join(job, 'jid')).catch(() => stat(job))
        if (mtimeMs >= before) continue
        await rm(job, { recursive: true, force: true })
        count++
      }
    }
    if (count > 0) this.known.clear()
    return count
  }

  private folderOf(jid: string): string {
    if (this.last.jid === jid) return this.last.folder
    const { folder, hashType } = this.options
    const hash = createHash(hashType).update(jid).digest('hex')
    this.last = { jid, folder: join(folder, hash.slice(0, 2), hash.slice(2)) }
    return this.last.folder
  }

  private get mode(): number {
    const { folder, isShared = false } = this.options
    return isShared ? PRIVATE_FOLDER | (statSync(folder).mode & 0o050) : PRIVATE_FOLDER
  }

  /** Create a directory and the missing ones up to `cachedir/jobs`. */
  private makeFolder(path: string): string {
    makeOwnFolder(this.options.folder)
    const { mode } = this
    const first = mkdirSync(path, { recursive: true, mode })
    // mkdir leaves out the bits of the umask
    if (first !== undefined && mode !== PRIVATE_FOLDER) {
      for (let made = path; made.length >= first.length; made = join(made, '..')) chmodSync(made, mode)
    }
    return path
  }

  /**
   * Create an empty directory in that of a job. Its parents usually exist: checking them would cost more than the rest.
   */
  private makeEmpty(path: string): void {
    const { mode } = this
    try {
      unlessTaken(path, () => mkdirSync(path, { mode }))
      if (mode !== PRIVATE_FOLDER) chmodSync(path, mode)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      this.makeFolder(path)
    }
  }

  private write(path: string, bytes: Uint8Array): void {
    const mode = this.mode & 0o666
    writeFileSync(path, bytes, { mode })
    if (mode !== 0o600) chmodSync(path, mode)
  }

  private replace(path: string, bytes: Uint8Array): void {
    const fresh = `${path}.${process.pid}.tmp`
    this.write(fresh, bytes)
    renameSync(fresh, path)
  }
}

/** Create something at a path; remove an existing entry only if it is in the way. */
function unlessTaken(place: string, put: () => void): void {
  try {
    put()
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    rmSync(place, { recursive: true, force: true })
    put()
  }
}

function readList(file: string): string[] {
  if (!existsSync(file)) return []
  const value = decodeMsgpack(readFileSync(file), { dialect: 'bus' })
  return isList(value) ? value.map(str) : []
}

async function names(folder: string, pattern: RegExp): Promise<string[]> {
  return recover(hasCode('ENOENT'), [], async () => (await readdir(folder)).filter((name) => pattern.test(name)))
}
