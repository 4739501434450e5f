// Who the master is: its key pair. Salt 3008 keeps it under the master's name and leaves `master.pem` and `.pub` as links to
// it; either form is taken as it is found. With `master_sign_pubkey` a second pair vouches for the first.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Dict, numberOf, str, textOf, truthy } from '../data/mod.ts'
import { loadOrMakeKeys, type MasterIdentity, masterIdentity } from '../wire/mod.ts'

export async function openIdentity(opts: Dict): Promise<MasterIdentity> {
  const folder = str(opts.get('pki_dir')!)
  const bits = numberOf(opts.get('keysize') ?? 2048) ?? 2048
  const secret = (name: string) => {
    const passphrase = textOf(opts.get(name) ?? null)
    return { bits, ...(passphrase && { passphrase }) }
  }
  const own = str(opts.get('id') ?? '').replace(/_master$/, '')
  const name =
    existsSync(join(folder, 'master.pem')) || own === '' || !existsSync(join(folder, `${own}.pem`)) ? 'master' : own
  const key = await loadOrMakeKeys(folder, name, secret('key_pass'))
  if (!truthy(opts.get('master_sign_pubkey') ?? false)) return masterIdentity(key)
  const signature = signatureFile(opts, folder)
  if (truthy(opts.get('master_use_pubkey_signature') ?? false) && signature !== undefined) {
    return masterIdentity(key, { signature: readFileSync(signature, 'utf8') })
  }
  const signName = textOf(opts.get('master_sign_key_name') ?? null) ?? 'master_sign'
  return masterIdentity(key, { signKey: await loadOrMakeKeys(folder, signName, secret('signing_key_pass')) })
}

/** The ready signature, under the name of the option, of 3008, or of those before it. */
function signatureFile(opts: Dict, folder: string): string | undefined {
  const usual = [`${str(opts.get('id') ?? '')}_pubkey_signature`, 'master_pubkey_signature']
  const named = textOf(opts.get('master_pubkey_signature') ?? null)
  return (named ? [named] : usual).map((name) => join(folder, name)).find((file) => existsSync(file))
}
