// The data cache of a master: local files, and with the option `cache` a server that several masters share.
import { BrineError, type Log } from '../base/mod.ts'
import { option, placeOfOption } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { type Host, LocalHost } from '../host/mod.ts'
import { cacheTable } from '../loader/mod.ts'
import { mayBeOwn, ownBanks } from '../pybridge/mod.ts'
import { dataSourceContext } from '../sdk/mod.ts'
import { type DataCache, fileCache, localBanks, type SharedBanks, SharedCache, type StorageUse } from '../store/mod.ts'

const LOCAL = 'localfs'
const BUILT_IN = [LOCAL, ...Object.keys(cacheTable)]

export interface CacheParts {
  opts: Dict
  log: Log
  host?: Host
}

/** Return the banks of a driver; undefined if the driver does not exist. */
export async function cacheBanks(driver: string, parts: CacheParts): Promise<SharedBanks | undefined> {
  const { opts, log, host = new LocalHost() } = parts
  if (driver === LOCAL) return localBanks(option(opts, 'cachedir'))
  const own = await ownBanks({ name: driver, builtIn: BUILT_IN, opts, log }, option(opts, 'cachedir'))
  if (own || !Object.hasOwn(cacheTable, driver)) return own
  const { default: declared } = await cacheTable[driver]!()
  const { moduleTable, Registry } = await import('../loader/mod.ts')
  const grains: Dict = new Map()
  const functions = new Registry(moduleTable, { opts, grains, pillar: new Map(), host, log })
  return declared.open(dataSourceContext({ opts, grains, host, log, functions }))
}

/** Return banks whose driver is loaded at first use. */
function lazyBanks(driver: string, parts: CacheParts): SharedBanks {
  let opening: Promise<SharedBanks> | undefined
  const banks = (): Promise<SharedBanks> => {
    opening ??= cacheBanks(driver, parts).then((found) => {
      if (!found) throw new BrineError('NoCacheDriver', `There is no driver '${driver}' of the cache`)
      return found
    })
    // try again at the next use, since the missing part may exist then
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }
  return {
    apply: async (changes) => (await banks()).apply(changes),
    fetch: async (bank, keys) => (await banks()).fetch(bank, keys),
    times: async (bank) => (await banks()).times(bank),
    banks: async () => (await banks()).banks(),
    close: () =>
      void opening?.then(
        (found) => found.close(),
        () => undefined,
      ),
  }
}

export interface OpenedCache {
  cache: DataCache
  /** Fetch the data of the server, and follow the changes of other masters. */
  follow(): Promise<void>
  /** Wait until changes are visible to others, up to a limit. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds that a call waits for a server to take its changes. */
const PATIENCE = 5000

const nothing = async (): Promise<void> => {}

/** Open the cache that the options name. A driver that does not exist is an error in the log, and the local cache serves. */
export function openCache(parts: CacheParts & { storage?: StorageUse }): OpenedCache {
  const { opts, log, storage } = parts
  const local = fileCache(option(opts, 'cachedir'), ...(storage ? [storage] : []))
  const driver = option(opts, 'cache')
  const isKnown =
    Object.hasOwn(cacheTable, driver) ||
    (driver !== LOCAL && mayBeOwn({ family: 'cache', name: driver, builtIn: BUILT_IN, opts }))
  if (driver !== LOCAL && !isKnown) {
    const known = BUILT_IN.join(', ')
    const where = placeOfOption(opts, 'cache')
    log('error', `Option 'cache'${where} names '${driver}', which is not here; local files serve. There are ${known}`)
  }
  if (!isKnown) return { cache: local, follow: nothing, settled: nothing, close: nothing }
  const interval = option(opts, 'cache_share_interval')
  const shared = new SharedCache(local, lazyBanks(driver, parts), { name: driver, interval, log })
  return {
    cache: shared,
    follow: () => shared.open(),
    settled: async () => {
      if (!(await shared.settled(PATIENCE))) log('warning', `The cache ${driver} has not taken all changes yet`)
    },
    close: () => shared.close(),
  }
}
