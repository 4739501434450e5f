// The keys of minions in all members. Programs and operators move files in `pki_dir`; their changes go to the shared
// state by compare-and-set, and changes of other members are written to the files. A file with the last common state
// shows which side changed while this master was away; if both did, the cluster's state counts.
import { createHash } from 'node:crypto'
import { type FSWatcher, readFileSync, renameSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAnyError, type Log, recover, shownText, toError } from '../base/mod.ts'
import { type Dict, textOf } from '../data/mod.ts'
import type { KeyFolder, PkiKeys } from '../store/mod.ts'
import { isValidId, type KeyState } from '../wire/mod.ts'
import type { ClusterEntry, ClusterState } from './state.ts'

const STATES: Readonly<Record<KeyState, KeyFolder>> = {
  accepted: 'minions',
  pending: 'minions_pre',
  rejected: 'minions_rejected',
}
const DENIED = 'minions_denied'
const FOLDERS: readonly KeyFolder[] = [...Object.values(STATES), DENIED]
/** Milliseconds until files that change are looked at. */
const GATHER_MS = 20
/** Milliseconds between two looks at all keys: the system may drop news of files. */
const LOOK_MS = 30_000
const RETRY_MS = 1000
const KEEP_MS = 1000

/** The keys of one id: one in a state, and a denied one. */
interface IdKeys {
  state?: KeyState
  pub?: string
  denied?: string
}

export class KeySync {
  private readonly state: ClusterState
  private readonly keys: PkiKeys
  private readonly file: string
  private readonly log: Log
  /** Digests of the keys of each id when they were last equal here and in the cluster. */
  private readonly same: Map<string, string>
  private readonly touched = new Set<string>()
  private watchers: FSWatcher[] = []
  private timer: NodeJS.Timeout | undefined
  private look: NodeJS.Timeout | undefined
  private keeping: NodeJS.Timeout | undefined
  private working: Promise<void> = Promise.resolve()
  private isClosed = false

  constructor(state: ClusterState, keys: PkiKeys, folder: string, log: Log) {
    this.state = state
    this.keys = keys
    this.file = join(folder, 'keys.json')
    this.log = log
    this.same = new Map(Object.entries(remembered(this.file)))
  }

  /** Bring both sides together, and follow both from now on. */
  async start(): Promise<void> {
    for (const folder of FOLDERS) {
      const watcher = watch(join(this.keys.directory, folder), (_event, name) => name && this.touch(name))
      watcher.on('error', (error) =>
        this.log('error', `Keys of minions are looked at only now and then: ${error.message}`),
      )
      this.watchers.push(watcher.unref())
    }
    this.state.listen('key', (id) => this.touch(id))
    this.look = setInterval(() => this.touchAll(), LOOK_MS).unref()
    this.touchAll()
    await this.settled()
  }

  /** Resolves when changes so far have been tried. */
  async settled(): Promise<void> {
    this.begin()
    await this.working
  }

  private touchAll(): void {
    for (const folder of FOLDERS) for (const id of this.keys.list(folder)) this.touch(id)
    for (const id of this.state.all('key').keys()) this.touch(id)
    for (const id of this.same.keys()) this.touch(id)
  }

  private touch(id: string): void {
    if (!isValidId(id) || id.startsWith('.')) return
    this.touched.add(id)
    this.timer ??= setTimeout(() => this.begin(), GATHER_MS)
  }

  private begin(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const ids = [...this.touched]
    this.touched.clear()
    this.working = this.working.then(async () => {
      for (const id of ids) if (!this.isClosed) await this.settle(id)
    })
  }

  /** Bring one id together. */
  private async settle(id: string): Promise<void> {
    try {
      const [here, entry] = [this.here(id), this.state.get('key', id)]
      const [own, shared] = [digest(here), digest(fromEntry(entry))]
      // a removed key leaves an entry: without one, the cluster has lost its state or has not sent all of it yet
      const before = (entry && this.same.get(id)) ?? digest({})
      if (own === shared) this.remember(id, own)
      else if (own === before || shared !== before) this.write(id, fromEntry(entry), own !== before)
      else await this.push(id, here, entry)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ClusterConflict') {
        this.log('warning', `Cannot bring the key of ${id} to the cluster yet: ${toError(error).message}`)
      }
      setTimeout(() => !this.isClosed && this.touch(id), RETRY_MS).unref()
    }
  }

  private here(id: string): IdKeys {
    const found: IdKeys = {}
    for (const [state, folder] of Object.entries(STATES) as Array<[KeyState, KeyFolder]>) {
      const pub = this.keys.pem(folder, id)
      if (pub === undefined) continue
      Object.assign(found, { state, pub })
      break
    }
    const denied = this.keys.pem(DENIED, id)
    return denied === undefined ? found : { ...found, denied }
  }

  private async push(id: string, keys: IdKeys, entry: ClusterEntry | undefined): Promise<void> {
    const isEmpty = keys.pub === undefined && keys.denied === undefined
    const value: Dict = new Map(Object.entries(keys))
    await this.state.put('key', id, isEmpty ? undefined : value, entry?.revision ?? 0)
    this.remember(id, digest(keys))
  }

  private write(id: string, { state, pub, denied }: IdKeys, isConflict: boolean): void {
    if (isConflict)
      this.log('warning', `The key of ${shownText(id)} changed here and on another master: the other one counts`)
    this.keys.unguarded(() => {
      if (state !== undefined && pub !== undefined) this.keys.store(id, { state, pub })
      else for (const folder of Object.values(STATES)) this.keys.remove(folder, id)
      if (denied === undefined) this.keys.remove(DENIED, id)
      else this.keys.deny(id, denied)
    })
    this.remember(
      id,
      digest({ ...(state && { state }), ...(pub !== undefined && { pub }), ...(denied !== undefined && { denied }) }),
    )
  }

  private remember(id: string, text: string): void {
    if (this.same.get(id) === text) return
    if (text === digest({})) this.same.delete(id)
    else this.same.set(id, text)
    this.keeping ??= setTimeout(() => this.keep(), KEEP_MS)
  }

  private keep(): void {
    clearTimeout(this.keeping)
    this.keeping = undefined
    try {
      writeFileSync(`${this.file}.new`, JSON.stringify(Object.fromEntries(this.same)), { mode: 0o600 })
      renameSync(`${this.file}.new`, this.file)
    } catch (error) {
      this.log('error', `Cannot write ${this.file}: ${toError(error).message}`)
    }
  }

  async close(): Promise<void> {
    for (const watcher of this.watchers) watcher.close()
    clearTimeout(this.timer)
    clearInterval(this.look)
    this.isClosed = true
    await this.working
    if (this.keeping !== undefined) this.keep()
  }
}

function fromEntry(entry: ClusterEntry | undefined): IdKeys {
  const value = entry?.value
  const text = (name: string): string | undefined => textOf(value?.get(name) ?? null)
  const [state, pub, denied] = [text('state'), text('pub'), text('denied')]
  const isState = state !== undefined && Object.hasOwn(STATES, state)
  return {
    ...(isState && pub !== undefined && { state: state as KeyState, pub }),
    ...(denied !== undefined && { denied }),
  }
}

const digest = ({ state = '', pub = '', denied = '' }: { state?: string; pub?: string; denied?: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([state, pub, denied]))
    .digest('base64url')
    .slice(0, 24)

/** Return the content of the file; a missing or damaged file counts as empty. */
function remembered(file: string): Record<string, string> {
  return recover(isAnyError, {}, () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)
}
