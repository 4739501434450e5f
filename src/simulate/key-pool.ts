// Keys of simulated minions. Making a key pair takes a core a tenth of a second, so a fleet shares a few: minion number n has pair
// n modulo the size of the pool. Pairs are made in parallel on Node's threads.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateRsaKeys, loadOrMakeKeys, RsaPrivateKey } from '../wire/mod.ts'

export interface KeyPoolOptions {
  size: number
  /** Bits of an RSA key. */
  bits: number
  /** The folder for the keys. Default: they are only in memory. */
  directory?: string | undefined
}

export interface KeyPool {
  pairs: RsaPrivateKey[]
  /** The master's key, where an earlier run met the master. */
  masterKey: string | undefined
  /** Keep the master's key for the next run. */
  keepMasterKey(pem: string | undefined): void
}

export async function keyPool({ size, bits, directory }: KeyPoolOptions): Promise<KeyPool> {
  const pair = async (index: number): Promise<RsaPrivateKey> => {
    if (directory !== undefined) return loadOrMakeKeys(directory, `simulated-${index}`, { bits })
    return new RsaPrivateKey((await generateRsaKeys(bits)).privatePem)
  }
  const pairs = await Promise.all(Array.from({ length: size }, (_, index) => pair(index)))
  const file = directory && join(directory, 'minion_master.pub')
  return {
    pairs,
    masterKey: file && existsSync(file) ? readFileSync(file, 'utf8') : undefined,
    keepMasterKey(pem) {
      if (file !== undefined && pem !== undefined) writeFileSync(file, pem, { mode: 0o644 })
    },
  }
}
