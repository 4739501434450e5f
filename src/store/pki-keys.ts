// Minions' public keys in the directories of a master's `pki_dir`, one file per id, as in Salt. Other programs and
// operators move these files too, so cached keys are dropped when a directory changes.
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { BrineError, namingErrors, type Storing, storageError } from '../base/mod.ts'
import { isValidId, type KeyState, type KeyStore, type StoredKey } from '../wire/mod.ts'

export type KeyFolder = 'minions' | 'minions_pre' | 'minions_rejected' | 'minions_denied'

const FOLDERS: Readonly<Record<KeyState, KeyFolder>> = {
  accepted: 'minions',
  pending: 'minions_pre',
  rejected: 'minions_rejected',
}

const ALL: readonly KeyFolder[] = ['minions', 'minions_pre', 'minions_rejected', 'minions_denied']

export class PkiKeys implements KeyStore {
  readonly directory: string
  private readonly storing: Storing
  private readonly known = new Map<string, string>()
  private listed: string[] | undefined
  private watcher: FSWatcher | undefined
  /** Throws if keys must not change, as in a cluster without a majority. */
  guard: (() => void) | undefined

  constructor(pkiDir: string, storing: Storing = namingErrors) {
    this.directory = pkiDir
    this.storing = storing
    for (const folder of ALL) {
      const path = join(pkiDir, folder)
      storing(path, () => mkdirSync(path, { recursive: true, mode: 0o700 }))
    }
  }

  /** Cache accepted keys in memory from now on, and drop them when their directory changes. */
  watch(): void {
    this.watcher = watch(join(this.directory, 'minions'), (_event, name) => this.forget(name ?? undefined))
    // without it keys are read from their files each time
    this.watcher.on('error', () => {
      this.close()
      this.forget()
    })
    this.watcher.unref()
  }

  close(): void {
    this.watcher?.close()
    this.watcher = undefined
  }

  /** Forget only one minion's key, so that many sign-ins do not drop the others' keys. */
  private forget(id?: string): void {
    if (id === undefined) this.known.clear()
    else this.known.delete(id)
    this.listed = undefined
  }

  private read(folder: KeyFolder, id: string): string | undefined {
    if (!isValidId(id) || !existsSync(join(this.directory, folder, id))) return undefined
    try {
      return readFileSync(join(this.directory, folder, id), 'utf8')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'EISDIR') return undefined
      throw storageError(error, join(this.directory, folder, id))
    }
  }

  accepted(id: string): string | undefined {
    const known = this.known.get(id)
    if (known !== undefined) return known
    const pem = this.read('minions', id)
    if (pem !== undefined && this.watcher) this.known.set(id, pem)
    return pem
  }

  fetch(id: string): StoredKey | undefined {
    for (const state of ['accepted', 'pending', 'rejected'] as const) {
      const pub = this.read(FOLDERS[state], id)
      if (pub !== undefined) return { state, pub }
    }
    return undefined
  }

  /** Change keys although changes are refused. */
  unguarded(change: () => void): void {
    const { guard } = this
    this.guard = undefined
    try {
      change()
    } finally {
      this.guard = guard
    }
  }

  store(id: string, { state, pub }: StoredKey): void {
    this.write(FOLDERS[state], id, pub)
    for (const folder of Object.values(FOLDERS)) if (folder !== FOLDERS[state]) this.remove(folder, id)
    this.known.delete(id)
    this.listed = undefined
  }

  deny(id: string, pub: string): void {
    this.write('minions_denied', id, pub)
  }

  /** The ids in a directory, sorted. */
  list(folder: KeyFolder): string[] {
    if (folder === 'minions' && this.listed && this.watcher) return this.listed
    const ids = readdirSync(join(this.directory, folder), { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && !entry.isDirectory())
      .map(({ name }) => name)
      .sort()
    if (folder === 'minions') this.listed = ids
    return ids
  }

  pem(folder: KeyFolder, id: string): string | undefined {
    return this.read(folder, id)
  }

  /** Remove a key; return whether it existed. */
  remove(folder: KeyFolder, id: string): boolean {
    const file = join(this.directory, folder, id)
    if (!isValidId(id) || !statSync(file, { throwIfNoEntry: false })) return false
    this.guard?.()
    rmSync(file)
    if (folder === 'minions') this.forget(id)
    return true
  }

  private write(folder: KeyFolder, id: string, pub: string): void {
    this.guard?.()
    if (!isValidId(id)) throw new BrineError('InvalidId', `Not the id of a minion: ${id}`)
    const file = join(this.directory, folder, id)
    // a key that is half written, as on a full disk, would lock its minion out; names that begin with a dot are no keys
    const fresh = join(this.directory, folder, `.new.${process.pid}`)
    this.storing(file, () => {
      try {
        writeFileSync(fresh, pub, { mode: 0o644 })
        renameSync(fresh, file)
      } catch (error) {
        rmSync(fresh, { force: true })
        throw error
      }
    })
  }
}
