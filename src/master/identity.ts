// The key pair of the master. Salt 3008 stores it under the master's name and keeps `master.pem` and `.pub` as links;
// both forms are read. With `master_sign_pubkey`, a second pair signs the first.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isClustered } from '../cluster/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { loadOrMakeKeys, type MasterIdentity, masterIdentity } from '../wire/mod.ts'

export async function openIdentity(opts: Dict): Promise<MasterIdentity> {
  const folder = option(opts, 'pki_dir')
  const bits = option(opts, 'keysize')
  const secret = (name: 'key_pass' | 'signing_key_pass' | 'cluster_key_pass') => {
    const passphrase = option(opts, name)
    return { bits, ...(passphrase && { passphrase }) }
  }
  const own = option(opts, 'id').replace(/_master$/, '')
  const name =
    existsSync(join(folder, 'master.pem')) || own === '' || !existsSync(join(folder, `${own}.pem`)) ? 'master' : own
  const key = isClustered(opts)
    ? await loadOrMakeKeys(folder, (await import('../cluster/mod.ts')).CLUSTER_KEY, secret('cluster_key_pass'))
    : await loadOrMakeKeys(folder, name, secret('key_pass'))
  if (!option(opts, 'master_sign_pubkey')) return masterIdentity(key)
  const signature = signatureFile(opts, folder)
  if (option(opts, 'master_use_pubkey_signature') && signature !== undefined) {
    return masterIdentity(key, { signature: readFileSync(signature, 'utf8') })
  }
  const signName = option(opts, 'master_sign_key_name')
  return masterIdentity(key, { signKey: await loadOrMakeKeys(folder, signName, secret('signing_key_pass')) })
}

/** Return the file of the ready signature: the name in the options, the name in 3008, or the earlier one. */
function signatureFile(opts: Dict, folder: string): string | undefined {
  const usual = [`${option(opts, 'id')}_pubkey_signature`, 'master_pubkey_signature']
  const named = option(opts, 'master_pubkey_signature')
  return (named ? [named] : usual).map((name) => join(folder, name)).find((file) => existsSync(file))
}
