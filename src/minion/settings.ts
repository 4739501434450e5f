// What a minion signs in with: its options, and its key, which is made at its first start.
import { type Dict, numberOf, str } from '../data/mod.ts'
import { loadOrMakeKeys, type MinionSettings, minionSettings } from '../wire/mod.ts'

export async function signInSettings(opts: Dict): Promise<MinionSettings> {
  const bits = numberOf(opts.get('keysize') ?? 2048) ?? 2048
  return minionSettings(opts, await loadOrMakeKeys(str(opts.get('pki_dir')!), 'minion', { bits }))
}
