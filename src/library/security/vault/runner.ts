// Credentials for minions, which minions request by `peer_run`, and the management of issued ones.
import { recover } from '../../../base/mod.ts'
import {
  type Dict,
  dictFrom,
  fromPlain,
  isDict,
  isPlainObject,
  SaltError,
  str,
  toPlain,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  defineRunner,
  joinPaths,
  type MasterContext,
  type MasterFunction,
  masterFn,
  option,
  rawOption,
} from '../../../sdk/mod.ts'
import { plainData } from './access.ts'
import { entityName, idsIn, listed, RoleIssuer, unlessMissing } from './approles.ts'
import { type Surroundings, VaultClient } from './client.ts'
import type { Json, JsonObject, VaultConfig } from './config.ts'
import { configOf, ownAccess } from './connect.ts'
import { isVaultError, shownError, VaultError } from './errors.ts'
import { forgetPolicies, serverFields, tokenFields, wrapInfo } from './issue.ts'
import { minionData } from './minion-data.ts'
import { proveMinion } from './proof.ts'
import { forgetStores } from './store.ts'

const surroundings = (ctx: MasterContext): Surroundings => {
  const { opts, log, host, http } = ctx
  return { opts, log, host, http, fetch: (uri) => ctx.function('sdb.get', [uri, true]) }
}

/**
 * Return the issuer of a minion's credentials. The policies of an approle are computed rarely, from the pillar of that
 * moment.
 */
async function issuerFor(
  ctx: MasterContext,
  id: string,
  config: VaultConfig,
  refresh = config.issue.type === 'approle' ? true : config.policies.refreshPillar,
): Promise<RoleIssuer> {
  const own = await ownAccess(surroundings(ctx), config)
  return new RoleIssuer(own, config, minionData(ctx, id, refresh), { jid: ctx.jid, user: ctx.user })
}

const request = {
  minion_id: arg.text('Id of the minion'),
  signature: arg.any('Signature of the id by the key of the minion, or of the master', { secret: true }),
  impersonated_by_master: arg.flag('Whether the master has signed', { default: false }),
}
const issue_params = arg.any('Parameters that the minion wants, if the master lets it choose', { optional: true })

interface Asked {
  minion_id: string
  signature: Value
  impersonated_by_master: boolean
}

const wishes = (value: Value): JsonObject => (isDict(value) ? (toPlain(value) as JsonObject) : {})

/** Answer a minion with a proven identity; later errors are part of the answer. */
async function answering(
  ctx: MasterContext,
  { minion_id: id, signature, impersonated_by_master: isMaster }: Asked,
  work: (config: VaultConfig) => Promise<JsonObject>,
): Promise<Dict> {
  const config = configOf(ctx)
  try {
    await proveMinion(ctx, config, { id, signature, isMaster })
    return fromPlain(await work(config)) as Dict
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    ctx.log('error', `Vault: nothing is issued to ${id}: ${shownError(error)}`)
    const isOld = isVaultError(error, 'VaultConfigExpired') || isVaultError(error, 'VaultNotFoundError')
    return fromPlain({ ...(isOld && { expire_cache: true }), error: shownError(error) }) as Dict
  }
}

const notIssued = (what: string): VaultError => new VaultError('VaultConfigExpired', what)

async function newToken(ctx: MasterContext, config: VaultConfig, id: string, params: Value): Promise<JsonObject> {
  if (config.issue.type !== 'token') throw notIssued('Master does not issue tokens.')
  const { wrap } = config.issue
  const { body, numUses } = await (await issuerFor(ctx, id, config)).token(wishes(params), wrap)
  const server = serverFields(config)
  return wrap
    ? { server, auth: {}, ...wrapInfo(body), misc_data: { num_uses: numUses } }
    : { server, auth: tokenFields(body, numUses) }
}

async function configFor(
  ctx: MasterContext,
  config: VaultConfig,
  id: string,
  params: Value,
  isConfigOnly: boolean,
): Promise<JsonObject> {
  const { type, wrap, approle } = config.issue
  const raw = rawOption(ctx.opts, 'vault')
  const given = isDict(raw) ? (toPlain(raw) as JsonObject) : {}
  const { minimumTtl, renewIncrement } = config.auth
  const auth: JsonObject = {
    method: type,
    token_lifecycle: { minimum_ttl: minimumTtl, renew_increment: renewIncrement },
  }
  const cache = { ...(isPlainObject(given.cache) ? (given.cache as JsonObject) : {}), backend: config.cache.backend }
  const answer: JsonObject = {
    auth,
    cache,
    client: given.client ?? {},
    server: serverFields(config),
    wrap_info_nested: [],
  }
  const issuer = await issuerFor(ctx, id, config)
  const nested: Json[] = []
  if (type === 'token' && !isConfigOnly) {
    const { body, numUses } = await issuer.token(wishes(params), wrap)
    auth.token = wrap ? wrapInfo(body) : tokenFields(body, numUses)
    if (wrap) nested.push('auth:token')
    answer.misc_data = { 'token:num_uses': numUses }
  } else if (type === 'approle') {
    const body = await issuer.roleId(wishes(params), wrap)
    auth.approle_mount = approle.mount
    auth.approle_name = id
    auth.secret_id = approle.params.bind_secret_id !== false
    auth.role_id = wrap ? wrapInfo(body) : (plainData(body).role_id ?? null)
    if (wrap) nested.push('auth:role_id')
  }
  return { ...answer, wrap_info_nested: nested }
}

const issuing = {
  generate_token: masterFn({
    doc: 'Create a token for a minion, as minions of Salt up to 3006 ask for it.',
    args: {
      ...request,
      ttl: arg.any('Life of the token', { optional: true }),
      uses: arg.any('Number of uses of the token', { optional: true }),
      upgrade_request: arg.flag('Whether the answer is that of `get_config`', { default: false }),
    },
    isSecret: true,
    run: (ctx, { ttl, uses, upgrade_request, ...asked }) =>
      answering(ctx, asked, async (config) => {
        const params = dictFrom({ explicit_max_ttl: ttl, num_uses: uses })
        if (upgrade_request) return configFor(ctx, config, asked.minion_id, params, false)
        const { body, numUses } = await (await issuerFor(ctx, asked.minion_id, config)).token(wishes(params), false)
        const token = tokenFields(body, numUses)
        return {
          token: token.client_token!,
          lease_duration: token.lease_duration!,
          renewable: token.renewable!,
          issued: token.creation_time!,
          url: config.server.url,
          verify: config.server.verify,
          token_backend: config.cache.backend,
          namespace: config.server.namespace,
          uses: token.num_uses!,
        }
      }),
  }),
  generate_new_token: masterFn({
    doc: 'Create a token for a minion.',
    args: { ...request, issue_params },
    isSecret: true,
    run: (ctx, { issue_params, ...asked }) =>
      answering(ctx, asked, (config) => newToken(ctx, config, asked.minion_id, issue_params)),
  }),
  get_config: masterFn({
    doc: 'Return the configuration of a minion, with a token or the id of its approle.',
    args: { ...request, issue_params, config_only: arg.flag('Whether no token is created', { default: false }) },
    isSecret: true,
    run: (ctx, { issue_params, config_only, ...asked }) =>
      answering(ctx, asked, (config) => configFor(ctx, config, asked.minion_id, issue_params, config_only)),
  }),
  get_role_id: masterFn({
    doc: 'Return the role id of the approle of a minion.',
    args: { ...request, issue_params },
    isSecret: true,
    run: (ctx, { issue_params, ...asked }) =>
      answering(ctx, asked, async (config) => {
        if (config.issue.type !== 'approle') throw notIssued('Master does not issue AppRoles.')
        const { wrap } = config.issue
        const body = await (await issuerFor(ctx, asked.minion_id, config)).roleId(wishes(issue_params), wrap)
        const server = serverFields(config)
        return wrap
          ? { server, data: {}, ...wrapInfo(body) }
          : { server, data: { role_id: plainData(body).role_id ?? null } }
      }),
  }),
  generate_secret_id: masterFn({
    doc: 'Create a secret id for the approle of a minion.',
    args: { ...request, issue_params },
    isSecret: true,
    run: (ctx, { issue_params, ...asked }) =>
      answering(ctx, asked, async (config) => {
        if (config.issue.type !== 'approle') throw notIssued('Master does not issue AppRoles nor secret IDs.')
        const { wrap } = config.issue
        const { body, numUses } = await (await issuerFor(ctx, asked.minion_id, config)).secretId(
          wishes(issue_params),
          wrap,
        )
        const misc_data = { secret_id_num_uses: numUses }
        const server = serverFields(config)
        return wrap ? { server, data: {}, ...wrapInfo(body), misc_data } : { server, data: plainData(body), misc_data }
      }),
  }),
}

const issuesRoles = (ctx: MasterContext): VaultConfig => {
  const config = configOf(ctx)
  if (config.issue.type !== 'approle')
    throw new SaltError('SaltRunnerError', 'Master does not issue AppRoles to minions.')
  return config
}

const knownMinions = (ctx: MasterContext): Promise<string[]> =>
  ctx.host.list(joinPaths(option(ctx.opts, 'pki_dir'), 'minions'))

const which = {
  minions: arg.any('Id or list of ids; all that are known unless given', { optional: true }),
  up: arg.flag('Whether minions that are up are meant', { default: false }),
  down: arg.flag('Whether minions that are down are meant', { default: false }),
}

/** Run work for each targeted minion that has an approle. */
async function forRoles(
  ctx: MasterContext,
  { minions, up, down }: { minions: Value; up: boolean; down: boolean },
  work: (issuer: RoleIssuer) => Promise<void>,
): Promise<true> {
  const config = issuesRoles(ctx)
  const meant = new Set<string>()
  if (minions !== null) for (const id of idsIn(minions)) meant.add(id)
  else if (!up && !down) for (const id of await knownMinions(ctx)) meant.add(id)
  if (minions === null && up) for (const id of idsIn(await ctx.call('manage.list_state'))) meant.add(id)
  if (minions === null && down) for (const id of idsIn(await ctx.call('manage.list_not_state'))) meant.add(id)
  for (const id of await roles(ctx, config)) {
    if (meant.has(id)) await work(await issuerFor(ctx, id, config, true))
  }
  return true
}

const roles = async (ctx: MasterContext, config: VaultConfig): Promise<string[]> =>
  listed(await ownAccess(surroundings(ctx), config), `auth/${config.issue.approle.mount}/role`)

const managing = {
  show_policies: masterFn({
    doc: 'Return the policies of what a minion gets.',
    args: {
      minion_id: request.minion_id,
      refresh_pillar: arg.any('Whether pillar is compiled for patterns that use it; None for only if none is kept', {
        default: '__not_set__',
      }),
      expire: arg.any('Seconds for which policies that were worked out are used again', { optional: true }),
    },
    examples: ['salt-run vault.show_policies web1'],
    run: async (ctx, { minion_id, refresh_pillar, expire }) => {
      const config = configOf(ctx)
      if (config.issue.type === 'approle') {
        const role = await (await issuerFor(ctx, minion_id, config)).read()
        if (role) return fromPlain(role.token_policies ?? [])
        throw new SaltError(
          'SaltRunnerError',
          `AppRole for minion \`${minion_id}\` has not been created yet. You can use \`vault.sync_approles\` to force its creation.`,
        )
      }
      const refresh =
        refresh_pillar === '__not_set__'
          ? config.policies.refreshPillar
          : typeof refresh_pillar === 'boolean'
            ? refresh_pillar
            : null
      const seconds = expire === null ? config.policies.cacheTime : Number(str(expire))
      return (await issuerFor(ctx, minion_id, config, refresh)).policies(seconds)
    },
  }),
  sync_approles: masterFn({
    doc: 'Give approles of minions the parameters and policies that are configured now.',
    args: which,
    examples: ['salt-run vault.sync_approles', 'salt-run vault.sync_approles web1'],
    run: (ctx, args) => forRoles(ctx, args, (issuer) => issuer.manage({})),
  }),
  sync_entities: masterFn({
    doc: 'Give entities of minions the metadata that is configured now.',
    args: which,
    examples: ['salt-run vault.sync_entities'],
    run: (ctx, args) => forRoles(ctx, args, (issuer) => issuer.manageEntity()),
  }),
  list_approles: masterFn({
    doc: 'Return the approles of minions, by the ids of these.',
    examples: ['salt-run vault.list_approles'],
    run: async (ctx) => roles(ctx, issuesRoles(ctx)),
  }),
  show_approle: masterFn({
    doc: 'Return the approle of a minion.',
    args: { minion_id: request.minion_id },
    examples: ['salt-run vault.show_approle db1'],
    run: async (ctx, { minion_id }) =>
      fromPlain((await (await issuerFor(ctx, minion_id, issuesRoles(ctx))).read()) ?? null),
  }),
  list_entities: masterFn({
    doc: 'Return the names of the entities of minions.',
    examples: ['salt-run vault.list_entities'],
    run: async (ctx) => {
      const names = await listed(await ownAccess(surroundings(ctx), issuesRoles(ctx)), 'identity/entity/name')
      return names.filter((name) => name.startsWith(entityName('')))
    },
  }),
  show_entity: masterFn({
    doc: 'Return the metadata of the entity of a minion.',
    args: { minion_id: request.minion_id },
    examples: ['salt-run vault.show_entity db1'],
    run: async (ctx, { minion_id }) => {
      const own = await ownAccess(surroundings(ctx), issuesRoles(ctx))
      const body = await unlessMissing(own.get(`identity/entity/name/${entityName(minion_id)}`))
      return fromPlain(body ? (plainData(body).metadata ?? {}) : null)
    },
  }),
  cleanup_auth: masterFn({
    doc: 'Remove approles and entities of minions that the master does not know. The mount of the approles must belong to this master alone.',
    examples: ['salt-run vault.cleanup_auth'],
    run: async (ctx) => {
      const config = issuesRoles(ctx)
      const known = new Set(await knownMinions(ctx))
      const deleted: { approles: string[]; entities: string[] } = { approles: [], entities: [] }
      for (const id of await roles(ctx, config)) {
        if (known.has(id)) continue
        const { hadEntity } = await (await issuerFor(ctx, id, config)).remove()
        deleted.approles.push(id)
        if (hadEntity) deleted.entities.push(id)
      }
      return fromPlain({ deleted })
    },
  }),
}

const server = {
  unseal: masterFn({
    doc: 'Unseal the server with the keys of the option `vault`.',
    examples: ['salt-run vault.unseal'],
    run: async (ctx) => {
      const config = configOf(ctx)
      if (config.keys.length === 0)
        throw new SaltError('SaltRunnerError', 'vault:keys has no keys to unseal the server with')
      const client = new VaultClient(surroundings(ctx), config.server, config.client)
      for (const key of config.keys) {
        const body = await client.ask({ method: 'PUT', path: 'sys/unseal', payload: fromPlain({ key }) })
        if (body.get('sealed') === false) return true
      }
      return false
    },
  }),
  auth_info: masterFn({
    doc: 'Return what Vault says about the token and the secret id of the master.',
    examples: ['salt-run vault.auth_info'],
    isSecret: true,
    run: async (ctx) => {
      const config = configOf(ctx)
      const own = await ownAccess(surroundings(ctx), config)
      const info: JsonObject = { token: plainData(await own.get('auth/token/lookup-self')) }
      if (config.auth.method === 'approle') info.secret_id = await secretIdInfo(ctx, config)
      return fromPlain(info)
    },
  }),
  clear_cache: masterFn({
    doc: 'Forget tokens, policies that were worked out and mounts, in the process that runs this function and on disk.',
    args: {
      master: arg.flag('Whether the data of the master itself is meant', { default: true }),
      minions: arg.any('Whether data of minions is meant: true, false, or a list of ids', { default: true }),
    },
    examples: ['salt-run vault.clear_cache'],
    run: async (ctx, { master, minions }) => {
      if (Array.isArray(minions)) for (const id of idsIn(minions)) forgetPolicies(id)
      else if (minions === true) forgetPolicies()
      if (master || minions === true) await forgetStores(surroundings(ctx))
      return true
    },
  }),
}

async function secretIdInfo(ctx: MasterContext, { auth }: VaultConfig): Promise<Json> {
  if (typeof auth.secretId !== 'string') return null
  const path = `auth/${auth.approleMount}/role/${auth.approleName}/secret-id/lookup`
  const own = await ownAccess(surroundings(ctx))
  return recover(
    (error) => isVaultError(error, 'VaultPermissionDeniedError'),
    `Permission denied, allow API \`create\`, \`update\` access to \`${path}\` to view info`,
    async () => plainData(await own.post(path, fromPlain({ secret_id: auth.secretId }), { isRepeatable: true })),
  )
}

/**
 * Return functions that no minion may call, even if a wide pattern of `peer_run` permits it: they act with the rights
 * of the master.
 */
function ofOperators(functions: Readonly<Record<string, MasterFunction>>): Record<string, MasterFunction> {
  const guarded = (name: string, { run, ...declared }: MasterFunction): MasterFunction => ({
    ...declared,
    run: (ctx, args) => {
      if (ctx.caller?.kind !== 'minion') return run(ctx, args)
      throw new SaltError('SaltRunnerError', `vault.${name} is not for minions`)
    },
  })
  return Object.fromEntries(Object.entries(functions).map(([name, declared]) => [name, guarded(name, declared)]))
}

export default defineRunner({
  name: 'vault',
  doc: 'Credentials of minions for Vault, and the server.',
  functions: { ...issuing, ...ofOperators({ ...managing, ...server }) },
})
