// A master that acts for one of its minions, for example to compile its pillar: it issues credentials of that minion to
// itself, so that a pillar cannot contain more than the minion may read.
import type { Entrance, VaultAccess } from './access.ts'
import { plainData } from './access.ts'
import { RoleIssuer } from './approles.ts'
import type { VaultClient } from './client.ts'
import type { VaultConfig } from './config.ts'
import { Issuer, type Occasion, textField, tokenFields } from './issue.ts'
import { loginByRole } from './local.ts'
import { readToken, type Token } from './records.ts'
import { storeOf } from './store.ts'
import type { MinionData } from './templates.ts'

/** The tokens of a minion, issued by the master that this is. */
export async function minionEntrance(
  own: VaultAccess,
  config: VaultConfig,
  minion: MinionData,
  occasion: Occasion,
): Promise<Entrance> {
  const { server, issue, policies, metadata } = config
  const rules = [server, issue, policies.assign, [...metadata.secret]]
  const store = await storeOf(own.parts, `minion ${minion.id}`, rules, config.cache.backend)
  return {
    connection: config,
    store,
    isRenewed: true,
    enter: (client) => (issue.type === 'approle' ? byRole(client) : byToken()),
  }

  async function byToken(): Promise<Token> {
    const { body, numUses } = await new Issuer(own, config, minion, occasion).token({}, false)
    return readToken(tokenFields(body, numUses))
  }

  async function byRole(client: VaultClient): Promise<Token> {
    const issuer = new RoleIssuer(own, config, minion, occasion)
    const { mount, params } = issue.approle
    const roleId = textField(plainData(await issuer.roleId({}, false)), 'role_id')
    if (params.bind_secret_id === false) return loginByRole(client, mount, roleId, null)
    const secretId = textField(plainData((await issuer.secretId({}, false)).body), 'secret_id')
    return loginByRole(client, mount, roleId, secretId)
  }
}
