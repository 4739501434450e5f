// Roles of the auth method approle, their ids, and secret ids, which are cached while they are valid.
import { recover } from '../../../base/mod.ts'
import { type Dict, fromPlain, markSecret, misuse, str, toPlain, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { dataOf, plainData, type VaultAccess } from './access.ts'
import { roleFields } from './approle-fields.ts'
import { listed, unlessMissing } from './approles.ts'
import { asking, given } from './asking.ts'
import { objectAt } from './client.ts'
import { isVaultError, VaultError } from './errors.ts'
import { Leases } from './leases.ts'

const name = arg.text('Name of the AppRole')
const mount = arg.text('Mount of the auth method', { default: 'approle' })
const optional = (doc: string) => arg.any(doc, { optional: true })
const wrap = arg.any('Time for which the answer is wrapped. Default: not wrapped', { default: false })
const secretId = arg.any('The secret id', { optional: true, secret: true })
const accessor = optional('The accessor of the secret id')

const rolePath = (mount: string, name: string): string => `auth/${mount}/role/${name}`

async function roleData(access: VaultAccess, mount: string, name: string): Promise<Dict> {
  return dataOf(await access.get(rolePath(mount, name)))
}

/** Name a secret id in a request: by itself or by its accessor. */
function chosen(secret_id: Value, accessor: Value): { suffix: string; payload: Dict } {
  if (secret_id !== null) return { suffix: '', payload: given({ secret_id }) }
  if (accessor !== null) return { suffix: '-accessor', payload: given({ secret_id_accessor: accessor }) }
  throw misuse('Either secret_id or accessor is required')
}

const keyOf = (mount: Value, name: Value, cache: Value): string =>
  ['secid', mount ?? '*', name ?? '*', cache === true ? 'default' : (cache ?? '*')].map(str).join('.')

/**
 * Return the answer to a request with the accessor of a secret id; Vault before 1.9 reports an unknown accessor as a
 * server error.
 */
async function ifKnown<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (isVaultError(error, 'VaultServerError') && /failed to find accessor entry/.test(error.message))
      throw new VaultError('VaultNotFoundError', error.message)
    throw error
  }
}

/** Return a secret id that is kept, if Vault still knows it and it lasts long enough. */
async function keptSecretId(access: VaultAccess, path: string, key: string, minTtl: Value): Promise<Dict | undefined> {
  const leases = new Leases(access)
  const lease = await leases.get(key, { minTtl: toPlain(minTtl) }, false)
  if (!lease) return undefined
  const payload = given({ secret_id_accessor: str(fromPlain(lease.data['secret_id_accessor'] ?? '')) })
  const asked = access.post(`${path}/secret-id-accessor/lookup`, payload, { isRepeatable: true })
  const found = await unlessMissing(ifKnown(asked))
  if (found && objectAt(found, 'data')['secret_id_accessor'] !== undefined) return fromPlain(lease.data) as Dict
  await leases.forget(key)
  return undefined
}

/** The life of a secret id that never ends, in seconds: it is kept that long. */
const ENDLESS = 10 * 365 * 86_400

async function newSecretId(
  access: VaultAccess,
  path: string,
  payload: Dict,
  kept: { key: string | undefined; wrap: string | false },
): Promise<Dict> {
  const body = await access.post(`${path}/secret-id`, payload, { wrap: kept.wrap })
  if (kept.wrap) return fromPlain(objectAt(body, 'wrap_info')) as Dict
  if (kept.key === undefined) return dataOf(body)
  const ttl = Number(plainData(body)['secret_id_ttl'] ?? 0)
  const lease = new Map(body).set('lease_duration', ttl > 0 ? ttl : ENDLESS)
  return fromPlain((await new Leases(access).store(kept.key, lease, {})).data) as Dict
}

const roles = {
  list: reads({
    doc: 'Return the names of the AppRoles.',
    args: { mount },
    returns: ret.texts('The names'),
    run: (ctx, { mount }) => asking(ctx, (access) => listed(access, `auth/${mount}/role`)),
  }),
  read: reads({
    doc: 'Return an AppRole.',
    args: { name, mount },
    returns: ret.dict('The AppRole'),
    example: 'vault_approle.read web',
    run: (ctx, { name, mount }) => asking(ctx, (access) => roleData(access, mount, name)),
  }),
  write: changes({
    doc: 'Create an AppRole, or change one.',
    args: { name, ...roleFields, mount },
    returns: ret.boolean('True'),
    example: 'vault_approle.write web token_policies=\'["web"]\' secret_id_ttl=1h',
    run: (ctx, { name, mount, ...fields }) =>
      asking(ctx, async (access) => {
        await access.post(rolePath(mount, name), given(fields), { isRepeatable: true })
        return true
      }),
  }),
  delete: changes({
    doc: 'Delete an AppRole.',
    args: { name, mount },
    returns: ret.boolean('True'),
    example: 'vault_approle.delete web',
    run: (ctx, { name, mount }) => asking(ctx, async (access) => (await access.delete(rolePath(mount, name))) && true),
  }),
  get_role_id: reads({
    doc: 'Return the role id of an AppRole.',
    args: { name, wrap, mount },
    returns: ret.string('The role id, or the token that wraps it'),
    example: 'vault_approle.get_role_id web',
    run: (ctx, { name, wrap, mount }) =>
      asking(ctx, async (access) => {
        const path = `${rolePath(mount, name)}/role-id`
        const body = await access.ask({ method: 'GET', path, wrap: wrap === false ? false : str(wrap) })
        const [part, field] = wrap === false ? ['data', 'role_id'] : ['wrap_info', 'token']
        return str(fromPlain(objectAt(body, part!)[field!] ?? ''))
      }),
  }),
}

const secretIds = {
  get_secret_id: changes({
    doc: 'Return a secret id of an AppRole. It is kept, and used again as long as it is valid.',
    args: {
      name,
      metadata: optional('Dict of metadata'),
      cidr_list: optional('Addresses from which it can be used'),
      token_bound_cidrs: optional('Addresses from which its tokens can be used'),
      num_uses: optional('How often it can be used'),
      ttl: optional('Its life'),
      cache: optional('Whether it is kept; a text is the name it is kept under. Default: unless it is wrapped'),
      min_ttl: arg.any('Time for which a kept one must still be valid', { default: 60 }),
      wrap,
      all_data: arg.flag('Return all that Vault tells about it', { default: false }),
      mount,
    },
    returns: ret.any('The secret id, or the token that wraps it'),
    example: 'vault_approle.get_secret_id web',
    run: (ctx, { name, metadata, cache, min_ttl, wrap, all_data, mount, ...fields }) =>
      asking(ctx, async (access) => {
        const isKept = cache === null ? wrap === false : cache !== false
        if (isKept && wrap !== false) throw misuse('Cannot cache wrapped responses. Disable either `wrap` or `cache`.')
        const path = rolePath(mount, name)
        const key = isKept ? keyOf(mount, name, cache === null ? true : cache) : undefined
        const known = key === undefined ? undefined : await keptSecretId(access, path, key, min_ttl)
        const told = metadata === null ? null : JSON.stringify(toPlain(metadata))
        const made = { key, wrap: wrap === false ? (false as const) : str(wrap) }
        const secret = known ?? (await newSecretId(access, path, given({ metadata: told, ...fields }), made))
        markSecret(new Map([...secret].filter(([field]) => field === 'secret_id' || field === 'token')))
        return all_data ? secret : str(secret.get('secret_id') ?? secret.get('token') ?? '')
      }),
  }),
  lookup_secret_id: reads({
    doc: 'Return the data of Vault about a secret id.',
    args: { name, secret_id: secretId, accessor, mount },
    returns: ret.dict('Accessor, times, uses and metadata'),
    example: 'vault_approle.lookup_secret_id web accessor=0a1b',
    run: (ctx, { name, secret_id, accessor, mount }) =>
      asking(ctx, async (access) => {
        const { suffix, payload } = chosen(secret_id, accessor)
        const path = `${rolePath(mount, name)}/secret-id${suffix}/lookup`
        const found = dataOf(await ifKnown(access.post(path, payload, { isRepeatable: true })))
        // Vault answers with nothing for a secret id that it does not know
        if (found.size === 0) throw new VaultError('VaultNotFoundError', 'The secret id does not exist')
        return found
      }),
  }),
  destroy_secret_id: changes({
    doc: 'Destroy a secret id.',
    args: { name, secret_id: secretId, accessor, mount },
    returns: ret.boolean('True'),
    example: 'vault_approle.destroy_secret_id web accessor=0a1b',
    run: (ctx, { name, secret_id, accessor, mount }) =>
      asking(ctx, async (access) => {
        const { suffix, payload } = chosen(secret_id, accessor)
        await access.post(`${rolePath(mount, name)}/secret-id${suffix}/destroy`, payload, { isRepeatable: true })
        return true
      }),
  }),
  list_cached: reads({
    doc: 'Return data about the secret ids that are kept, without the secret ids themselves.',
    args: {
      name: optional('Only those of this AppRole'),
      cache: optional('Only those kept under this name'),
      mount: optional('Only those of this mount'),
    },
    returns: ret.dict('Facts by the keys of the cache'),
    run: (ctx, { name, cache, mount }) =>
      asking(ctx, async (access) => {
        const leases = new Leases(access)
        const found = leases.keys(keyOf(mount, name, cache)).map((key) => [key, leases.info(key)])
        return fromPlain(Object.fromEntries(found)) as Dict
      }),
  }),
  clear_cached: changes({
    doc: 'Destroy secret ids that are kept, and forget them.',
    args: {
      name: optional('Only those of this AppRole'),
      cache: optional('Only those kept under this name'),
      mount: optional('Only those of this mount'),
      flush_on_failure: arg.flag('Whether they are forgotten also if they cannot be destroyed', { default: true }),
    },
    returns: ret.boolean('True; otherwise an error names those that were not destroyed'),
    run: (ctx, { name, cache, mount, flush_on_failure }) =>
      asking(ctx, async (access) => {
        const leases = new Leases(access)
        const failed: string[] = []
        for (const key of leases.keys(keyOf(mount, name, cache))) {
          const isDestroyed = await destroyKept(access, leases, key)
          if (!isDestroyed) failed.push(key)
          if (isDestroyed || flush_on_failure) await leases.forget(key)
        }
        if (failed.length > 0)
          throw new VaultError('VaultException', `Failed deleting some SecretIDs: ${failed.join(', ')}`)
        return true
      }),
  }),
}

/** Destroy a secret id that is kept; false when this identity may not. */
async function destroyKept(access: VaultAccess, leases: Leases, key: string): Promise<boolean> {
  const [, mount = '', name = ''] = key.split('.')
  const payload = given({ secret_id_accessor: str(fromPlain(leases.data(key)['secret_id_accessor'] ?? '')) })
  return recover(
    (error) => error instanceof VaultError && error.code === 'VaultPermissionDeniedError',
    false,
    async () => {
      await unlessMissing(ifKnown(access.post(`${rolePath(mount, name)}/secret-id-accessor/destroy`, payload)))
      return true
    },
  )
}

export default defineModule({
  name: 'vault_approle',
  doc: 'AppRoles of Vault.',
  functions: { ...roles, ...secretIds },
})
