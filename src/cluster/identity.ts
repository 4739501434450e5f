// The key pair that all masters of a cluster share, `cluster.pem`. The first master that joins contributes its own:
// that of an earlier cluster, or the one that its minions already know, so that no minion gets a new key.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BrineError, type Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, textOf } from '../data/mod.ts'
import { generateRsaKeys, pemFingerprint, RsaPrivateKey, writeKeyFile } from '../wire/mod.ts'
import { ConflictError } from './nats.ts'
import type { ClusterState } from './state.ts'

/** The name of the files of the key pair. */
export const CLUSTER_KEY = 'cluster'
const ENTRY = 'key'
/** Milliseconds that a master without a key waits for one of another master. */
const GIVEN_MS = 4000

const fileOf = (opts: Dict, name: string): string => join(option(opts, 'pki_dir'), `${name}.pem`)

/** Whether this master has been a member before. */
export const hasIdentity = (opts: Dict): boolean => existsSync(fileOf(opts, CLUSTER_KEY))

/** Store a key pair in the cluster, or take its existing one. */
export async function joinIdentity(opts: Dict, state: ClusterState, log: Log): Promise<void> {
  const own = ownKey(opts)
  const limit = performance.now() + GIVEN_MS
  for (;;) {
    const shared = textOf((await state.fetch('identity', ENTRY))?.value?.get('pem') ?? null)
    if (shared !== undefined) {
      keepKey(opts, shared, log)
      return
    }
    // a master that has a key already, which its minions know, goes first
    if (own === undefined && performance.now() < limit) {
      await sleep(200)
      continue
    }
    const pem =
      own ?? (await generateRsaKeys(option(opts, 'keysize'), option(opts, 'cluster_key_pass') ?? undefined)).privatePem
    try {
      await state.put('identity', ENTRY, new Map([['pem', pem]]), 0)
    } catch (error) {
      // another master was faster
      if (!(error instanceof ConflictError)) throw error
    }
  }
}

function ownKey(opts: Dict): string | undefined {
  const id = option(opts, 'id').replace(/_master$/, '')
  const found = [CLUSTER_KEY, 'master', ...(id === '' ? [] : [id])].find((name) => existsSync(fileOf(opts, name)))
  return found === undefined ? undefined : readFileSync(fileOf(opts, found), 'utf8')
}

function keepKey(opts: Dict, pem: string, log: Log): void {
  const passphrase = option(opts, 'cluster_key_pass') ?? undefined
  const { publicKey } = new RsaPrivateKey(pem, passphrase)
  const file = fileOf(opts, CLUSTER_KEY)
  const known = existsSync(file) ? new RsaPrivateKey(readFileSync(file, 'utf8'), passphrase).publicKey.pem : undefined
  if (known === publicKey.pem) return
  if (known !== undefined) {
    const [here, there] = [known, publicKey.pem].map((each) => pemFingerprint(each, 'sha256'))
    const hint =
      'Move the file away if this master should join the cluster; minions that know its key must then sign in anew'
    throw new BrineError('ClusterKey', `${file} (${here}) is not the key of the cluster (${there})`, { hint })
  }
  rmSync(`${file.slice(0, -'.pem'.length)}.pub`, { force: true })
  writeKeyFile(file, pem, 0o400)
  writeKeyFile(`${file.slice(0, -'.pem'.length)}.pub`, publicKey.pem, 0o644)
  log('info', `This master has the key of the cluster from now on: ${pemFingerprint(publicKey.pem, 'sha256')}`)
}
