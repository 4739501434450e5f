// Approles and entities that a master keeps for its minions: one of each, named after the minion.
import { recover } from '../../../base/mod.ts'
import { type Dict, fromPlain, isList, str, toPlain, type Value } from '../../../data/mod.ts'
import { plainData, type VaultAccess } from './access.ts'
import { objectAt } from './client.ts'
import type { JsonObject } from './config.ts'
import { isVaultError, VaultError } from './errors.ts'
import { Issuer, textField } from './issue.ts'

/** Return the answer of a request; undefined if its path does not exist. */
export async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  return recover(
    (error) => isVaultError(error, 'VaultNotFoundError'),
    undefined,
    () => asked,
  )
}

export const entityName = (id: string): string => `salt_minion_${id}`

/** Return the names that a listing has. */
export async function listed(access: VaultAccess, path: string): Promise<string[]> {
  const body = await unlessMissing(access.list(path))
  const keys = body === undefined ? [] : (plainData(body).keys ?? [])
  return Array.isArray(keys) ? keys.map(String) : []
}

export class RoleIssuer extends Issuer {
  private get mount(): string {
    return this.config.issue.approle.mount
  }

  private get path(): string {
    return `auth/${this.mount}/role/${this.minion.id}`
  }

  /** Return the approle of the minion as Vault has it. */
  async read(): Promise<JsonObject | undefined> {
    const body = await unlessMissing(this.access.get(this.path))
    return body && plainData(body)
  }

  /** Create the approle, or update it to the present configuration. */
  async manage(wanted: JsonObject): Promise<void> {
    const params = fromPlain(this.parameters('approle', wanted)) as Dict
    const payload = new Map<Value, Value>([...params, ['token_policies', await this.freshPolicies()]])
    await this.access.post(this.path, payload, { isRepeatable: true })
  }

  /** Return the role id, of an approle that is as it should be. */
  async roleId(wanted: JsonObject, wrap: string | false): Promise<Dict> {
    const role = await this.read()
    if (!role || !this.fits(role, wanted)) await this.manage(wanted)
    if (!role) await this.manageEntity()
    return this.access.ask({ method: 'GET', path: `${this.path}/role-id`, wrap })
  }

  /** Whether an approle has the parameters that it would get now. */
  private fits(role: JsonObject, wanted: JsonObject): boolean {
    const params = this.parameters('approle', wanted)
    return Object.entries(params).every(([name, value]) => JSON.stringify(role[name] ?? null) === JSON.stringify(value))
  }

  /** Return a secret id, and how often it can be used. */
  async secretId(wanted: JsonObject, wrap: string | false): Promise<{ body: Dict; numUses: number }> {
    let role = await this.read()
    if (!role) throw new VaultError('VaultNotFoundError', `No AppRole found for minion ${this.minion.id}.`)
    if (!this.fits(role, wanted)) {
      await this.manage(wanted)
      role = (await this.read()) ?? role
    }
    if (role.bind_secret_id === false)
      throw new VaultError('VaultConfigExpired', 'Minion AppRole does not require a secret ID.')
    const metadata = JSON.stringify(toPlain(await this.metadata(this.config.metadata.secret)))
    const body = await this.access.post(`${this.path}/secret-id`, fromPlain({ metadata }), { wrap })
    return { body, numUses: Number(role.secret_id_num_uses ?? 0) }
  }

  /** Create or update the entity, and tie the approle to it. */
  async manageEntity(): Promise<void> {
    const name = entityName(this.minion.id)
    const metadata = await this.metadata(this.config.metadata.entity)
    await this.access.post(`identity/entity/name/${name}`, new Map<Value, Value>([['metadata', metadata]]), {
      isRepeatable: true,
    })
    await this.tieEntity()
  }

  /** Tie the approle to the entity unless it is tied already. */
  async tieEntity(): Promise<void> {
    const name = entityName(this.minion.id)
    const roleId = textField(plainData(await this.access.get(`${this.path}/role-id`)), 'role_id')
    const accessor = await this.accessor()
    const lookup = fromPlain({ alias_name: roleId, alias_mount_accessor: accessor })
    const found = await this.access.post('identity/lookup/entity', lookup, { isRepeatable: true })
    if (textField(objectAt(found, 'data'), 'name') === name) return
    const entity = plainData(await this.access.get(`identity/entity/name/${name}`))
    const alias = fromPlain({ name: roleId, canonical_id: textField(entity, 'id'), mount_accessor: accessor })
    await this.access.post('identity/entity-alias', alias)
  }

  private async accessor(): Promise<string> {
    const mounts = objectAt(await this.access.get('sys/auth'), 'data')
    const mount = mounts[`${this.mount}/`] as JsonObject | undefined
    if (!mount)
      throw new VaultError('VaultException', `Vault has no auth method at '${this.mount}' (vault:issue:approle:mount)`)
    return textField(mount, 'accessor')
  }

  async remove(): Promise<{ hadEntity: boolean }> {
    const entity = `identity/entity/name/${entityName(this.minion.id)}`
    const hadEntity = (await unlessMissing(this.access.get(entity))) !== undefined
    if (hadEntity) await this.access.delete(entity)
    await this.access.delete(this.path)
    return { hadEntity }
  }
}

/** Return the ids of a value that names minions: one id, or a list. */
export const idsIn = (value: Value): string[] => (isList(value) ? value.map(str) : [str(value)])
