// The secrets engines of a real Vault (VAULT_ADDR, on this machine): credentials of a MariaDB, and the engine for SSH. The stand-in has
// neither a database nor keys behind it.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { openVault, roleOf, type TestVault } from '../vault/vault.ts'
import { type Minion, minion, thrice } from './minion.ts'
import { canServe, type Server, startMariadb } from './servers.ts'

const isReal = process.env.VAULT_ADDR !== undefined

let vault: TestVault
let salt: Minion
let folder: string

beforeAll(async () => {
  if (!isReal) return
  folder = mkdtempSync(join(tmpdir(), 'brine-vault-engines-'))
  vault = await openVault()
  const option = { url: vault.url, auth: (await roleOf(vault)) as Plain }
  salt = minion({ vault: option as Plain, cachedir: join(folder, 'cache') })
})
afterAll(() => isReal && rmSync(folder, { recursive: true, force: true }))

describe.runIf(isReal && canServe('MariaDB', '/usr/sbin/mariadbd'))('A MariaDB', () => {
  let server: Server
  let mount: string
  const sql = (text: string): string =>
    execFileSync('/usr/bin/mariadb', ['-S', join(server.directory, 'mysql.sock'), '-e', text], { encoding: 'utf8' })
  /** Whether a user can log in. */
  const isIn = ({ username, password }: Record<string, string>): boolean =>
    spawnSync('/usr/bin/mariadb', [`-u${username}`, `-p${password}`, '-h127.0.0.1', `-P${server.port}`, '-eselect 1'])
      .status === 0

  beforeAll(async () => {
    server = await startMariadb()
    mount = `${vault.run}database`
    sql("create user vault@'%' identified by 'first-of-vault'; grant all on *.* to vault@'%' with grant option")
    sql("create user joe@'%' identified by 'first-of-joe'")
    await vault.ask('POST', `sys/mounts/${mount}`, { type: 'database' })
  })
  afterAll(() => server?.stop())

  test('has a connection whose password nobody knows after it was made', async () => {
    const connection_url = `{{username}}:{{password}}@tcp(127.0.0.1:${server.port})/`
    const connection = { name: 'mydb', plugin: 'mysql', allowed_roles: ['*'], connection_url, username: 'vault', mount }
    await thrice(salt, 'vault_db.connection_present', { ...connection, password: 'first-of-vault' })
    expect(isIn({ username: 'vault', password: 'first-of-vault' })).toBe(false)
    expect(await salt.call('vault_db.list_connections', [], { mount })).toEqual(['mydb'])
    expect(await salt.call('vault_db.reset_connection', ['mydb'], { mount })).toBe(true)
    expect(await salt.call('vault_db.fetch_connection', ['mydb'], { mount })).toMatchObject({
      plugin_name: 'mysql-database-plugin',
    })
  })

  test('gives credentials that are kept, renewed and revoked', async () => {
    const creation_statements = ["CREATE USER '{{name}}'@'%' IDENTIFIED BY '{{password}}'"]
    const role = { name: 'app', connection: 'mydb', creation_statements, default_ttl: '1m', max_ttl: '10m', mount }
    await thrice(salt, 'vault_db.role_present', role)
    const first = (await salt.call('vault_db.get_creds', ['app'], { mount })) as Record<string, string>
    expect(isIn(first)).toBe(true)
    expect(await salt.call('vault_db.get_creds', ['app'], { mount, check_server: true })).toEqual(first)
    expect(await salt.call('vault_db.get_creds', ['app'], { mount, valid_for: 300 })).toEqual(first)
    expect(await salt.call('vault_db.renew_cached', ['app'], { mount })).toBe(true)
    expect(await salt.call('vault_db.clear_cached', ['app'], { mount, delta: 0 })).toBe(true)
    await expect.poll(() => isIn(first), { timeout: 20_000 }).toBe(false)
    await expect(salt.call('vault_db.get_creds', ['none'], { mount })).rejects.toThrow('unknown role: none')
    expect(await salt.call('vault_db.list_roles', [], { mount })).toEqual(['app'])
    await thrice(salt, 'vault_db.role_absent', { name: 'app', mount })
  })

  test('has a user whose password Vault changes', async () => {
    const role = { name: 'fixed', connection: 'mydb', username: 'joe', rotation_period: '24h', mount }
    await thrice(salt, 'vault_db.static_role_present', role)
    const read = async () =>
      (await salt.call('vault_db.get_creds', ['fixed'], { static: true, cache: false, mount })) as Record<
        string,
        string
      >
    const first = await read()
    expect(isIn({ ...first, username: 'joe' })).toBe(true)
    expect(await salt.call('vault_db.rotate_static_role', ['fixed'], { mount })).toBe(true)
    expect(isIn({ ...first, username: 'joe' })).toBe(false)
    expect(isIn({ ...(await read()), username: 'joe' })).toBe(true)
    await thrice(salt, 'vault_db.role_absent', { name: 'fixed', static: true, mount })
    await thrice(salt, 'vault_db.connection_absent', { name: 'mydb', mount })
  })
})

test.runIf(isReal)('SSH keys are signed by an authority of Vault, and one-time passwords are made', async () => {
  const mount = `${vault.run}ssh`
  await vault.ask('POST', `sys/mounts/${mount}`, { type: 'ssh' })
  await thrice(salt, 'vault_ssh.ca_present', { name: 'ca', mount })
  expect(await salt.call('vault_ssh.read_ca', [], { mount })).toMatch(/^ssh-rsa /)
  const users = { name: 'users', allow_user_certificates: true, allowed_users: ['admin', 'deploy'], ttl: '1h', mount }
  const role = { ...users, default_extensions: { 'permit-pty': '' }, algorithm_signer: 'rsa-sha2-256' }
  await thrice(salt, 'vault_ssh.role_present_ca', role)
  const fewer = await salt.state('vault_ssh.role_present_ca', { ...role, allowed_users: 'admin', ttl: 60 })
  expect(fewer.changes).toEqual({ allowed_users: { added: [], removed: ['deploy'] }, ttl: { old: 3600, new: 60 } })
  const key = join(folder, 'id')
  execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-N', '', '-f', key])
  const wanted = { valid_principals: ['admin'], mount }
  const signed = (await salt.call('vault_ssh.sign_key', ['users', `${key}.pub`], wanted)) as Record<string, string>
  const shown = spawnSync('ssh-keygen', ['-L', '-f', '-'], { input: signed['signed_key'], encoding: 'utf8' }).stdout
  expect(shown).toMatch(/Principals:\s+admin\s/)
  await expect(
    salt.call('vault_ssh.sign_key', ['users', `${key}.pub`], { ...wanted, valid_principals: ['x'] }),
  ).rejects.toThrow('x is not a valid value for valid_principals')
  const once = { name: 'once', default_user: 'root', cidr_list: ['10.0.0.0/8'], mount }
  await thrice(salt, 'vault_ssh.role_present_otp', once)
  expect(await salt.call('vault_ssh.list_roles', [], { mount })).toMatchObject({
    once: { key_type: 'otp' },
    users: { key_type: 'ca' },
  })
  expect(await salt.call('vault_ssh.get_creds', ['once', '10.0.0.1'], { mount })).toMatchObject({ username: 'root' })
  expect(await salt.call('vault_ssh.list_roles_ip', ['10.0.0.1'], { mount })).toEqual(['once'])
  expect(await salt.call('vault_ssh.list_roles_ip', ['192.0.2.1'], { mount })).toEqual([])
  expect(await salt.call('vault_ssh.list_roles_zeroaddr', [], { mount })).toEqual([])
  expect(await salt.call('vault_ssh.write_zeroaddr_roles', [['once'] as never], { mount })).toBe(true)
  expect(await salt.call('vault_ssh.list_roles_zeroaddr', [], { mount })).toEqual(['once'])
  expect(await salt.call('vault_ssh.delete_zeroaddr_roles', [], { mount })).toBe(true)
  await thrice(salt, 'vault_ssh.role_absent', { name: 'once', mount })
  await thrice(salt, 'vault_ssh.ca_absent', { name: 'ca', mount })
  await expect(salt.call('vault_ssh.read_ca', [], { mount })).rejects.toThrow("keys haven't been configured yet")
})
