// Data about minions, in banks with one value per key: grains, pillar, mine. The files are those of Salt's `localfs`
// cache (`cachedir/<bank>/<key>.p`), so that masters can be exchanged. Read values stay in memory while their file is
// unchanged.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { BrineError, namingErrors, storageError, toError } from '../base/mod.ts'
import { decodeMsgpack, encodeMsgpack, type Value } from '../data/mod.ts'
import type { StorageUse } from './storage-watch.ts'

export interface Bank {
  fetch(key: string): Value | undefined
  store(key: string, value: Value): void
  /** Without a key the whole bank goes. */
  flush(key?: string): void
  list(): string[]
  /** Seconds since the epoch. */
  updated(key: string): number | undefined
}

export interface DataCache {
  bank(name: string): Bank
}

interface Kept {
  looks: string
  /** Undefined until it is read from the file: a stored value may be a view of a long message, which it would keep. */
  value: Value | undefined
  /** Digest of the bytes, if this process wrote them. */
  digest?: string
}

class FileBank implements Bank {
  private readonly folder: string
  private readonly use: StorageUse
  private readonly kept = new Map<string, Kept>()

  constructor(folder: string, use: StorageUse) {
    this.folder = folder
    this.use = use
  }

  private file(key: string): string {
    const file = normalize(join(this.folder, `${key}.p`))
    if (key.includes('\0') || !file.startsWith(`${this.folder}/`)) {
      throw new BrineError('InvalidKey', `'${key}' cannot be the key of a cached value`)
    }
    return file
  }

  private looks(file: string): string | undefined {
    const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
    return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs}`
  }

  fetch(key: string): Value | undefined {
    const file = this.file(key)
    const looks = this.looks(file)
    if (looks === undefined) return undefined
    const known = this.kept.get(key)
    if (known?.looks === looks && known.value !== undefined) return known.value
    const value = this.read(file)
    if (value !== undefined) this.kept.set(key, known?.looks === looks ? { ...known, value } : { looks, value })
    return value
  }

  /** A file that was cut short holds nothing. The next value of its key replaces it. */
  private read(file: string): Value | undefined {
    const bytes = this.use.storing(file, () => readFileSync(file))
    try {
      return decodeMsgpack(bytes, { dialect: 'bus' })
    } catch (error) {
      this.use.log?.('error', `${file} is damaged and not used: ${toError(error).message}`)
      return undefined
    }
  }

  store(key: string, value: Value): void {
    const file = this.file(key)
    const bytes = encodeMsgpack(value, 'bus')
    const digest = createHash('sha256').update(bytes).digest('base64')
    const known = this.kept.get(key)
    const isSame = known?.digest === digest && known.looks === this.looks(file)
    this.use.storing(file, () => (isSame ? this.touch(file) : this.write(file, bytes)))
    this.kept.set(key, { looks: this.looks(file)!, value: isSame ? known.value : undefined, digest })
  }

  /** Data of a minion rarely changes, and writing the same data again is most of the work. */
  private touch(file: string): void {
    const now = new Date()
    utimesSync(file, now, now)
  }

  private write(file: string, bytes: Uint8Array): void {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const fresh = `${file}.${process.pid}.tmp`
    try {
      writeFileSync(fresh, bytes, { mode: 0o600 })
      renameSync(fresh, file)
    } catch (error) {
      // the partly written file takes space on a full disk
      rmSync(fresh, { force: true })
      throw error
    }
  }

  flush(key?: string): void {
    if (key === undefined) {
      this.kept.clear()
      rmSync(this.folder, { recursive: true, force: true })
    } else {
      this.kept.delete(key)
      rmSync(this.file(key), { force: true })
    }
  }

  list(): string[] {
    try {
      const files = readdirSync(this.folder)
      return files.filter((name) => name.endsWith('.p')).map((name) => name.slice(0, -2))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw storageError(error, this.folder)
    }
  }

  updated(key: string): number | undefined {
    const stat = statSync(this.file(key), { throwIfNoEntry: false })
    return stat && Math.floor(stat.mtimeMs / 1000)
  }
}

export function fileCache(cachedir: string, use: StorageUse = { storing: namingErrors }): DataCache {
  const banks = new Map<string, Bank>()
  return {
    bank: (name) => {
      const folder = normalize(join(cachedir, name))
      if (!folder.startsWith(join(cachedir, '/')) || folder === join(cachedir, '/')) {
        throw new BrineError('InvalidBank', `'${name}' cannot be the name of a bank`)
      }
      const bank = banks.get(name) ?? new FileBank(folder, use)
      banks.set(name, bank)
      return bank
    },
  }
}
