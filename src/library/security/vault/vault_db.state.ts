// Connections and roles of the secrets engine for databases, and credentials that are kept on the minion.
import { type Dict, equals, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { readSeconds } from './durations.ts'
import { managed, removed, statementsOf } from './managed.ts'

const mount = arg.text('Mount of the engine', { default: 'database' })
const isStatic = arg.flag('Whether the role is static', { default: false })
const optional = (doc: string) => arg.any(doc, { optional: true })
const name = arg.text('Name of the role')
const connection = arg.text('Name of the connection')

const fetchRole = async (ctx: StateContext, name: string, mount: string, isStatic: boolean): Promise<Value> =>
  await ctx.call('vault_db.fetch_role', [name], { static: isStatic, mount })

/** Fields of a connection that Vault never returns. */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set([
  'password',
  'private_key',
  'service_account_json',
  'tls_certificate_key',
  'pem_bundle',
  'pem_json',
])

const described = {
  credential_type: optional('`password` or `rsa_private_key`'),
  credential_config: optional('Settings of the credentials'),
}

export default defineState({
  name: 'vault_db',
  doc: 'Databases whose credentials Vault makes.',
  functions: {
    connection_present: state({
      doc: 'Ensure that a connection exists and is as described.',
      args: {
        name: connection,
        plugin: arg.text('Kind of the database: mysql, postgresql …'),
        version: optional('Version of the plugin'),
        verify: arg.flag('Whether Vault tries the connection', { default: true }),
        allowed_roles: optional('Roles that may use it'),
        root_rotation_statements: optional('Statements that change the password of the administrator'),
        password_policy: optional('Policy of passwords'),
        rotate: arg.flag('Whether the password of the administrator is changed after that', { default: true }),
        force: arg.flag('Whether a connection of another kind is replaced', { default: false }),
        mount,
        kwargs: arg.open('Fields of the plugin: connection_url, username, password …'),
      },
      run: async (ctx, { name, plugin, version, verify, rotate, force, mount, kwargs, ...fields }) => {
        const own = new Map([...kwargs].filter(([key]) => !key.startsWith('_')))
        const visible = Object.fromEntries([...own].filter(([key]) => !HIDDEN_FIELDS.has(key)))
        const fetch = async (): Promise<Value> => await ctx.call('vault_db.fetch_connection', [name], { mount })
        const current = await fetch()
        const isOther = isDict(current) && !str(current.get('plugin_name') ?? '').startsWith(plugin.replace('_', ''))
        if (isOther && !force)
          return failed(
            'Cannot change plugin type without deleting the existing connection. Set force: true to override.',
          ).on(name)
        if (isOther && !ctx.test) await ctx.call('vault_db.delete_connection', [name], { mount })
        const { root_rotation_statements, ...rest } = fields
        return managed(ctx, name, {
          kind: 'Connection',
          fetch,
          wanted: {
            plugin_version: version,
            root_credentials_rotate_statements: root_rotation_statements,
            ...rest,
            ...visible,
          },
          view: (data) =>
            new Map([
              ...data,
              ...(isDict(data.get('connection_details') ?? null) ? (data.get('connection_details') as Dict) : []),
            ]),
          write: async () => {
            // the password that Vault has may have been changed since
            const sent = isDict(current) && !isOther ? visible : Object.fromEntries(own)
            await ctx.call('vault_db.write_connection', [name, plugin], {
              version,
              verify,
              rotate,
              mount,
              ...fields,
              ...sent,
            })
          },
        })
      },
    }),
    connection_absent: state({
      doc: 'Ensure that a connection does not exist.',
      args: { name: connection, mount },
      run: (ctx, { name, mount }) =>
        removed(ctx, name, {
          kind: 'Connection',
          fetch: async () => ((await ctx.call('vault_db.fetch_connection', [name], { mount })) ?? null) as Value,
          remove: async () => ctx.call('vault_db.delete_connection', [name], { mount }),
        }),
    }),
    role_present: state({
      doc: 'Ensure that a role exists and is as described.',
      args: {
        name,
        connection,
        creation_statements: arg.any('Statements that create a user'),
        default_ttl: optional('Life of credentials'),
        max_ttl: optional('Longest life of credentials'),
        revocation_statements: optional('Statements that remove a user'),
        rollback_statements: optional('Statements after a failure'),
        renew_statements: optional('Statements that renew a user'),
        ...described,
        mount,
      },
      run: (ctx, { name, connection, creation_statements, mount, ...fields }) =>
        managed(ctx, name, {
          kind: 'Role',
          fetch: () => fetchRole(ctx, name, mount, false),
          wanted: { db_name: connection, creation_statements, ...fields },
          write: async () =>
            ctx.call('vault_db.write_role', [name, connection, statementsOf(creation_statements)], {
              mount,
              ...fields,
            }),
        }),
    }),
    static_role_present: state({
      doc: 'Ensure that a role for a user that exists is as described.',
      args: {
        name,
        connection,
        username: arg.text('User of the database'),
        rotation_period: arg.any('Time between changes of the password'),
        rotation_statements: optional('Statements that change the password'),
        ...described,
        mount,
      },
      run: (ctx, { name, connection, username, rotation_period, mount, ...fields }) =>
        managed(ctx, name, {
          kind: 'Role',
          fetch: () => fetchRole(ctx, name, mount, true),
          wanted: { db_name: connection, username, rotation_period, ...fields },
          write: async () =>
            ctx.call('vault_db.write_static_role', [name, connection, username, rotation_period], { mount, ...fields }),
        }),
    }),
    role_absent: state({
      doc: 'Ensure that a role does not exist.',
      args: { name, static: isStatic, mount },
      run: (ctx, { name, static: isStatic, mount }) =>
        removed(ctx, name, {
          kind: 'Role',
          fetch: async () => (await fetchRole(ctx, name, mount, isStatic)) ?? null,
          remove: async () => ctx.call('vault_db.delete_role', [name], { static: isStatic, mount }),
        }),
    }),
    creds_cached: state({
      doc: 'Ensure that valid credentials of a role are kept on this minion.',
      args: {
        name,
        static: isStatic,
        cache: optional('Name they are kept under'),
        valid_for: optional('Time for which they must be valid'),
        renew_increment: optional('Time by which they are renewed'),
        revoke_delay: optional('Time until old ones are revoked'),
        meta: optional('Kept with them'),
        mount,
        further: arg.ignored(),
      },
      run: async (ctx, { name, static: isStatic, cache, mount, further: _further, ...wishes }) => {
        const which = { static: isStatic, cache: cache ?? true, mount }
        const cached = async (): Promise<Dict> => await ctx.call('vault_db.list_cached', [name], which)
        const leaseOf = (all: Dict): Value => {
          const [lease] = all.values()
          return lease !== undefined && isDict(lease) ? (lease.get('lease_id') ?? null) : null
        }
        return ensure<{ isNew: boolean; before: Value }>(ctx, {
          name,
          look: async () => {
            const all = await cached()
            const [lease] = all.values()
            if (lease === undefined || !isDict(lease)) return { isNew: true, before: null }
            const needed = readSeconds(wishes.valid_for ?? lease.get('min_ttl') ?? 0) ?? 0
            const isLong = Number(lease.get('expires_in') ?? 0) > needed || !truthy(lease.get('lease_duration') ?? 0)
            return isLong
              ? settled('The credentials are already cached and valid')
              : { isNew: false, before: leaseOf(all) }
          },
          foresee: ({ isNew }) =>
            foreseen(
              `The credentials would have been ${isNew ? 'issued' : 'renewed/reissued'}`,
              isNew ? { new: true } : { expiry: true },
            ),
          act: async ({ isNew, before }) => {
            await ctx.call('vault_db.get_creds', [name], { ...which, ...wishes })
            if (isNew) return changed('The credentials have been issued', { new: true })
            const isOther = !equals(leaseOf(await cached()), before)
            return changed(`The credentials have been ${isOther ? 'reissued' : 'renewed'}`, {
              expiry: true,
              ...(isOther && { reissued: true }),
            })
          },
        })
      },
    }),
    creds_uncached: state({
      doc: 'Ensure that no credentials of a role are kept on this minion.',
      args: { name, static: isStatic, cache: optional('Name they are kept under'), mount, further: arg.ignored() },
      run: (ctx, { name, static: isStatic, cache, mount }) => {
        const which = { static: isStatic, cache, mount }
        return ensure<Value[]>(ctx, {
          name,
          look: async () => {
            const cached = await ctx.call('vault_db.list_cached', [name], which)
            return cached.size === 0 ? settled('No matching credentials present') : [...cached.keys()]
          },
          foresee: (revoked) => foreseen('The credentials would have been revoked', { revoked }),
          act: async (revoked) => {
            await ctx.call('vault_db.clear_cached', [name], which)
            return changed('The credentials have been revoked', { revoked })
          },
        })
      },
    }),
  },
})
