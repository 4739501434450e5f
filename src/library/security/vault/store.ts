// Cached data between requests: the configuration from a master, the token, the secret id, the mounts and the leases of
// one identity. It is kept in this process, and with another cache than `session` also in a file that only its owner
// can read.
import { createHash } from 'node:crypto'
import { type Log, toError } from '../../../base/mod.ts'
import { type Host, joinPaths, option } from '../../../sdk/mod.ts'
import type { Surroundings } from './client.ts'
import type { Json, JsonObject } from './config.ts'
import type { Lease, SecretId, Token } from './records.ts'

export interface Kept {
  /** The configuration that the master gave, and when. */
  config?: { plain: Json; fetched: number; isOld: boolean }
  token?: Token
  /** When the token was got, for `cache:secret`. */
  tokenTime?: number
  secretId?: SecretId
  roleId?: string
  mounts?: Record<string, { fetched: number; data: JsonObject }>
  leases?: Record<string, Lease>
}

/** Limit of identities in memory: a master has one for each minion whose pillar reads Vault. */
const MOST = 10_000

const memory = new Map<string, Store>()

export class Store {
  kept: Kept = {}
  /** A running login, shared by all callers. */
  entering: Promise<Token> | undefined
  private file: string | undefined
  /** The host of the present call. */
  host: Host
  private isRead = false

  constructor(host: Host, file: string | undefined) {
    this.host = host
    this.file = file
  }

  /** Read the file, unless another user could have written it. */
  async open(log: Log): Promise<void> {
    if (this.isRead || this.file === undefined) return
    this.isRead = true
    const stat = await this.host.lstat(this.file)
    if (stat === undefined) return
    const { uid } = await this.host.identity()
    if (stat.type !== 'file' || stat.uid !== uid || (stat.mode & 0o077) !== 0) {
      log('warning', `${this.file} is not used: others than its owner can read or change it`)
      return
    }
    try {
      this.kept = JSON.parse(new TextDecoder().decode(await this.host.read(this.file))) as Kept
    } catch (error) {
      log('warning', `${this.file} is not used: ${toError(error).message}`)
    }
  }

  async save(changes: Partial<Kept>): Promise<void> {
    this.kept = { ...this.kept, ...changes }
    await this.write()
  }

  async write(): Promise<void> {
    if (this.file === undefined || this.host.readOnly) return
    const folder = this.file.slice(0, this.file.lastIndexOf('/'))
    await this.host.makeDirectory(folder, { mode: 0o700, parents: true })
    await this.host.write(this.file, JSON.stringify(this.kept), { mode: 0o600 })
  }

  /** Keep everything in this process from now on. */
  async leaveDisk(): Promise<void> {
    const { file } = this
    this.file = undefined
    if (file !== undefined && (await this.host.lstat(file)) !== undefined) await this.host.remove(file)
  }

  async clear(): Promise<boolean> {
    const had = Object.keys(this.kept).length > 0
    this.kept = {}
    const stat = this.file === undefined ? undefined : await this.host.lstat(this.file)
    if (stat !== undefined) await this.host.remove(this.file!)
    return had || stat !== undefined
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * Return the cached data of an identity (`own`, or the id of a minion that a master acts for). A changed configuration
 * is another identity.
 */
export async function storeOf(
  { opts, host, log }: Surroundings,
  identity: string,
  configuration: unknown,
  backend: 'session' | 'disk',
): Promise<Store> {
  const folder = joinPaths(option(opts, 'cachedir'), 'vault')
  const id = digest(JSON.stringify([identity, folder, configuration]))
  let store = memory.get(id)
  if (store === undefined) {
    if (memory.size >= MOST) memory.delete(memory.keys().next().value!)
    store = new Store(host, backend === 'disk' ? joinPaths(folder, `${id}.json`) : undefined)
    memory.set(id, store)
  }
  store.host = host
  await store.open(log)
  return store
}

/** Forget everything that is kept, in this process and on disk. */
export async function forgetStores({ opts, host }: Pick<Surroundings, 'opts' | 'host'>): Promise<void> {
  memory.clear()
  const folder = joinPaths(option(opts, 'cachedir'), 'vault')
  if ((await host.stat(folder)) !== undefined) await host.removeDirectory(folder, { recursive: true })
}
