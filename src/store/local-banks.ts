// The banks of the local cache with the interface of a server, to copy data between drivers.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileCache } from './data-cache.ts'
import type { SharedBanks } from './shared-cache.ts'

/** Return the folders below the cache that hold values, with their paths. */
function banksBelow(cachedir: string, path: string): string[] {
  const entries = readdirSync(join(cachedir, path), { withFileTypes: true })
  const here = path !== '' && entries.some((entry) => entry.isFile() && entry.name.endsWith('.p')) ? [path] : []
  const inside = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => (path === '' ? name : `${path}/${name}`))
  return [...here, ...inside.flatMap((name) => banksBelow(cachedir, name))]
}

export function localBanks(cachedir: string): SharedBanks {
  const cache = fileCache(cachedir)
  return {
    apply: async (changes) => {
      for (const { bank, key, value } of changes) {
        if (key !== undefined && value !== undefined) cache.bank(bank).store(key, value)
        else cache.bank(bank).flush(key)
      }
    },
    fetch: async (bank, keys) => {
      const found = keys.map((key) => [key, cache.bank(bank).fetch(key)] as const)
      return new Map(found.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
    },
    times: async (name) => {
      const bank = cache.bank(name)
      return new Map(bank.list().map((key) => [key, bank.updated(key) ?? 0]))
    },
    banks: async () => banksBelow(cachedir, ''),
    close: () => {},
  }
}
