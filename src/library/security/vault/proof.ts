// Checks who may get credentials of a minion: the minion itself, by its session with the master and by its signature,
// and a holder of the master's key.
import { textOf, type Value } from '../../../data/mod.ts'
import { joinPaths, type MasterContext, option, RsaPublicKey } from '../../../sdk/mod.ts'
import type { VaultConfig } from './config.ts'
import { VaultError } from './errors.ts'

const refusal = (text: string): VaultError => new VaultError('AuthenticationError', text)

/** Fail unless the caller has proven to be the minion, or to be its master. */
export async function proveMinion(
  ctx: MasterContext,
  config: VaultConfig,
  { id, signature, isMaster }: { id: string; signature: Value; isMaster: boolean },
): Promise<void> {
  const { caller } = ctx
  if (!isMaster && config.issue.blockMinions) {
    throw refusal('Non-impersonated requests have been disabled in the config')
  }
  // a minion that has seen the signature of another cannot use it
  if (caller?.kind === 'minion' && (isMaster || caller.name !== id)) {
    ctx.log('warning', `Minion ${caller.name} asked for credentials of Vault in the name of another`)
    throw refusal(`Could not validate token request from ${id}`)
  }
  // approles, entities and policies of Vault have one name for both
  const lower = id.toLowerCase()
  if (id !== lower && ctx.keys.accepted(lower) !== undefined) {
    throw refusal(`Vault cannot tell ${id} from the minion ${lower}: names of Vault have no upper case`)
  }
  const pem = isMaster ? await masterKey(ctx) : ctx.keys.accepted(id)
  const bytes = signature instanceof Uint8Array ? Buffer.from(signature).toString() : (textOf(signature) ?? '')
  if (pem === undefined || !verifies(pem, id, Buffer.from(bytes, 'base64'))) {
    throw refusal(`Could not validate token request from ${id}`)
  }
}

async function masterKey({ host, opts }: MasterContext): Promise<string> {
  return new TextDecoder().decode(await host.read(joinPaths(option(opts, 'pki_dir'), 'master.pub')))
}

const verifies = (pem: string, text: string, signature: Uint8Array): boolean =>
  new RsaPublicKey(pem).verify(text, signature)
