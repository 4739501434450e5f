// Tokens by one's own configuration: a token, a file with one, a wrapped one, or an approle.
import { fromPlain, isPlainObject, markTexts, str } from '../../../data/mod.ts'
import type { Entrance } from './access.ts'
import { objectAt, type Surroundings, type VaultClient } from './client.ts'
import { type AuthConfig, type Json, requireConnection, type VaultConfig } from './config.ts'
import { isVaultError, VaultError } from './errors.ts'
import { readSecretId, readToken, type Token } from './records.ts'
import { type Store, storeOf } from './store.ts'
import { CREATION, unwrap, unwrapped, unwrappedText, wrappingToken } from './unwrap.ts'

/** Return the tokens for a process with the configuration. */
export async function localEntrance(parts: Surroundings, config: VaultConfig): Promise<Entrance> {
  requireConnection(config)
  const { server, auth, cache } = config
  const store = await storeOf(parts, 'own', [server, auth], cache.backend)
  return {
    connection: config,
    store,
    isRenewed: auth.method === 'approle' || auth.tokenFile !== null,
    enter: (client) =>
      auth.method === 'approle' ? enterByRole(parts, client, auth, store) : enterByToken(parts, client, auth),
  }
}

/** Return a configured value; a reference is fetched. */
async function resolved(parts: Surroundings, value: Json): Promise<Json> {
  if (typeof value !== 'string' || !value.startsWith('sdb://')) return value
  const found = await parts.fetch(value)
  return typeof found === 'string' ? found : str(found ?? '')
}

async function enterByToken(parts: Surroundings, client: VaultClient, auth: AuthConfig): Promise<Token> {
  const given = await configuredToken(parts, auth)
  if (auth.method === 'wrapped_token' || wrappingToken(given) !== undefined) {
    const wrapping = wrappingToken(given) ?? String(given)
    return readToken(unwrapped(await unwrap(client, wrapping, CREATION.token)))
  }
  if (isPlainObject(given)) return readToken(given as Record<string, Json>)
  const token = String(given)
  markTexts([token])
  try {
    const fields = objectAt(await client.ask({ method: 'GET', path: 'auth/token/lookup-self', token }), 'data')
    return { ...readToken(fields), id: token }
  } catch (error) {
    if (!isVaultError(error, 'VaultPermissionDeniedError')) throw error
    // expired, wrong, or without the right to look itself up: the request itself reports it
    parts.log('debug', 'Vault: the configured token could not be looked up')
    return readToken({ client_token: token })
  }
}

async function configuredToken(parts: Surroundings, { token, tokenFile }: AuthConfig): Promise<Json> {
  if (token !== null) return resolved(parts, token)
  const text = new TextDecoder().decode(await parts.host.read(tokenFile!)).trim()
  if (text === '') throw new VaultError('InvalidConfigError', `${tokenFile} holds no token`)
  return text
}

/** Log in with a role id and a secret id. */
export async function loginByRole(
  client: VaultClient,
  mount: string,
  roleId: string,
  secretId: string | null,
): Promise<Token> {
  const payload = fromPlain({ role_id: roleId, ...(secretId !== null && { secret_id: secretId }) })
  const body = await client.ask({ method: 'POST', path: `auth/${mount}/login`, payload })
  return readToken(objectAt(body, 'auth'))
}

async function enterByRole(parts: Surroundings, client: VaultClient, auth: AuthConfig, store: Store): Promise<Token> {
  const { approleMount, approleName } = auth
  const role = await resolved(parts, auth.roleId)
  const roleId =
    store.kept.roleId ??
    String((await unwrappedText(client, role, 'role_id', CREATION.roleId(approleMount, approleName))).role_id ?? '')
  // a wrapped value cannot be unwrapped again
  if (wrappingToken(role) !== undefined) await store.save({ roleId })
  return loginByRole(client, approleMount, roleId, await ownSecretId(parts, client, auth, store))
}

async function ownSecretId(
  parts: Surroundings,
  client: VaultClient,
  auth: AuthConfig,
  store: Store,
): Promise<string | null> {
  const secret = await resolved(parts, auth.secretId)
  if (secret === null || secret === false || secret === '') return null
  const known = store.kept.secretId
  if (known) return known.id
  const creation = CREATION.secretId(auth.approleMount, auth.approleName)
  const fields = await unwrappedText(client, secret, 'secret_id', creation)
  const read = readSecretId(fields)
  markTexts([read.id])
  if (wrappingToken(secret) !== undefined) await store.save({ secretId: read })
  return read.id
}
