// Secrets of the engine kv, in both of its versions. Vault says which version a path has, and the answer is kept.
import { type Dict, dictGet, fromPlain, isDict, isList, numberOf, str, toPlain, type Value } from '../../../data/mod.ts'
import { dataOf, plainData, type VaultAccess } from './access.ts'
import type { JsonObject } from './config.ts'
import { now } from './durations.ts'
import { isVaultError, VaultError } from './errors.ts'

/** The paths of a secret. Those of version 1 are all the same. */
interface Place {
  isV2: boolean
  path: string
  /** The path of version 2 for a kind of request. */
  of(kind: 'data' | 'metadata' | 'delete' | 'destroy' | 'undelete'): string
}

const KINDS = /^(data|metadata|delete|destroy|undelete)(\/|$)/

const trimmed = (path: string): string => path.replace(/^\/+|\/+$/g, '')

const invalid = (text: string): VaultError => new VaultError('VaultInvocationError', text)

/** Return whole numbers of versions. */
function versionsOf(values: readonly Value[]): number[] {
  return values.map((value) => {
    const number = numberOf(value) ?? Number(str(value))
    if (!Number.isInteger(number) || number < 1) throw invalid('Versions have to be specified as integers.')
    return number
  })
}

/** Return data with a patch (RFC 7396) applied: dicts are merged, and None removes. */
export function mergePatch(data: Value, patch: Value): Value {
  if (!isDict(patch)) return patch
  const merged: Dict = new Map(isDict(data) ? data : [])
  for (const [key, value] of patch) {
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(dictGet(merged, key) ?? null, value))
  }
  return merged
}

export class Kv {
  private readonly access: VaultAccess

  constructor(access: VaultAccess) {
    this.access = access
  }

  async read(path: string, options: { metadata?: boolean; version?: Value } = {}): Promise<Dict> {
    const place = await this.place(path)
    const { metadata = false, version = null } = options
    if (!place.isV2 && version !== null && version !== 0) throw invalid('Cannot request secret versions on KV v1')
    const params =
      place.isV2 && version !== null && version !== 0 ? { version: String(versionsOf([version])[0]) } : undefined
    const data = dataOf(await this.access.get(place.of('data'), params))
    if (!place.isV2 || metadata) return data
    const inner = data.get('data') ?? null
    return isDict(inner) ? inner : new Map()
  }

  async readMeta(path: string): Promise<Dict> {
    const place = await this.place(path)
    if (!place.isV2) throw invalid('The backend is not KV v2')
    return dataOf(await this.access.get(place.of('metadata')))
  }

  /** Write a secret. Return Vault's data about the new version; true for version 1. */
  async write(path: string, data: Value, cas?: Value): Promise<Value> {
    const place = await this.place(path)
    const options =
      cas === undefined ? [] : ([['options', new Map<Value, Value>([['cas', cas]])]] as Array<[Value, Value]>)
    const payload = place.isV2 ? new Map<Value, Value>([['data', data], ...options]) : data
    const body = await this.access.ask({ method: 'PUT', path: place.of('data'), payload })
    return body.has('data') ? dataOf(body) : true
  }

  /** Change parts of a secret that exists. */
  async patch(path: string, data: Value): Promise<Value> {
    const current = await this.read(path, { metadata: true })
    const place = await this.place(path)
    if (!place.isV2) return this.write(path, mergePatch(current, data))
    const metadata = current.get('metadata') ?? null
    const version = isDict(metadata) ? (metadata.get('version') ?? null) : null
    return this.write(path, mergePatch(current.get('data') ?? null, data), version ?? undefined)
  }

  async delete(path: string, versions: readonly Value[], isAll: boolean): Promise<true> {
    const place = await this.place(path)
    if (!place.isV2 && versions.length > 0) throw invalid('Versioning support requires KV v2.')
    if (!place.isV2 || (!isAll && versions.length === 0)) await this.access.delete(place.of('data'))
    else {
      const meant = isAll
        ? await this.versions(path, ({ destroyed, deletion_time }) => !destroyed && !deletion_time)
        : versionsOf(versions)
      if (meant.length > 0)
        await this.access.post(place.of('delete'), fromPlain({ versions: meant }), { isRepeatable: true })
    }
    return true
  }

  async restore(path: string, versions: readonly Value[], isAll: boolean): Promise<true> {
    const place = await this.place(path)
    if (!place.isV2) throw invalid('Restore operation requires KV v2.')
    const isDeleted = ({ destroyed, deletion_time }: JsonObject) => !destroyed && Boolean(deletion_time)
    const meant = versions.length > 0 && !isAll ? versionsOf(versions) : await this.versions(path, isDeleted, isAll)
    if (meant.length === 0) throw invalid('No secret version to restore.')
    await this.access.post(place.of('undelete'), fromPlain({ versions: meant }))
    return true
  }

  async destroy(path: string, versions: readonly Value[], isAll: boolean): Promise<true> {
    const place = await this.place(path)
    if (!place.isV2) {
      if (versions.length > 0) throw invalid('Versioning support requires KV v2.')
      await this.access.delete(place.path)
      return true
    }
    const meant =
      versions.length > 0 && !isAll
        ? versionsOf(versions)
        : await this.versions(path, ({ destroyed }) => !destroyed, isAll)
    if (meant.length > 0) await this.access.post(place.of('destroy'), fromPlain({ versions: meant }))
    return true
  }

  /** Remove a secret with all of its versions. */
  async wipe(path: string): Promise<true> {
    await this.access.delete((await this.place(path)).of('metadata'))
    return true
  }

  async list(path: string): Promise<Value[]> {
    const place = await this.place(path)
    const keys = dataOf(await this.access.list(place.of('metadata'))).get('keys') ?? null
    return isList(keys) ? [...keys] : []
  }

  /** Return the selected versions: all that pass, or the latest one if it passes. */
  private async versions(path: string, passes: (version: JsonObject) => boolean, isAll = true): Promise<number[]> {
    let known: JsonObject
    try {
      known = ((toPlain(await this.readMeta(path)) as JsonObject).versions ?? {}) as JsonObject
    } catch (error) {
      // removing a missing secret is no error
      if (isVaultError(error, 'VaultNotFoundError')) return []
      throw error
    }
    const latest = Math.max(...Object.keys(known).map(Number))
    const meant = Object.entries(known).filter(
      ([number, version]) => passes(version as JsonObject) && (isAll || Number(number) === latest),
    )
    return meant.map(([number]) => Number(number))
  }

  /** Return the paths of a secret, and whether they are of version 2. */
  async place(given: string): Promise<Place> {
    const path = trimmed(given)
    const ending = given.endsWith('/') ? '/' : ''
    const mount = await this.mount(path)
    const options = (mount?.options ?? null) as JsonObject | null
    if (mount?.type !== 'kv' || String(options?.version ?? '1') !== '2')
      return { isV2: false, path: path + ending, of: () => path + ending }
    const root = trimmed(String(mount.path ?? ''))
    // people also write the path with the kind in it
    const rest = trimmed(path.slice(root.length)).replace(KINDS, '')
    return { isV2: true, path, of: (kind) => `${root}/${kind}${rest && `/${rest}`}${ending}` }
  }

  /** Return Vault's data about the mount of a path; undefined if there is none. */
  private async mount(path: string): Promise<JsonObject | undefined> {
    const { store, connection } = this.access
    const mounts = store.kept.mounts ?? {}
    const limit = connection.cache.kvMetadata
    for (const [root, { fetched, data }] of Object.entries(mounts)) {
      const isFresh = typeof limit !== 'number' || now() - fetched < limit
      if (isFresh && (path === root || path.startsWith(`${root}/`))) return data
    }
    try {
      const data = plainData(await this.access.get(`sys/internal/ui/mounts/${path}`))
      const root = trimmed(String(data.path ?? path))
      await store.save({
        mounts: {
          ...mounts,
          [root]: {
            fetched: now(),
            data: { path: data.path ?? root, type: data.type ?? null, options: data.options ?? null },
          },
        },
      })
      return data
    } catch (error) {
      // a server that is too old for this question has version 1 only
      if (isVaultError(error, 'VaultNotFoundError')) return undefined
      throw error
    }
  }
}
