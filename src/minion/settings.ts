// The sign-in settings of a minion: its options and its key, which is generated at the first start.
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { loadOrMakeKeys, type MinionSettings, minionSettings } from '../wire/mod.ts'

export async function signInSettings(opts: Dict): Promise<MinionSettings> {
  const bits = option(opts, 'keysize')
  return minionSettings(opts, await loadOrMakeKeys(option(opts, 'pki_dir'), 'minion', { bits }))
}
