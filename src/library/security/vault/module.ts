// Functions for secrets and policies of Vault and OpenBao. docs/vault.md says how a master and its minions are configured.
import { fromPlain, isFailure, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { dataOf } from './access.ts'
import { unlessMissing } from './approles.ts'
import { clearCache, updateConfig } from './caches.ts'
import type { Question } from './client.ts'
import { vaultAccess } from './connect.ts'
import { functionError, isVaultError, shownError, VaultError } from './errors.ts'
import type { Kv } from './kv.ts'
import { fieldOf, kvOf, readSecret, readSecretOrField } from './secrets.ts'

/** Default of an argument for which None has a meaning. */
const NOT_SET = '__not_set__'

const path = arg.text('Path of the secret, with its mount: `secret/my/secret`')
const all_versions = arg.flag('Whether all versions are meant', { default: false })
const further = arg.ignored()
const done = ret.boolean('True, or False if it failed: the log and the hints of the job say why')

const isUnset = (value: Value): boolean => value === NOT_SET

/** Run work on secrets; like Salt, return False if it fails, and report the reason as a hint. */
async function attempted<T extends Value>(
  ctx: FunctionContext,
  what: string,
  work: (kv: Kv) => Promise<T>,
): Promise<T | false> {
  try {
    return await work(await kvOf(ctx))
  } catch (error) {
    if (!(error instanceof VaultError) && !isFailure(error)) throw error
    const text = `Failed to ${what}! ${shownError(error)}`
    ctx.log('error', text)
    ctx.hint({ level: 'error', text })
    return false
  }
}

/** Run work whose failure is an error. */
async function failing<T>(work: () => Promise<T>, what = ''): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof VaultError) throw functionError(error, what)
    throw error
  }
}

/**
 * Return the result, or the given default if the secret does not exist or may not be read. An error of the server is
 * thrown.
 */
async function orDefault(
  ctx: FunctionContext,
  otherwise: Value,
  what: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    const isMissing = isVaultError(error, 'VaultNotFoundError')
    if (isUnset(otherwise) || !(isMissing || isVaultError(error, 'VaultPermissionDeniedError'))) {
      throw functionError(error, `${what} `)
    }
    ctx.log(isMissing ? 'debug' : 'warning', `${what} ${shownError(error)}`)
    return otherwise
  }
}

async function readOne(
  ctx: FunctionContext,
  args: { path: string; key: Value; metadata: boolean; version: Value; isStrict: boolean },
) {
  const { path, key, version, isStrict } = args
  const kv = await kvOf(ctx)
  if (key !== null) return fieldOf(await readSecret(kv, path, { version }), key, path)
  if (args.metadata || version !== null || !isStrict) return readSecret(kv, path, { metadata: args.metadata, version })
  return readSecretOrField(kv, path)
}

const secrets = {
  read_secret: reads({
    doc: 'Return a secret, or one of its fields. Where there is no secret at the path, the last part of the path may name a field of the secret above it.',
    args: {
      path,
      key: arg.any('Field of the secret; all fields unless given', { optional: true }),
      metadata: arg.flag('Whether the metadata of version 2 is returned as well', { default: false }),
      default: arg.any('Value if there is no such secret or field; otherwise that is an error', { default: NOT_SET }),
      version: arg.any('Version to read; the latest unless given', { optional: true }),
    },
    returns: ret.any('The secret as a dict, or the value of the field'),
    example: 'vault.read_secret secret/my/secret password',
    run: (ctx, { path, key, metadata, default: otherwise, version }) =>
      orDefault(ctx, otherwise, 'Failed to read secret!', () =>
        readOne(ctx, { path, key, metadata, version, isStrict: isUnset(otherwise) }),
      ),
  }),
  read_secret_meta: reads({
    doc: 'Return the metadata of a secret and of its versions. The engine must be kv version 2.',
    args: { path },
    returns: ret.orFalse(ret.dict('The metadata')),
    example: 'vault.read_secret_meta secret/my/secret',
    run: (ctx, { path }) => attempted(ctx, 'read secret metadata', (kv) => kv.readMeta(path)),
  }),
  list_secrets: reads({
    doc: 'Return the names of the secrets at a path.',
    args: {
      path: arg.text('Path, with its mount'),
      default: arg.any('Value if there is no such path; otherwise that is an error', { default: NOT_SET }),
      keys_only: arg.flag('Whether the list alone is returned', { default: false }),
    },
    returns: ret.any('`{keys: […]}`, or the list with `keys_only`'),
    example: 'vault.list_secrets secret/my/',
    run: (ctx, { path, default: otherwise, keys_only }) =>
      orDefault(ctx, otherwise, 'Failed to list secrets!', async () => {
        const keys = await (await kvOf(ctx)).list(path)
        return keys_only ? keys : new Map<Value, Value>([['keys', keys]])
      }),
  }),
}

const writing = {
  write_secret: changes({
    doc: 'Write a secret. Further keywords are its fields.',
    args: { path, fields: arg.open('Fields of the secret') },
    returns: ret.any('What Vault says about the new version, or True; False if it failed'),
    example: 'vault.write_secret secret/my/secret user=foo password=bar',
    run: (ctx, { path, fields }) =>
      attempted(ctx, 'write secret', (kv) => kv.write(path, new Map<Value, Value>(fields))),
  }),
  write_raw: changes({
    doc: 'Write a secret whose fields are given as one value.',
    args: { path, raw: arg.any('Fields of the secret', { secret: true }) },
    returns: ret.any('What Vault says about the new version, or True; False if it failed'),
    example: `vault.write_raw secret/my/secret '{"user": "foo", "password": "bar"}'`,
    run: (ctx, { path, raw }) => attempted(ctx, 'write secret', (kv) => kv.write(path, raw)),
  }),
  patch_secret: changes({
    doc: 'Change fields of a secret that exists; a field that is None is removed.',
    args: { path, fields: arg.open('Fields of the secret') },
    returns: ret.any('What Vault says about the new version, or True; False if it failed'),
    example: 'vault.patch_secret secret/my/secret password=baz',
    run: (ctx, { path, fields }) =>
      attempted(ctx, 'patch secret', (kv) => kv.patch(path, new Map<Value, Value>(fields))),
  }),
  patch_raw: changes({
    doc: 'Change a secret that exists by one value: dicts are merged, and None removes.',
    args: { path, raw: arg.any('Changes of the secret', { secret: true }) },
    returns: ret.any('What Vault says about the new version, or True; False if it failed'),
    example: `vault.patch_raw secret/my/secret '{"password": "baz"}'`,
    run: (ctx, { path, raw }) => attempted(ctx, 'patch secret', (kv) => kv.patch(path, raw)),
  }),
  delete_secret: changes({
    doc: 'Delete a secret. With kv version 2 a deleted version can be restored.',
    args: { path, versions: arg.rest('Versions to delete; the latest unless given'), all_versions, further },
    returns: done,
    example: 'vault.delete_secret secret/my/secret',
    run: (ctx, { path, versions, all_versions }) =>
      attempted(ctx, 'delete secret', (kv) => kv.delete(path, versions, all_versions)),
  }),
  restore_secret: changes({
    doc: 'Restore deleted versions of a secret. The engine must be kv version 2.',
    args: { path, versions: arg.rest('Versions to restore; the latest unless given'), all_versions, further },
    returns: ret.boolean('True'),
    example: 'vault.restore_secret secret/my/secret 1 2',
    run: (ctx, { path, versions, all_versions }) =>
      failing(async () => (await kvOf(ctx)).restore(path, versions, all_versions)),
  }),
  destroy_secret: changes({
    doc: 'Remove versions of a secret for good.',
    args: { path, versions: arg.rest('Versions to destroy; the latest unless given'), all_versions, further },
    returns: done,
    example: 'vault.destroy_secret secret/my/secret 1 2',
    run: (ctx, { path, versions, all_versions }) =>
      attempted(ctx, 'destroy secret', (kv) => kv.destroy(path, versions, all_versions)),
  }),
  wipe_secret: changes({
    doc: 'Remove a secret with its metadata and all of its versions.',
    args: { path },
    returns: done,
    example: 'vault.wipe_secret secret/my/secret',
    run: (ctx, { path }) => attempted(ctx, 'wipe secret', (kv) => kv.wipe(path)),
  }),
}

const policyPath = (name: string): string => `sys/policy/${name}`
const policy = arg.text('Name of the policy')

const policies = {
  policy_fetch: reads({
    doc: 'Return the rules of a policy.',
    args: { policy },
    returns: ret.optional(ret.string('The rules; None if there is no such policy')),
    example: 'vault.policy_fetch salt_minion',
    run: (ctx, { policy }) =>
      failing(async () => {
        const body = await unlessMissing((await vaultAccess(ctx)).get(policyPath(policy)))
        const rules = body?.get('rules') ?? (body && dataOf(body).get('rules')) ?? null
        return rules === null ? null : str(rules)
      }),
  }),
  policy_write: changes({
    doc: 'Create a policy, or give it other rules.',
    args: { policy, rules: arg.text('Rules in HCL or JSON') },
    returns: ret.boolean('True'),
    example: `vault.policy_write salt_minion 'path "secret/foo" {...}'`,
    run: (ctx, { policy, rules }) =>
      failing(async () => {
        await (await vaultAccess(ctx)).ask({
          method: 'PUT',
          path: policyPath(policy),
          payload: fromPlain({ policy: rules }),
        })
        return true
      }),
  }),
  policy_delete: changes({
    doc: 'Delete a policy.',
    args: { policy },
    returns: ret.boolean('False if there was no such policy'),
    example: 'vault.policy_delete salt_minion',
    run: (ctx, { policy }) =>
      failing(async () => (await unlessMissing((await vaultAccess(ctx)).delete(policyPath(policy)))) !== undefined),
  }),
  policies_list: reads({
    doc: 'Return the names of all policies.',
    returns: ret.list('The names'),
    run: (ctx) =>
      failing(async () => {
        const body = await (await vaultAccess(ctx)).get('sys/policy')
        const found = body.get('policies') ?? dataOf(body).get('policies') ?? []
        return Array.isArray(found) ? found : []
      }),
  }),
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'LIST'])

const other = {
  query: changes({
    doc: 'Send a request to any path of Vault.',
    args: {
      method: arg.text('GET, POST, PUT, PATCH, DELETE or LIST'),
      endpoint: arg.text('Path below `/v1/`'),
      payload: arg.any('Body of the request', { optional: true }),
    },
    returns: ret.any('The answer; True for an empty one'),
    example: 'vault.query GET auth/token/lookup-self',
    run: (ctx, { method, endpoint, payload }) =>
      failing(async () => {
        const verb = method.toUpperCase()
        if (!METHODS.has(verb)) throw new VaultError('VaultInvocationError', `${method} is no method of Vault`)
        const path = endpoint.replace(/^\/?(v1\/)?/, '')
        const body = await (await vaultAccess(ctx)).ask({
          method: verb as Question['method'],
          path,
          ...(payload !== null && { payload }),
        })
        return body.size > 0 ? body : true
      }),
  }),
  get_server_config: reads({
    doc: 'Return the server that this minion uses.',
    returns: ret.dict('`url`, `verify` and `namespace`'),
    run: (ctx) =>
      failing(async () => {
        const { url, verify, namespace } = (await vaultAccess(ctx)).connection.server
        return { url, verify, namespace }
      }),
  }),
  update_config: changes({
    doc: 'Fetch the configuration of the master again.',
    args: { keep_session: arg.flag('Whether the token is kept in any case', { default: false }) },
    returns: ret.boolean('Whether the configuration is the present one of the master'),
    run: (ctx, { keep_session }) => failing(() => updateConfig(ctx, keep_session)),
  }),
  clear_cache: changes({
    doc: 'Forget the token, the configuration of the master and the leases; give the token back.',
    args: {
      connection: arg.flag('Whether the configuration of the master is forgotten', { default: true }),
      session: arg.flag('Whether only the token and the leases are forgotten', { default: false }),
    },
    returns: ret.boolean('True'),
    run: (ctx, { connection, session }) => failing(() => clearCache(ctx, { connection, session })),
  }),
  clear_token_cache: changes({
    doc: 'Forget the token and what came with it.',
    returns: ret.boolean('True'),
    run: (ctx) => failing(() => clearCache(ctx, { connection: true, session: false })),
  }),
}

export default defineModule({
  name: 'vault',
  doc: 'Read and write secrets and policies of Vault.',
  functions: { ...secrets, ...writing, ...policies, ...other },
})
