// The stores of a running master, and which data of its cache other masters have.
import { namedLog } from '../base/mod.ts'
import type { Cluster } from '../cluster/mod.ts'
import { option } from '../config/mod.ts'
import type { Host } from '../host/mod.ts'
import { OpenedStores, openCache, type StoreParts } from '../runner/mod.ts'
import { isOwnBank, type StorageWatch } from '../store/mod.ts'

/** Open the stores. In a cluster, changes of the data cache go to the other masters. */
export async function openStores(
  parts: Omit<StoreParts, 'cache'> & { storage: StorageWatch; cluster: Cluster | undefined },
  host: Host,
  closings: Array<() => unknown>,
): Promise<OpenedStores> {
  const { opts, log, storage, cluster } = parts
  const opened = openCache({ opts, log: namedLog(log, 'salt.cache'), host, storage })
  closings.push(() => opened.close())
  await opened.follow()
  // masters that share a cache server need the cluster only for tokens, which no cache server stores
  const isShared = option(opts, 'cache') !== 'localfs'
  const shared = cluster?.shared(opened.cache, isShared ? isOwnBank : () => true)
  const settled = async (): Promise<void> => void (await Promise.all([opened.settled(), shared?.settled()]))
  const stores = new OpenedStores({ ...parts, cache: shared ? { ...opened, cache: shared, settled } : opened })
  closings.push(() => stores.close())
  return stores
}
