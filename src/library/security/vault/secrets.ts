// Secrets for functions, external pillars and sdb: read with the access of the caller, and marked, so that logs and the
// results of states mask them.
import { type Dict, markSecret, str, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'
import { vaultAccess } from './connect.ts'
import { isVaultError, VaultError } from './errors.ts'
import { Kv } from './kv.ts'

export const kvOf = async (ctx: FunctionContext): Promise<Kv> => new Kv(await vaultAccess(ctx))

/** Read a secret and mark its values. */
export async function readSecret(
  kv: Kv,
  path: string,
  options: { metadata?: boolean; version?: Value } = {},
): Promise<Dict> {
  const data = await kv.read(path, options)
  markSecret(options.metadata ? (data.get('data') ?? data) : data)
  return data
}

/** Return one field of a secret. */
export function fieldOf(data: Dict, key: Value, path: string): Value {
  const value = data.get(key) ?? data.get(str(key))
  if (value === undefined)
    throw new VaultError('VaultNotFoundError', `the secret at ${path} has no field '${str(key)}'`)
  return value
}

/**
 * Return a secret; if none exists at the path, return the field that the last part of the path names in the secret
 * above it, as in `secret/git/token` for the field `token` of `secret/git`.
 */
export async function readSecretOrField(kv: Kv, path: string): Promise<Value> {
  try {
    return await readSecret(kv, path)
  } catch (error) {
    // a policy for only the secret forbids the path that seems to be below it
    if (!isVaultError(error, 'VaultNotFoundError') && !isVaultError(error, 'VaultPermissionDeniedError')) throw error
    const [, parent, field] = /^(.+)\/([^/]+)$/.exec(path.replace(/\/+$/, '')) ?? []
    if (parent === undefined) throw error
    const above = await readSecret(kv, parent).catch((other: unknown) => {
      if (other instanceof VaultError) throw error
      throw other
    })
    const value = above.get(field!)
    if (value === undefined) throw error
    return value
  }
}
