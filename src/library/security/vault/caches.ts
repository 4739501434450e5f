// Clearing of cached data: the functions `clear_cache` and `update_config`.
import type { FunctionContext } from '../../../sdk/mod.ts'
import { vaultAccess } from './connect.ts'

/** Clear the token and the leases, and unless only these are requested also the master's configuration. */
export async function clearCache(
  ctx: FunctionContext,
  { session }: { connection: boolean; session: boolean },
): Promise<true> {
  const { store, connection, ...access } = await opened(ctx)
  const delay = connection.cache.clearAttemptRevocation
  if (delay !== false) await access.revoke(delay)
  const { config } = store.kept
  await store.clear()
  if (session && config) await store.save({ config })
  return true
}

async function opened(ctx: FunctionContext) {
  const access = await vaultAccess(ctx)
  return { store: access.store, connection: access.connection, revoke: (delay: number) => access.revoke(delay) }
}

/** Fetch the configuration of the master again. The token stays when it is of the same server. */
export async function updateConfig(ctx: FunctionContext, keepSession: boolean): Promise<boolean> {
  const { store, connection } = await vaultAccess(ctx)
  const before = store.kept
  if (!before.config) return true
  store.kept = {}
  const after = await vaultAccess(ctx)
  const isSame =
    after.connection.server.url === connection.server.url &&
    after.connection.server.namespace === connection.server.namespace
  const { token, tokenTime, secretId, mounts, leases } = before
  if (isSame || keepSession) {
    await store.save({
      ...(token && { token }),
      ...(tokenTime !== undefined && { tokenTime }),
      ...(secretId && { secretId }),
      ...(mounts && { mounts }),
      ...(leases && { leases }),
    })
  }
  return isSame || !keepSession
}
