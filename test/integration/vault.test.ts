// Vault by a configuration of one's own, as on a minion without a master: against the stand-in, or a real server (VAULT_ADDR).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { masterConfig } from '../../src/config/mod.ts'
import { fromPlain, hideMarked, type Plain } from '../../src/data/mod.ts'
import { renderConfig } from '../../src/minion/mod.ts'
import { VaultServer } from '../vault/server.ts'
import { openVault, roleOf, type TestVault } from '../vault/vault.ts'
import { type Minion, minion } from './minion.ts'
import { configure } from './seeds.ts'

let vault: TestVault
let salt: Minion
let folder: string
/** The paths of the engines of both versions. */
let one: string
let two: string

type Options = Record<string, Plain>

/** Return a minion with a value of the option `vault`. Each minion has a separate cache for its tokens. */
const withVault = (option: Options, more: Record<string, Plain> = {}): Minion =>
  minion({ vault: option as Plain, cachedir: mkdtempSync(join(folder, 'cache-')), ...more } as Record<string, Plain>)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'brine-vault-'))
  vault = await openVault()
  one = `${vault.run}one`
  two = `${vault.run}two`
  salt = withVault({ url: vault.url, auth: await roleOf(vault) })
  await vault.ask('PUT', `${one}/app`, { user: 'joe', password: 'secret-of-one' })
  await vault.ask('PUT', `${two}/data/app`, { data: { user: 'joe', password: 'secret-of-two' } })
})
afterAll(async () => {
  await vault?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('Secrets', () => {
  test('are read in both versions of kv, whole or by field', async () => {
    for (const [engine, password] of [
      [one, 'secret-of-one'],
      [two, 'secret-of-two'],
    ]) {
      expect(await salt.call('vault.read_secret', [`${engine}/app`])).toEqual({ user: 'joe', password })
      expect(await salt.call('vault.read_secret', [`/${engine}/app`, 'password'])).toBe(password)
    }
    expect(await salt.call('vault.read_secret', [`${two}/data/app`, 'user'])).toBe('joe')
    expect(await salt.call('vault.read_secret', [`${two}/app`], { metadata: true })).toMatchObject({
      data: { user: 'joe' },
      metadata: { version: 1 },
    })
  })

  test('may be named by the path of one field', async () => {
    expect(await salt.call('vault.read_secret', [`${two}/app/password`])).toBe('secret-of-two')
    expect(await salt.call('vault.read_secret', [`${one}/app/user`])).toBe('joe')
    // with a default that is not used, as in Salt
    expect(await salt.call('vault.read_secret', [`${two}/app/password`], { default: 'none' })).toBe('none')
  })

  test('that are not there are an error, or the default', async () => {
    await expect(salt.call('vault.read_secret', [`${two}/none`])).rejects.toThrow(
      /^Failed to read secret! VaultNotFoundError: /,
    )
    await expect(salt.call('vault.read_secret', [`${two}/app`, 'colour'])).rejects.toThrow("has no field 'colour'")
    expect(await salt.call('vault.read_secret', [`${two}/none`], { default: null })).toBeNull()
    expect(await salt.call('vault.read_secret', [`${two}/app`, 'colour'], { default: 'red' })).toBe('red')
    await expect(salt.call('vault.read_secret', [`${two}/../sys`])).rejects.toThrow("cannot contain '.' or '..'")
  })

  test('are hidden in all lines of the log', async () => {
    await salt.call('vault.read_secret', [`${two}/app`])
    expect(hideMarked('login with secret-of-two failed')).toBe('login with ********** failed')
  })

  test('are written, changed, listed and removed in version 2', async () => {
    const path = `${two}/my/secret`
    expect(await salt.call('vault.write_secret', [path], { user: 'foo', password: 'bar-one' })).toMatchObject({
      version: 1,
    })
    expect(await salt.call('vault.patch_secret', [path], { password: 'bar-two' })).toMatchObject({ version: 2 })
    expect(await salt.call('vault.read_secret', [path])).toEqual({ user: 'foo', password: 'bar-two' })
    expect(await salt.call('vault.read_secret', [path], { version: 1 })).toEqual({ user: 'foo', password: 'bar-one' })
    expect(await salt.call('vault.write_raw', [path, fromPlain({ a: { b: 1 } })])).toMatchObject({ version: 3 })
    expect(await salt.call('vault.patch_raw', [path, fromPlain({ a: { b: null, c: [1] } })])).toMatchObject({
      version: 4,
    })
    expect(await salt.call('vault.read_secret', [path, 'a'])).toEqual({ c: [1] })
    expect(await salt.call('vault.list_secrets', [`${two}/my/`])).toEqual({ keys: ['secret'] })
    expect(await salt.call('vault.list_secrets', [`${two}/my`], { keys_only: true })).toEqual(['secret'])
    expect(await salt.call('vault.delete_secret', [path])).toBe(true)
    expect(await salt.call('vault.read_secret', [path], { default: 'gone' })).toBe('gone')
    expect(await salt.call('vault.restore_secret', [path])).toBe(true)
    expect(await salt.call('vault.destroy_secret', [path, 1, 2])).toBe(true)
    expect(await salt.call('vault.read_secret_meta', [path])).toMatchObject({
      versions: { 1: { destroyed: true }, 3: { destroyed: false } },
    })
    expect(await salt.call('vault.delete_secret', [path], { all_versions: true })).toBe(true)
    expect(await salt.call('vault.wipe_secret', [path])).toBe(true)
    expect(await salt.call('vault.read_secret_meta', [path])).toBe(false)
  })

  test('are written and removed in version 1', async () => {
    const path = `${one}/my/secret`
    expect(await salt.call('vault.write_secret', [path], { a: 'b' })).toBe(true)
    expect(await salt.call('vault.patch_secret', [path], { c: 'd' })).toBe(true)
    expect(await salt.call('vault.read_secret', [path])).toEqual({ a: 'b', c: 'd' })
    expect(await salt.call('vault.delete_secret', [path, 1])).toBe(false)
    expect(await salt.call('vault.destroy_secret', [path])).toBe(true)
    await expect(salt.call('vault.list_secrets', [`${one}/my`])).rejects.toThrow(
      'Failed to list secrets! VaultNotFoundError',
    )
    expect(await salt.call('vault.list_secrets', [`${one}/my`], { default: [] })).toEqual([])
  })

  test('of ten paths cost one login', async () => {
    const minion = withVault({ url: vault.url, auth: await roleOf(vault) })
    const before = vault.server?.count(/login$/) ?? 0
    await Promise.all(Array.from({ length: 5 }, () => minion.call('vault.read_secret', [`${one}/app`])))
    for (let i = 0; i < 5; i++) await minion.call('vault.read_secret', [`${two}/app`])
    if (vault.server) expect(vault.server.count(/login$/) - before).toBe(1)
  })
})

describe('States', () => {
  const rules = 'path "secret/a" { capabilities = ["read"] }\n'

  test('keep policies', async () => {
    const name = `${vault.run}Demo`
    expect(await salt.state('vault.policy_present', { name, rules }, true)).toMatchObject({
      result: null,
      comment: 'Policy would be created',
    })
    expect(await salt.state('vault.policy_present', { name, rules })).toMatchObject({
      result: true,
      comment: 'Policy has been created',
    })
    expect(await salt.call('vault.policy_fetch', [name])).toBe(rules)
    expect(await salt.state('vault.policy_present', { name, rules })).toMatchObject({
      comment: 'Policy exists, and has the correct content',
      changes: {},
    })
    const changed = await salt.state('vault.policy_present', { name, rules: rules.replace('read', 'list') })
    expect(changed.changes).toEqual({ [name]: expect.stringContaining('-path "secret/a" { capabilities = ["read"] }') })
    expect(await salt.call('vault.policies_list')).toContain(name.toLowerCase())
    expect(await salt.state('vault.policy_absent', { name }, true)).toMatchObject({
      result: null,
      changes: { deleted: name },
    })
    expect(await salt.state('vault.policy_absent', { name })).toMatchObject({
      result: true,
      comment: 'Policy has been deleted',
    })
    expect(await salt.state('vault.policy_absent', { name })).toMatchObject({
      result: true,
      comment: 'Policy is already absent',
    })
    expect(await salt.call('vault.policy_fetch', [name])).toBeNull()
    expect(await salt.call('vault.policy_write', [name, rules])).toBe(true)
    expect(await salt.call('vault.policy_delete', [name])).toBe(true)
  })

  test('keep secrets, and show none', async () => {
    const name = `${two}/kept`
    const wish = { name, values: { password: 'never-shown' } }
    expect(await salt.state('vault_secret.present', wish, true)).toMatchObject({
      result: null,
      comment: 'Would have written the secret',
    })
    const outcome = await salt.state('vault_secret.present', wish)
    expect(outcome).toEqual({ result: true, comment: 'The secret was written', changes: { written: name } })
    expect(await salt.state('vault_secret.present', wish)).toMatchObject({ changes: {} })
    const more = { name, values: { user: 'joe' } }
    expect(await salt.state('vault_secret.present', more)).toMatchObject({ changes: { patched: name } })
    expect(await salt.call('vault.read_secret', [name])).toEqual({ password: 'never-shown', user: 'joe' })
    expect(await salt.state('vault_secret.present', { ...more, sync: true })).toMatchObject({
      changes: { written: name },
    })
    expect(await salt.state('vault_secret.absent', { name, operation: 'wipe' })).toMatchObject({
      comment: 'The secret has been wiped',
    })
    expect(await salt.state('vault_secret.absent', { name })).toMatchObject({ comment: 'The secret is already absent' })
  })

  test('do not show a secret in comments, changes and names', async () => {
    await salt.call('vault.read_secret', [`${two}/app`])
    const file = join(folder, 'app.conf')
    const outcome = await salt.state('file.managed', { name: file, contents: 'password=secret-of-two' })
    expect(JSON.stringify(outcome)).not.toContain('secret-of-two')
    expect(readFileSync(file, 'utf8')).toContain('password=secret-of-two')
    const single = await salt.call('state.single', ['test.succeed_with_changes'], { name: 'echo secret-of-two' })
    expect(JSON.stringify(single)).not.toContain('secret-of-two')
    expect(JSON.stringify(single)).toContain('echo **********')
  })
})

describe('Tokens', () => {
  const read = (minion: Minion) => minion.call('vault.read_secret', [`${two}/app`, 'user'])

  test('may be configured, or lie in a file or elsewhere', async () => {
    const token = vault.root
    expect(await read(withVault({ url: vault.url, auth: { method: 'token', token } }))).toBe('joe')
    const file = join(folder, 'token')
    writeFileSync(file, `${token}\n`, { mode: 0o600 })
    expect(await read(withVault({ server: { url: vault.url }, auth: { token_file: file } }))).toBe('joe')
    process.env.BRINE_VAULT_TOKEN = token
    const elsewhere = { url: vault.url, auth: { method: 'token', token: 'sdb://osenv/BRINE_VAULT_TOKEN' } }
    expect(await read(withVault(elsewhere, { osenv: { driver: 'env' } }))).toBe('joe')
    delete process.env.BRINE_VAULT_TOKEN
  })

  test('may be wrapped, and are unwrapped once', async () => {
    const wrapped = await vault.ask('POST', 'auth/token/create', {}, { 'x-vault-wrap-ttl': '60s' })
    const auth = { method: 'wrapped_token', token: wrapped.wrap_info.token as string }
    const minion = withVault({ url: vault.url, auth })
    expect(await read(minion)).toBe('joe')
    expect(await read(minion)).toBe('joe')
    await expect(read(withVault({ url: vault.url, auth }))).rejects.toThrow('VaultUnwrapException')
  })

  test('that were wrapped by another request are refused', async () => {
    const wrapped = await vault.ask('GET', `${two}/data/app`, undefined, { 'x-vault-wrap-ttl': '60s' })
    const auth = { method: 'wrapped_token', token: wrapped.wrap_info.token as string }
    await expect(read(withVault({ url: vault.url, auth }))).rejects.toThrow('Somebody may have exchanged it')
  })

  test('are got with a wrapped secret id', async () => {
    const auth: Options = await roleOf(vault)
    const path = `auth/${vault.run}roles/role/master/secret-id`
    const { wrap_info } = await vault.ask('POST', path, {}, { 'x-vault-wrap-ttl': '60s' })
    expect(await read(withVault({ url: vault.url, auth: { ...auth, secret_id: { wrap_info } } }))).toBe('joe')
  })

  test('are got again when they end, and when they have no uses left', async () => {
    const role = `auth/${vault.run}roles/role/brief`
    await vault.ask('POST', role, { token_policies: [`${vault.run}master`], token_num_uses: 2, token_ttl: 60 })
    const minion = withVault({ url: vault.url, auth: await roleOf(vault, 'brief') })
    for (let i = 0; i < 5; i++) expect(await read(minion)).toBe('joe')
    await vault.ask('POST', role, {
      token_policies: [`${vault.run}master`],
      token_num_uses: 0,
      token_ttl: 1,
      token_explicit_max_ttl: 1,
    })
    const short = { minimum_ttl: 0 }
    const other = withVault({ url: vault.url, auth: { ...(await roleOf(vault, 'brief')), token_lifecycle: short } })
    expect(await read(other)).toBe('joe')
    await sleep(1200)
    expect(await read(other)).toBe('joe')
  })

  test('are renewed before they end', async () => {
    const role = `auth/${vault.run}roles/role/renewed`
    await vault.ask('POST', role, { token_policies: [`${vault.run}master`], token_ttl: 30 })
    const auth = { ...(await roleOf(vault, 'renewed')), token_lifecycle: { minimum_ttl: 60, renew_increment: 600 } }
    const minion = withVault({ url: vault.url, auth })
    const before = vault.server?.count(/renew-self$/) ?? 0
    expect(await read(minion)).toBe('joe')
    expect(await read(minion)).toBe('joe')
    if (vault.server) expect(vault.server.count(/renew-self$/)).toBe(before + 1)
  })

  test('that were revoked are got again', async () => {
    const minion = withVault({ url: vault.url, auth: await roleOf(vault) })
    expect(await read(minion)).toBe('joe')
    await minion.call('vault.query', ['POST', 'auth/token/revoke-self'])
    expect(await read(minion)).toBe('joe')
  })

  test('are given back when they are forgotten', async () => {
    const minion = withVault({ url: vault.url, auth: await roleOf(vault), cache: { clear_attempt_revocation: 1 } })
    const token = (await minion.call('vault.query', ['GET', 'auth/token/lookup-self'])) as { data: { id: string } }
    expect(await minion.call('vault.update_config')).toBe(true)
    expect(await minion.call('vault.clear_cache')).toBe(true)
    await expect(vault.ask('POST', 'auth/token/lookup', { token: token.data.id })).rejects.toThrow('bad token')
    expect(await read(minion)).toBe('joe')
    expect(await minion.call('vault.get_server_config')).toEqual({ url: vault.url, verify: null, namespace: null })
  })

  test('lie on disk for their owner alone, if that is wanted', async () => {
    const cachedir = mkdtempSync(join(folder, 'disk-'))
    const option = { url: vault.url, auth: { ...(await roleOf(vault)), token_backend: 'disk' } }
    expect(await read(withVault(option, { cachedir }))).toBe('joe')
    const [file = ''] = readdirSync(join(cachedir, 'vault'))
    expect(statSync(join(cachedir, 'vault')).mode & 0o777).toBe(0o700)
    expect(statSync(join(cachedir, 'vault', file)).mode & 0o777).toBe(0o600)
    expect(await withVault(option, { cachedir }).call('vault.clear_token_cache')).toBe(true)
    expect(readdirSync(join(cachedir, 'vault'))).toEqual([])
  })
})

test('A target of salt-ssh has the policies of its id, and nothing of it lies on the disk', async () => {
  await vault.ask('PUT', `sys/policy/${vault.run}ssh/web1`, {
    policy: `path "${two}/data/app" { capabilities = ["read"] }`,
  })
  const policies = [`${vault.run}ssh/{minion}`]
  const cachedir = mkdtempSync(join(folder, 'master-'))
  const option = { url: vault.url, auth: await roleOf(vault), policies, cache: { backend: 'disk' } }
  const target = minion({ __master_opts__: { cachedir, vault: option } as Plain, file_client: 'local' })
  expect(await target.call('vault.read_secret', [`${two}/app`, 'user'])).toBe('joe')
  await expect(target.call('vault.read_secret', [`${two}/by-sdb`])).rejects.toThrow('VaultPermissionDeniedError')
  expect(readdirSync(cachedir)).toEqual([])
})

describe('Errors', () => {
  test.each<[string, Options, string]>([
    ['no address', { auth: { token: 'x' } }, 'server:url is required'],
    ['no token', { url: 'http://127.0.0.1:1' }, 'auth:token is required for token auth'],
    [
      'no role',
      { url: 'http://127.0.0.1:1', auth: { method: 'approle' } },
      'auth:role_id is required for approle auth',
    ],
    [
      'another method',
      { url: 'http://127.0.0.1:1', auth: { method: 'ldap' } },
      'auth:method must be one of token, approle, wrapped_token',
    ],
    [
      'a wrong time',
      { auth: { token_lifecycle: { minimum_ttl: 'soon' } } },
      'auth:token_lifecycle:minimum_ttl must be seconds',
    ],
  ])('report errors of the configuration: %s', async (_, option, message) => {
    await expect(withVault(option).call('vault.read_secret', ['a/b'])).rejects.toThrow(message)
  })

  test('report an unreachable server, and no default hides that', async () => {
    const minion = withVault({ url: 'http://127.0.0.1:1', auth: { token: 'x' }, client: { max_retries: 0 } })
    await expect(minion.call('vault.read_secret', ['a/b'], { default: 'x' })).rejects.toThrow(
      'Cannot reach Vault at http://127.0.0.1:1',
    )
    expect(await minion.call('vault.write_secret', ['a/b'], { c: 'd' })).toBe(false)
  })

  test('report a wrong secret id and a wrong token', async () => {
    const auth = { ...(await roleOf(vault)), secret_id: 'secret-id-of-nobody' }
    await expect(withVault({ url: vault.url, auth }).call('vault.read_secret', [`${two}/app`])).rejects.toThrow(
      /VaultInvocationError: invalid (role or )?secret id/i,
    )
    const wrong = withVault({ url: vault.url, auth: { token: 'token-of-nobody' } })
    await expect(wrong.call('vault.read_secret', [`${two}/app`])).rejects.toThrow('VaultPermissionDeniedError')
  })
})

describe('Sources of data', () => {
  test('sdb reads and sets fields', async () => {
    const option = { url: vault.url, auth: await roleOf(vault) }
    const minion = withVault(option, { myvault: { driver: 'vault' }, patching: { driver: 'vault', patch: true } })
    expect(await minion.call('sdb.get', [`sdb://myvault/${two}/app/password`])).toBe('secret-of-two')
    expect(await minion.call('sdb.get', [`sdb://myvault/${two}/app?user`])).toBe('joe')
    expect(await minion.call('sdb.get', [`sdb://myvault/${two}/none/x`])).toBeNull()
    expect(await minion.call('sdb.set', [`sdb://myvault/${two}/by-sdb/a`, 'x'])).toBe(true)
    expect(await minion.call('sdb.set', [`sdb://patching/${two}/by-sdb/b`, 'y'])).toBe(true)
    expect(await minion.call('vault.read_secret', [`${two}/by-sdb`])).toEqual({ a: 'x', b: 'y' })
  })
})

const ownServer = test.skipIf(process.env.VAULT_ADDR !== undefined)

describe('Databases', () => {
  const role = {
    name: 'app',
    connection: 'mydb',
    creation_statements: ["CREATE USER '{{name}}';\n"],
    default_ttl: '1h',
    mount: 'database',
  }

  ownServer('have connections and roles as states want them', async () => {
    await vault.ask('POST', 'sys/mounts/database', { type: 'database' })
    const connection = {
      name: 'mydb',
      plugin: 'mysql',
      allowed_roles: ['*'],
      connection_url: 'tcp(db)',
      username: 'root',
      password: 'root-of-db',
    }
    expect(await salt.state('vault_db.connection_present', connection, true)).toMatchObject({
      result: null,
      changes: { created: 'mydb' },
    })
    expect(await salt.state('vault_db.connection_present', connection)).toMatchObject({
      result: true,
      comment: 'Connection `mydb` has been created',
    })
    expect(await salt.state('vault_db.connection_present', connection)).toMatchObject({ result: true, changes: {} })
    const moved = await salt.state('vault_db.connection_present', { ...connection, connection_url: 'tcp(db2)' })
    expect(moved.changes).toEqual({ connection_url: { old: 'tcp(db)', new: 'tcp(db2)' } })
    expect(await salt.state('vault_db.connection_present', { ...connection, plugin: 'redis' })).toMatchObject({
      result: false,
    })
    expect(await salt.call('vault_db.list_connections')).toEqual(['mydb'])
    expect(await salt.state('vault_db.role_present', role)).toMatchObject({ result: true, changes: { created: 'app' } })
    expect(await salt.state('vault_db.role_present', role)).toMatchObject({ comment: 'Role is present as specified' })
    expect((await salt.state('vault_db.role_present', { ...role, default_ttl: 60 })).changes).toEqual({
      default_ttl: { old: 3600, new: 60 },
    })
    expect(await salt.call('vault_db.fetch_connection', ['mydb'])).toMatchObject({
      plugin_name: 'mysql-database-plugin',
    })
    expect(await salt.call('vault_db.list_roles')).toEqual(['app'])
    expect(await salt.call('vault_db.fetch_role', ['none'])).toBeNull()
    expect(await salt.call('vault_db.reset_connection', ['mydb'])).toBe(true)
    expect(await salt.call('vault_db.rotate_root', ['mydb'])).toBe(true)
    const fixed = { name: 'fixed', connection: 'mydb', username: 'joe', rotation_period: '24h' }
    expect(await salt.state('vault_db.static_role_present', fixed)).toMatchObject({ result: true })
    expect(await salt.state('vault_db.static_role_present', fixed)).toMatchObject({ changes: {} })
    expect(await salt.call('vault_db.get_creds', ['fixed'], { static: true })).toMatchObject({ username: 'joe' })
    expect(await salt.state('vault_db.role_absent', { name: 'fixed', static: true })).toMatchObject({
      changes: { deleted: 'fixed' },
    })
  })

  ownServer('have functions for what the states do', async () => {
    const rotate = { rotate: false, connection_url: 'x' }
    expect(await salt.call('vault_db.write_connection', ['second', 'postgresql'], rotate)).toBe(true)
    expect(await salt.call('vault_db.write_role', ['reader', 'second', ['CREATE …']])).toBe(true)
    expect(await salt.call('vault_db.write_static_role', ['joe', 'second', 'joe', 60])).toBe(true)
    expect(await salt.call('vault_db.rotate_static_role', ['joe'])).toBe(true)
    expect(await salt.call('vault_db.delete_role', ['reader'])).toBe(true)
    expect(await salt.call('vault_db.delete_connection', ['second'])).toBe(true)
    await expect(salt.call('vault_db.get_creds', ['reader'])).rejects.toThrow(
      'VaultInvocationError: unknown role: reader',
    )
  })

  ownServer('give credentials that are kept, renewed and revoked', async () => {
    await salt.state('vault_db.role_present', { ...role, default_ttl: 60, max_ttl: 600 })
    const first = await salt.call('vault_db.get_creds', ['app'])
    expect(await salt.call('vault_db.get_creds', ['app'])).toEqual(first)
    expect(await salt.call('vault_db.get_creds', ['app'], { cache: 'other' })).not.toEqual(first)
    // renewed, as it must last longer than it would
    expect(await salt.call('vault_db.get_creds', ['app'], { valid_for: 300 })).toEqual(first)
    expect(await salt.call('vault_db.list_cached', ['app'], { cache: true })).toMatchObject({
      'db.database.dynamic.app.default': { min_ttl: 300, expired: false },
    })
    expect(JSON.stringify(await salt.call('vault_db.list_cached'))).not.toContain('password')
    // no renewal can extend it that far
    const later = await salt.call('vault_db.get_creds', ['app'], { valid_for: 500, renew_increment: 100 })
    expect(await salt.call('vault_db.renew_cached', ['app'])).toBe(true)
    expect(later).toMatchObject({ username: expect.stringMatching(/^v-app-/) })
    expect(await salt.state('vault_db.creds_cached', { name: 'app', valid_for: 10 })).toMatchObject({ changes: {} })
    expect(await salt.state('vault_db.creds_uncached', { name: 'app' }, true)).toMatchObject({ result: null })
    expect(await salt.state('vault_db.creds_uncached', { name: 'app' })).toMatchObject({
      comment: 'The credentials have been revoked',
    })
    expect(await salt.call('vault_db.list_cached')).not.toHaveProperty('db.database.dynamic.app.default')
    expect(await salt.state('vault_db.creds_cached', { name: 'app' })).toMatchObject({
      comment: 'The credentials have been issued',
    })
    expect(await salt.call('vault_db.clear_cached', [], { delta: 0 })).toBe(true)
    expect(await salt.state('vault_db.connection_absent', { name: 'mydb' })).toMatchObject({
      changes: { deleted: 'mydb' },
    })
  })
})

test('TLS: the server is trusted by a file of certificates, by certificates, or not at all', async () => {
  const [keyfile, certfile] = [join(folder, 'tls.key'), join(folder, 'tls.pem')]
  const words = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=vault',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
  ]
  execFileSync('openssl', [...words, '-keyout', keyfile, '-out', certfile], { stdio: 'ignore' })
  const cert = readFileSync(certfile, 'utf8')
  const server = await VaultServer.start({ key: readFileSync(keyfile, 'utf8'), cert })
  const url = `https://127.0.0.1:${server.port}`
  const asked = (verify: Plain) =>
    withVault({ server: { url, verify }, auth: { token: server.rootToken }, client: { max_retries: 0 } }).call(
      'vault.policies_list',
    )
  for (const verify of [certfile, cert, false]) expect(await asked(verify)).toContain('root')
  for (const verify of [null, true]) await expect(asked(verify)).rejects.toThrow('self-signed certificate')
  await server.stop()
})

test('The printed vault.conf and gitfs.conf of the guide read a secret while the configuration is loaded', async () => {
  const isThere = (error: Error): unknown => expect(error.message).toContain('path is already in use')
  await vault.ask('POST', 'sys/mounts/secret', { type: 'kv', options: { version: '2' } }).catch(isThere)
  await vault.ask('POST', 'sys/auth/approle', { type: 'approle' }).catch(isThere)
  await vault.ask('PUT', 'secret/data/git', { data: { token: 'token-of-the-guide' } })
  const role = `auth/approle/role/${vault.run}guide`
  await vault.ask('POST', role, { token_policies: [`${vault.run}master`] })
  process.env.VAULT_ROLE_ID = String((await vault.ask('GET', `${role}/role-id`)).data.role_id)
  process.env.VAULT_SECRET_ID = String((await vault.ask('POST', `${role}/secret-id`, {})).data.secret_id)
  const etc = mkdtempSync(join(folder, 'guide-'))
  mkdirSync(join(etc, 'master.d'))
  writeFileSync(join(etc, 'master'), `root_dir: ${etc}\n`)
  for (const file of ['gitfs.conf', 'vault.conf'])
    configure('', 'guide', `etc/salt/master.d/${file}`, join(etc, 'master.d'))
  const conf = join(etc, 'master.d', 'vault.conf')
  writeFileSync(conf, readFileSync(conf, 'utf8').replace('https://vault.example.com:8200', vault.url))
  const opts = await masterConfig({ path: join(etc, 'master'), render: renderConfig })
  expect(opts.get('gitfs_password')).toBe('token-of-the-guide')
  for (const name of ['VAULT_ROLE_ID', 'VAULT_SECRET_ID']) delete process.env[name]
})

describe('The stand-in', () => {
  ownServer('is asked again after a failure that passes', async () => {
    const client = { max_retries: 2, backoff_factor: 0.01, backoff_jitter: 0 }
    const minion = withVault({ url: vault.url, auth: await roleOf(vault), client })
    await minion.call('vault.read_secret', [`${two}/app`])
    vault.server!.failures.push(503, 500)
    expect(await minion.call('vault.read_secret', [`${two}/app`, 'user'])).toBe('joe')
    vault.server!.failures.push(503, 503, 503)
    await expect(minion.call('vault.read_secret', [`${two}/app`])).rejects.toThrow('VaultUnavailableError')
  })

  ownServer('has namespaces', async () => {
    const headers = { 'x-vault-namespace': 'team' }
    await vault.ask('POST', 'sys/namespaces/team')
    await vault.ask('POST', 'sys/mounts/kv', { type: 'kv', options: { version: '2' } }, headers)
    await vault.ask('PUT', 'kv/data/a', { data: { b: 'c' } }, headers)
    const auth = { token: vault.root }
    expect(await withVault({ url: vault.url, namespace: 'team', auth }).call('vault.read_secret', ['kv/a'])).toEqual({
      b: 'c',
    })
    expect(
      await withVault({ server: { url: vault.url, namespace: 'team' }, auth }).call('vault.read_secret', ['kv/a', 'b']),
    ).toBe('c')
  })

  ownServer('says when it is sealed', async () => {
    vault.server!.isSealed = true
    const minion = withVault({
      url: vault.url,
      auth: await roleOf({ ...vault, ask: unsealed }),
      client: { max_retries: 0 },
    })
    await expect(minion.call('vault.read_secret', [`${two}/app`])).rejects.toThrow(
      'VaultUnavailableError: Vault is sealed',
    )
    vault.server!.isSealed = false
  })
})

const unsealed: TestVault['ask'] = async () => ({ data: { role_id: 'x', secret_id: 'y' }, wrap_info: {} })
