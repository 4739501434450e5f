// Wrapped answers: a single-use token for the actual answer. Before it is used, the server is asked which request
// created it, so that a replaced token is detected.
import { type Dict, fromPlain, isPlainObject, toPlain } from '../../../data/mod.ts'
import { objectAt, type VaultClient } from './client.ts'
import type { Json, JsonObject } from './config.ts'
import { VaultError } from './errors.ts'

/** Return the wrapping token of `{wrap_info: {token: …}}`; undefined for anything else. */
export function wrappingToken(value: Json | undefined): string | undefined {
  const info = isPlainObject(value) ? (value as JsonObject).wrap_info : undefined
  const token = isPlainObject(info) ? (info as JsonObject).token : undefined
  return typeof token === 'string' ? token : undefined
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** The requests that may have made a wrapped answer. */
export const CREATION = {
  token: /^auth\/token\/create(\/[^/]+)?$/,
  secretId: (mount: string, name: string) => new RegExp(`^auth/${escaped(mount)}/role/${escaped(name)}/secret-id$`),
  roleId: (mount: string, name: string) => new RegExp(`^auth/${escaped(mount)}/role/${escaped(name)}/role-id$`),
}

/** Return the answer of a wrapping token. */
export async function unwrap(client: VaultClient, token: string, creation?: RegExp): Promise<Dict> {
  if (creation) {
    const looked = await wrapping(
      client.ask({ method: 'POST', path: 'sys/wrapping/lookup', payload: fromPlain({ token }) }),
    )
    const path = String(objectAt(looked, 'data').creation_path ?? '')
    if (!creation.test(path)) {
      throw new VaultError(
        'VaultUnwrapException',
        `A wrapped answer of Vault was not made by the request that is expected: it comes from '${path}'. Somebody may have exchanged it`,
      )
    }
  }
  return wrapping(client.ask({ method: 'POST', path: 'sys/wrapping/unwrap', token }))
}

/** Explain a refused wrapping token. */
async function wrapping(asked: Promise<Dict>): Promise<Dict> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof VaultError) || !['VaultInvocationError', 'VaultPermissionDeniedError'].includes(error.code))
      throw error
    throw new VaultError(
      'VaultUnwrapException',
      `A wrapped answer of Vault cannot be unwrapped (${error.message}): it is too old, or somebody has used it already`,
    )
  }
}

/** Return the fields of an unwrapped answer: those of a login, or the data. */
export function unwrapped(body: Dict): JsonObject {
  const auth = objectAt(body, 'auth')
  return Object.keys(auth).length > 0 ? auth : objectAt(body, 'data')
}

/** Return a configured text, unwrapping it if needed: then the named field of the wrapped data. */
export async function unwrappedText(
  client: VaultClient,
  value: Json,
  field: string,
  creation?: RegExp,
): Promise<JsonObject> {
  const token = wrappingToken(value)
  if (token !== undefined) return unwrapped(await unwrap(client, token, creation))
  return isPlainObject(value) ? (toPlain(fromPlain(value)) as JsonObject) : { [field]: String(value) }
}
