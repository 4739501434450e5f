// The secrets engine for databases: connections, roles, and the credentials that Vault creates for them.
import { type Dict, fromPlain, isDict, markSecret, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { dataOf, type VaultAccess } from './access.ts'
import { listed } from './approles.ts'
import { asking, dataAt, given } from './asking.ts'
import type { JsonObject } from './config.ts'
import { seconds } from './durations.ts'
import { VaultError } from './errors.ts'
import { Leases } from './leases.ts'
import type { LeaseOptions } from './records.ts'

/** Plug-ins whose name in Vault differs from the usual one. */
const PLUGINS: Readonly<Record<string, string>> = {
  hanadb: 'hana',
  mongodb_atlas: 'mongodbatlas',
  oracle: 'vault-plugin-database-oracle',
  redis_elasticache: 'redis-elasticache',
}

/** Return Vault's name of a plugin. */
function pluginName(plugin: string): string {
  const name = Object.hasOwn(PLUGINS, plugin) ? PLUGINS[plugin]! : plugin
  return name.includes('-plugin-') || name.endsWith('-database-plugin') ? name : `${name}-database-plugin`
}

const done = ret.boolean('True')
const name = arg.text('Name of the role')
const connectionName = arg.text('Name of the connection')
const mount = arg.text('Mount of the engine', { default: 'database' })
const isStatic = arg.flag('Whether the role is static', { default: false })
const ttl = (doc: string) => arg.any(doc, { optional: true })
const statements = (doc: string) => arg.any(doc, { optional: true })

const rolePath = (mount: string, name: string, isStatic: boolean): string =>
  `${mount}/${isStatic ? 'static-' : ''}roles/${name}`

const connections = {
  list_connections: reads({
    doc: 'Return the names of the connections.',
    args: { mount },
    returns: ret.texts('The names'),
    run: (ctx, { mount }) => asking(ctx, (access) => listed(access, `${mount}/config`)),
  }),
  fetch_connection: reads({
    doc: 'Return a connection.',
    args: { name: connectionName, mount },
    returns: ret.optional(ret.dict('The connection')),
    example: 'vault_db.fetch_connection mydb',
    run: (ctx, { name, mount }) => asking(ctx, (access) => dataAt(access, `${mount}/config/${name}`)),
  }),
  write_connection: changes({
    doc: 'Create a connection, or change one.',
    args: {
      name: connectionName,
      plugin: arg.text('Kind of the database: mysql, postgresql …'),
      version: arg.any('Version of the plugin', { optional: true }),
      verify: arg.flag('Whether Vault tries the connection', { default: true }),
      allowed_roles: arg.any('Roles that may use it; `["*"]` for all', { optional: true }),
      root_rotation_statements: statements('Statements that change the password of the administrator'),
      password_policy: arg.any('Policy of passwords', { optional: true }),
      rotate: arg.flag('Whether the password of the administrator is changed, so that Vault alone knows it', {
        default: true,
      }),
      mount,
      kwargs: arg.open('Fields of the plugin: connection_url, username, password …'),
    },
    returns: done,
    example:
      'vault_db.write_connection mydb mysql connection_url="{{username}}:{{password}}@tcp(db:3306)/" username=root password=secret',
    run: (ctx, { name, plugin, version, verify, rotate, mount, kwargs, ...fields }) =>
      asking(ctx, async (access) => {
        const own = [...kwargs].filter(([key]) => !key.startsWith('_'))
        const basic = given({
          plugin_name: pluginName(plugin),
          verify_connection: verify,
          plugin_version: version,
          ...fields,
        })
        await access.post(`${mount}/config/${name}`, new Map<Value, Value>([...own, ...basic]), { isRepeatable: true })
        if (rotate) await access.post(`${mount}/rotate-root/${name}`)
        return true
      }),
  }),
  delete_connection: changes({
    doc: 'Delete a connection.',
    args: { name: connectionName, mount },
    returns: done,
    example: 'vault_db.delete_connection mydb',
    run: (ctx, { name, mount }) =>
      asking(ctx, async (access) => (await access.delete(`${mount}/config/${name}`)) && true),
  }),
  reset_connection: changes({
    doc: 'Close a connection and open it again.',
    args: { name: connectionName, mount },
    returns: done,
    example: 'vault_db.reset_connection mydb',
    run: (ctx, { name, mount }) => asking(ctx, async (access) => (await access.post(`${mount}/reset/${name}`)) && true),
  }),
  rotate_root: changes({
    doc: 'Change the password of the administrator. Nobody but Vault knows the new one.',
    args: { name: connectionName, mount },
    returns: done,
    example: 'vault_db.rotate_root mydb',
    run: (ctx, { name, mount }) =>
      asking(ctx, async (access) => (await access.post(`${mount}/rotate-root/${name}`)) && true),
  }),
}

const roles = {
  list_roles: reads({
    doc: 'Return the names of the roles.',
    args: { static: isStatic, mount },
    returns: ret.texts('The names'),
    run: (ctx, { static: isStatic, mount }) =>
      asking(ctx, (access) => listed(access, rolePath(mount, '', isStatic).replace(/\/$/, ''))),
  }),
  fetch_role: reads({
    doc: 'Return a role.',
    args: { name, static: isStatic, mount },
    returns: ret.optional(ret.dict('The role')),
    example: 'vault_db.fetch_role myrole',
    run: (ctx, { name, static: isStatic, mount }) =>
      asking(ctx, (access) => dataAt(access, rolePath(mount, name, isStatic))),
  }),
  write_role: changes({
    doc: 'Create a role, or change one.',
    args: {
      name,
      connection: connectionName,
      creation_statements: arg.any('Statements that create a user'),
      default_ttl: ttl('Life of credentials'),
      max_ttl: ttl('Longest life of credentials'),
      revocation_statements: statements('Statements that remove a user'),
      rollback_statements: statements('Statements after a failure'),
      renew_statements: statements('Statements that renew a user'),
      credential_type: arg.any('`password` or `rsa_private_key`', { optional: true }),
      credential_config: arg.any('Settings of the credentials', { optional: true }),
      mount,
    },
    returns: done,
    example: `vault_db.write_role myrole mydb "['CREATE USER ...']"`,
    run: (ctx, { name, connection, mount, ...fields }) =>
      asking(ctx, async (access) => {
        await access.post(rolePath(mount, name, false), given({ db_name: connection, ...fields }), {
          isRepeatable: true,
        })
        return true
      }),
  }),
  write_static_role: changes({
    doc: 'Create a role for a user that exists, whose password Vault changes from time to time.',
    args: {
      name,
      connection: connectionName,
      username: arg.text('User of the database'),
      rotation_period: arg.any('Time between changes of the password'),
      rotation_statements: statements('Statements that change the password'),
      credential_type: arg.any('`password` or `rsa_private_key`', { optional: true }),
      credential_config: arg.any('Settings of the credentials', { optional: true }),
      mount,
    },
    returns: done,
    example: 'vault_db.write_static_role myrole mydb myuser 24h',
    run: (ctx, { name, connection, mount, ...fields }) =>
      asking(ctx, async (access) => {
        await access.post(rolePath(mount, name, true), given({ db_name: connection, ...fields }), {
          isRepeatable: true,
        })
        return true
      }),
  }),
  delete_role: changes({
    doc: 'Delete a role.',
    args: { name, static: isStatic, mount },
    returns: done,
    example: 'vault_db.delete_role myrole',
    run: (ctx, { name, static: isStatic, mount }) =>
      asking(ctx, async (access) => (await access.delete(rolePath(mount, name, isStatic))) && true),
  }),
  rotate_static_role: changes({
    doc: 'Change the password of a static role now.',
    args: { name, mount },
    returns: done,
    example: 'vault_db.rotate_static_role myrole',
    run: (ctx, { name, mount }) =>
      asking(ctx, async (access) => (await access.post(`${mount}/rotate-role/${name}`)) && true),
  }),
}

/** Return the key of credentials that are kept; parts that are not given fit all. */
function cacheKey(parts: { name: Value; mount: Value; cache: Value; static: Value }): string {
  const { name, mount, cache, static: isStatic } = parts
  const kind = isStatic === null ? '*' : isStatic === true ? 'static' : 'dynamic'
  const suffix = cache === null ? '*' : typeof cache === 'string' && isStatic !== true ? cache : 'default'
  return ['db', mount ?? '*', kind, name ?? '*', suffix].join('.')
}

const kept = {
  name: arg.any('Only those of this role', { optional: true }),
  mount: arg.any('Only those of this mount', { optional: true }),
  cache: arg.any('Only those kept under this name', { optional: true }),
  static: arg.any('Only static or only other ones', { optional: true }),
}

const plainOf = (value: Value): Plain | undefined => (value === null ? undefined : toPlain(value))

async function credentials(
  access: VaultAccess,
  asked: { name: string; static: boolean; cache: Value; mount: string; isChecked: boolean },
  wishes: LeaseOptions,
): Promise<Value> {
  const { name, static: isStatic, cache, mount, isChecked } = asked
  const leases = new Leases(access)
  const key = cache === false ? undefined : cacheKey({ name, mount, static: isStatic, cache })
  const known = key === undefined ? undefined : await leases.get(key, wishes, isChecked)
  const fresh = async (): Promise<JsonObject> => {
    const body = await access.get(`${mount}/${isStatic ? 'static-' : ''}creds/${name}`)
    // the password of a static role changes when its time is over
    const data = dataOf(body)
    if (isStatic && data.has('ttl')) body.set('lease_duration', data.get('ttl')!)
    return key === undefined ? (toPlain(data) as JsonObject) : (await leases.store(key, body, wishes)).data
  }
  const data = fromPlain(known?.data ?? (await fresh()))
  if (isDict(data)) markSecret(new Map([...data].filter(([field]) => field !== 'username')))
  return data
}

const creds = {
  get_creds: changes({
    doc: 'Return credentials of a role. They are kept, and used again as long as they are valid.',
    args: {
      name,
      static: isStatic,
      cache: arg.any('Whether they are kept; a text is the name they are kept under', { default: true }),
      valid_for: ttl('Time for which they must be valid'),
      check_server: arg.flag('Whether the server is asked if they are still valid', { default: false }),
      renew_increment: ttl('Time by which they are renewed'),
      revoke_delay: ttl('Time until old ones are revoked'),
      meta: arg.any('Kept with them', { optional: true }),
      mount,
      further: arg.ignored(),
    },
    returns: ret.any('`username` and `password`'),
    example: 'vault_db.get_creds myrole',
    run: (
      ctx,
      { name, static: isStatic, cache, valid_for, check_server, renew_increment, revoke_delay, meta, mount },
    ) =>
      asking(ctx, (access) => {
        const kept = plainOf(meta)
        const wishes = {
          minTtl: plainOf(valid_for),
          renewIncrement: plainOf(renew_increment),
          revokeDelay: plainOf(revoke_delay),
          ...(kept !== undefined && { meta: kept }),
        }
        return credentials(access, { name, static: isStatic, cache, mount, isChecked: check_server }, wishes)
      }),
  }),
  list_cached: reads({
    doc: 'Return what is known of credentials that are kept, without the credentials.',
    args: kept,
    returns: ret.dict('Leases by the keys of the cache'),
    run: (ctx, parts) =>
      asking(ctx, async (access) => {
        const leases = new Leases(access)
        return fromPlain(Object.fromEntries(leases.keys(cacheKey(parts)).map((key) => [key, leases.info(key)]))) as Dict
      }),
  }),
  renew_cached: changes({
    doc: 'Renew credentials that are kept.',
    args: { ...kept, increment: ttl('Time by which they are renewed') },
    returns: ret.boolean('True; otherwise an error names those that were not renewed'),
    run: (ctx, { increment, ...parts }) =>
      asking(ctx, async (access) => {
        const leases = new Leases(access)
        const failed: string[] = []
        for (const key of leases.keys(cacheKey(parts)))
          if (!(await leases.renew(key, plainOf(increment)))) failed.push(key)
        if (failed.length > 0)
          throw new VaultError('VaultException', `Failed renewing some leases: ${failed.join(', ')}`)
        return true
      }),
  }),
  clear_cached: changes({
    doc: 'Remove cached credentials and revoke them.',
    args: {
      ...kept,
      delta: ttl('Time until they are revoked'),
      flush_on_failure: arg.flag('Whether they are forgotten also if they cannot be revoked; they always are', {
        default: true,
      }),
    },
    returns: ret.boolean('True; otherwise an error names those that were not revoked'),
    run: (ctx, { delta, flush_on_failure: _always, ...parts }) =>
      asking(ctx, async (access) => {
        const leases = new Leases(access)
        const failed: string[] = []
        const delay = plainOf(delta)
        for (const key of leases.keys(cacheKey(parts))) {
          if (!(await leases.revoke(key, delay === undefined ? undefined : seconds(delay)))) failed.push(key)
        }
        if (failed.length > 0)
          throw new VaultError('VaultException', `Failed revoking some leases: ${failed.join(', ')}`)
        return true
      }),
  }),
}

export default defineModule({
  name: 'vault_db',
  doc: 'Credentials of databases, made by Vault.',
  functions: { ...connections, ...roles, ...creds },
})
