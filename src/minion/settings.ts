// What a minion's options mean to its channel to the master.
import { type Dict, numberOf, str, textOf, truthy } from '../data/mod.ts'
import { loadOrMakeKeys, type MinionSettings } from '../wire/mod.ts'

export async function minionSettings(opts: Dict, grains: Dict): Promise<MinionSettings> {
  const text = (name: string): string => textOf(opts.get(name) ?? null) ?? ''
  const flag = (name: string): boolean => truthy(opts.get(name) ?? false)
  const number = (name: string, fallback: number): number => numberOf(opts.get(name) ?? fallback) ?? fallback
  const pkiDir = text('pki_dir')
  const wanted = opts.get('autosign_grains') ?? null
  const names = Array.isArray(wanted) ? wanted : []
  return {
    id: str(opts.get('id')!),
    key: await loadOrMakeKeys(pkiDir, 'minion', { bits: number('keysize', 2048) }),
    pkiDir,
    encryptionAlgorithm: text('encryption_algorithm') || 'OAEP-SHA1',
    signingAlgorithm: text('signing_algorithm') || 'PKCS1v15-SHA1',
    verifyMasterPubkeySign: flag('verify_master_pubkey_sign'),
    alwaysVerifySignature: flag('always_verify_signature'),
    masterSignKeyName: text('master_sign_key_name') || 'master_sign',
    masterFinger: text('master_finger'),
    hashType: text('hash_type') || 'sha256',
    openMode: flag('open_mode'),
    autosignGrains:
      names.length > 0 ? new Map(names.map((name) => [name, grains.get(name as string) ?? null])) : undefined,
    signMessages: flag('minion_sign_messages'),
    requireSignedPublications: flag('sign_pub_messages'),
    authTimeout: number('auth_timeout', 5),
    authTries: number('auth_tries', 7),
    authSafemode: flag('auth_safemode'),
    acceptanceWaitTime: number('acceptance_wait_time', 10),
    acceptanceWaitTimeMax: number('acceptance_wait_time_max', 0),
    rejectedRetry: flag('rejected_retry'),
    requestTimeout: number('request_channel_timeout', 60),
    requestTries: number('request_channel_tries', 3),
  }
}
