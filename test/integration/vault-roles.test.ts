// AppRoles and the secrets engines for SSH and for certificates: against the stand-in, the AppRoles also against a real server (VAULT_ADDR).
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromPlain, hideMarked, type Plain } from '../../src/data/mod.ts'
import { openVault, roleOf, type TestVault } from '../vault/vault.ts'
import { type Minion, minion, thrice } from './minion.ts'

let vault: TestVault
let salt: Minion
let folder: string
let mount: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'brine-vault-roles-'))
  vault = await openVault()
  mount = `${vault.run}roles`
  const option = { url: vault.url, auth: (await roleOf(vault)) as Plain }
  salt = minion({ vault: option as Plain, cachedir: join(folder, 'cache') })
})
afterAll(async () => {
  await vault?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('An AppRole is created, changed and removed by its states', async () => {
  const wanted = { name: 'web', token_policies: ['web', 'db'], secret_id_ttl: '1h', mount }
  expect(await thrice(salt, 'vault_approle.present', wanted)).toEqual([
    'AppRole `web` would have been created',
    'AppRole `web` has been created',
    'AppRole is present as specified',
  ])
  expect(await salt.call('vault_approle.read', ['web'], { mount })).toMatchObject({ secret_id_ttl: 3600 })
  const other = await salt.state('vault_approle.present', { ...wanted, token_policies: 'db,cache', secret_id_ttl: 60 })
  expect(other.changes).toEqual({
    token_policies: { added: ['cache'], removed: ['web'] },
    secret_id_ttl: { old: 3600, new: 60 },
  })
  expect(await salt.call('vault_approle.list', [], { mount })).toContain('web')
  expect(await thrice(salt, 'vault_approle.absent', { name: 'web', mount })).toEqual([
    'AppRole `web` would have been deleted.',
    'AppRole `web` has been deleted.',
    'AppRole `web` is already absent.',
  ])
  await expect(salt.call('vault_approle.read', ['web'], { mount })).rejects.toThrow('VaultNotFoundError')
})

test('Secret ids are kept while they are valid, hidden, looked up and destroyed', async () => {
  expect(await salt.call('vault_approle.write', ['app'], { secret_id_ttl: 600, mount })).toBe(true)
  expect(await salt.call('vault_approle.get_role_id', ['app'], { mount })).toMatch(/^[0-9a-f-]{36}$/)
  expect(await salt.call('vault_approle.get_role_id', ['app'], { wrap: '30s', mount })).not.toMatch(/^[0-9a-f-]{36}$/)
  const first = (await salt.call('vault_approle.get_secret_id', ['app'], { mount })) as string
  expect(hideMarked(first)).not.toContain(first)
  expect(await salt.call('vault_approle.get_secret_id', ['app'], { mount })).toBe(first)
  expect(await salt.call('vault_approle.get_secret_id', ['app'], { cache: false, mount })).not.toBe(first)
  const cached = (await salt.call('vault_approle.list_cached', ['app'])) as Record<string, object>
  expect(Object.keys(cached)).toEqual([`secid.${mount}.app.default`])
  expect(JSON.stringify(cached)).not.toContain(first)
  const all = (await salt.call('vault_approle.get_secret_id', ['app'], { all_data: true, mount })) as Record<
    string,
    string
  >
  const accessor = all['secret_id_accessor']!
  expect(await salt.call('vault_approle.lookup_secret_id', ['app'], { secret_id: first, mount })).toMatchObject({
    secret_id_accessor: accessor,
  })
  await expect(salt.call('vault_approle.lookup_secret_id', ['app'], { mount })).rejects.toThrow(
    'Either secret_id or accessor is required',
  )
  expect(await salt.call('vault_approle.destroy_secret_id', ['app'], { accessor, mount })).toBe(true)
  await expect(salt.call('vault_approle.lookup_secret_id', ['app'], { accessor, mount })).rejects.toThrow(
    'VaultNotFoundError',
  )
  // the kept secret id was destroyed on the server
  const second = (await salt.call('vault_approle.get_secret_id', ['app'], { mount })) as string
  expect(second).not.toBe(first)
  expect(await salt.call('vault_approle.clear_cached', ['app'])).toBe(true)
  expect(await salt.call('vault_approle.list_cached', ['app'])).toEqual({})
  await expect(salt.call('vault_approle.lookup_secret_id', ['app'], { secret_id: second, mount })).rejects.toThrow(
    'VaultNotFoundError',
  )
  await expect(salt.call('vault_approle.get_secret_id', ['app'], { wrap: '30s', cache: true, mount })).rejects.toThrow(
    'Cannot cache wrapped responses',
  )
  expect(await salt.call('vault_approle.delete', ['app'], { mount })).toBe(true)
})

const ownServer = test.skipIf(process.env.VAULT_ADDR !== undefined)

ownServer('The authority and the roles for SSH are as states want them', async () => {
  await vault.ask('POST', 'sys/mounts/ssh', { type: 'ssh' })
  await thrice(salt, 'vault_ssh.ca_present', { name: 'ca' })
  expect(await salt.call('vault_ssh.read_ca')).toMatch(/^ssh-rsa /)
  const users = {
    // a field of OpenBao
    allow_commas_in_identity_templates: true,
    name: 'users',
    allow_user_certificates: true,
    allowed_users: ['admin', 'deploy'],
    ttl: '1h',
  }
  await thrice(salt, 'vault_ssh.role_present_ca', { ...users, default_extensions: { 'permit-pty': '' } })
  expect(
    (await salt.state('vault_ssh.role_present_ca', { ...users, allowed_users: 'admin', ttl: 60 })).changes,
  ).toEqual({
    allowed_users: { added: [], removed: ['deploy'] },
    ttl: { old: 3600, new: 60 },
  })
  expect(await salt.state('vault_ssh.role_present_ca', { name: 'x' })).toMatchObject({
    result: false,
    comment: 'Either allow_user_certificates or allow_host_certificates must be true',
  })
  await thrice(salt, 'vault_ssh.role_present_otp', { name: 'once', default_user: 'root', cidr_list: ['10.0.0.0/8'] })
  expect(await salt.call('vault_ssh.list_roles')).toEqual({ once: { key_type: 'otp' }, users: { key_type: 'ca' } })
  await thrice(salt, 'vault_ssh.role_absent', { name: 'once' })
  await thrice(salt, 'vault_ssh.ca_absent', { name: 'ca' })
  await expect(salt.call('vault_ssh.read_ca')).rejects.toThrow("keys haven't been configured yet")
})

ownServer('Keys are signed and passwords are made by functions', async () => {
  expect(await salt.call('vault_ssh.create_ca', [], { private_key: 'private', public_key: 'ssh-rsa given' })).toBe(
    'ssh-rsa given',
  )
  await expect(salt.call('vault_ssh.create_ca', [], { private_key: 'private' })).rejects.toThrow(
    'must be given together',
  )
  const key = join(folder, 'id.pub')
  writeFileSync(key, 'ssh-ed25519 AAAA me\n')
  const signed = { valid_principals: ['admin', 'root'], extensions: { 'permit-pty': '' } }
  expect(await salt.call('vault_ssh.sign_key', ['users', key], signed)).toMatchObject({
    signed_key: 'signed admin,root',
  })
  const made = (await salt.call('vault_ssh.generate_key_cert', ['users'], { key_type: 'ed25519' })) as Record<
    string,
    string
  >
  expect(hideMarked(made['private_key']!)).not.toContain(made['private_key'])
  expect(await salt.call('vault_ssh.write_role_otp', ['once', 'root'], { cidr_list: '10.0.0.0/8' })).toBe(true)
  expect(await salt.call('vault_ssh.list_roles_ip', ['10.0.0.1'])).toEqual(['once'])
  const password = (await salt.call('vault_ssh.get_creds', ['once', '10.0.0.1'])) as Record<string, string>
  expect(password).toMatchObject({ username: 'root', ip: '10.0.0.1' })
  expect(hideMarked(password['key']!)).not.toContain(password['key'])
  expect(await salt.call('vault_ssh.list_roles_zeroaddr')).toEqual([])
  expect(await salt.call('vault_ssh.write_zeroaddr_roles', [['once'] as never])).toBe(true)
  expect(await salt.call('vault_ssh.list_roles_zeroaddr')).toEqual(['once'])
  expect(await salt.call('vault_ssh.delete_zeroaddr_roles')).toBe(true)
  expect(await salt.call('vault_ssh.read_role', ['once'])).toMatchObject({ key_type: 'otp' })
  expect(await salt.call('vault_ssh.write_role_ca', ['hosts'], { allow_host_certificates: true })).toBe(true)
  await expect(salt.call('vault_ssh.write_role_ca', ['hosts'])).rejects.toThrow('must be true')
  const wrong = { allow_host_certificates: true, default_extensions: 'x' }
  await expect(salt.call('vault_ssh.write_role_ca', ['hosts'], wrong)).rejects.toThrow('must be specified as a mapping')
  expect(await salt.call('vault_ssh.delete_role', ['once'])).toBe(true)
  expect(await salt.call('vault_ssh.destroy_ca')).toBe(true)
  expect(fromPlain(await salt.call('vault_ssh.list_roles'))).toEqual(
    fromPlain({ hosts: { key_type: 'ca' }, users: { key_type: 'ca' } }),
  )
})

ownServer(
  'Roles for certificates are as states want them, and certificates are issued, signed and revoked',
  async () => {
    await vault.ask('POST', 'sys/mounts/pki', { type: 'pki' })
    const policy = 'path "*" { capabilities = ["create", "read", "update", "patch", "delete", "list", "sudo"] }'
    await vault.ask('PUT', `sys/policy/${vault.run}master`, { policy })
    const role = { name: 'web', allowed_domains: ['example.com'], ttl: '1h', allow_localhost: false }
    expect(await thrice(salt, 'vault_pki.role_managed', role)).toEqual([
      'PKI role `web` would have been created',
      'PKI role `web` has been created',
      'PKI role is present as specified',
    ])
    expect((await salt.state('vault_pki.role_managed', { name: 'web', ttl: 60 })).changes).toEqual({
      ttl: { old: 3600, new: 60 },
    })
    // fields that were not given stay
    expect(await salt.call('vault_pki.read_role', ['web'])).toMatchObject({ allowed_domains: ['example.com'], ttl: 60 })
    expect(await salt.call('vault_pki.read_role', ['none'])).toBeNull()
    expect(await salt.call('vault_pki.write_role', ['db'], { allowed_domains: 'a.example,b.example' })).toBe(true)
    expect(await salt.call('vault_pki.list_roles')).toEqual(['db', 'web'])
    const wanted = { alt_names: ['a', 'dns:b', 'ip:10.0.0.1'] }
    const made = (await salt.call('vault_pki.issue_certificate', ['web', 'www'], wanted)) as Record<string, string>
    const read = (await salt.call('x509.read_certificate', [made['certificate']!])) as Record<string, Plain>
    expect(read).toMatchObject({
      subject: { CN: 'www' },
      extensions: { subjectAltName: { value: ['DNS:www', 'DNS:a', 'DNS:b', 'IP:10.0.0.1'] } },
    })
    expect(hideMarked(made['private_key']!)).not.toContain(made['private_key'])
    const key = (await salt.call('x509.create_private_key', [], { algo: 'ec' })) as string
    const csr = await salt.call('x509.create_csr', [key], { CN: 'www' })
    const signed = await salt.call('vault_pki.sign_certificate', ['web', 'www'], { csr, issuer_ref: 'default' })
    const { certificate } = signed as Record<string, string>
    expect(await salt.call('x509.verify_private_key', [key, certificate!])).toBe(true)
    await expect(salt.call('vault_pki.sign_certificate', ['web', 'www'])).rejects.toThrow('Either csr or private_key')
    await expect(salt.call('vault_pki.issue_certificate', ['none', 'www'])).rejects.toThrow('unknown role: none')
    const serial = made['serial_number']!
    expect(await salt.call('vault_pki.list_certificates')).toHaveLength(2)
    expect(await salt.call('vault_pki.read_certificate', [serial])).toBe(made['certificate'])
    expect(await salt.call('vault_pki.list_revoked_certificates')).toEqual([])
    expect(await salt.call('vault_pki.revoke_certificate', [serial])).toBe(true)
    expect(await salt.call('vault_pki.revoke_certificate', ['00'])).toBe(false)
    expect(await salt.call('vault_pki.list_revoked_certificates')).toEqual([serial])
    expect(await salt.call('vault_pki.list_issuers')).toEqual({ 'issuer-1': { is_default: true } })
    expect(await salt.call('vault_pki.get_default_issuer')).toBe('issuer-1')
    expect(await salt.call('vault_pki.read_issuer', ['other'])).toBeNull()
    const chain = (await salt.call('vault_pki.read_issuer_certificate', [], { include_chain: true })) as string
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
    expect(await salt.call('vault_pki.set_default_issuer', ['issuer-2'])).toBe(true)
    expect(await salt.call('vault_pki.get_default_issuer')).toBeNull()
    expect(await salt.call('vault_pki.delete_role', ['db'])).toBe(true)
    await thrice(salt, 'vault_pki.role_absent', { name: 'web' })
  },
)

ownServer('Authorities are made in Vault, below others and of imported keys, changed and deleted', async () => {
  await vault.ask('POST', 'sys/mounts/ca', { type: 'pki' })
  const mount = 'ca'
  const call = async (name: string, args: Plain[] = [], more: Record<string, Plain> = {}) =>
    (await salt.call(name, args as never, { mount, ...more })) as Record<string, Plain>

  const root = await call('vault_pki.generate_root', ['Example Root'], { issuer_name: 'root', key_type: 'exported' })
  expect(Object.keys(root)).toEqual(['certificate', 'issuer_id', 'key_id', 'private_key'])
  expect(hideMarked(String(root['private_key']))).not.toContain(root['private_key'])
  // the names of the arguments up to saltext-vault 1.8
  const old = await call('vault_pki.generate_root', ['Old Root'], {
    type: 'internal',
    key_type: 'ec',
    max_path_length: 1,
  })
  expect(Object.keys(old)).toEqual(['certificate', 'issuer_id', 'key_id'])
  expect(await salt.call('x509.read_certificate', [old['certificate'] as string])).toMatchObject({
    extensions: { basicConstraints: { ca: true, pathlen: 1 } },
  })
  await expect(call('vault_pki.generate_root', ['Again'], { issuer_name: 'root' })).rejects.toThrow(
    'issuer name already in use',
  )
  await expect(call('vault_pki.generate_root', ['X'], { issuer_name: 'default' })).rejects.toThrow('a reserved word')
  await expect(call('vault_pki.generate_root', ['X'], { key_type: 'existing' })).rejects.toThrow('needs key_ref')
  await expect(call('vault_pki.generate_root', ['X'], { key_type: 'none' })).rejects.toThrow(
    "'key_type': 'none'. Valid: existing",
  )
  await expect(call('vault_pki.generate_key', [], { key_type: 'kms' })).rejects.toThrow('needs either managed_key_name')

  const made = await call('vault_pki.generate_key', [], { key_name: 'web', key_algo: 'ec' })
  expect(made).toMatchObject({ key_name: 'web', key_type: 'ec' })
  expect(await call('vault_pki.get_key_id', ['web'])).toBe(made['key_id'])
  expect(await call('vault_pki.list_keys')).toMatchObject({ [String(made['key_id'])]: { key_name: 'web' } })
  await expect(call('vault_pki.get_key_id', ['none'])).rejects.toThrow(
    "No key is associated with reference 'none' on mount 'ca'",
  )
  const csr = await call('vault_pki.generate_intermediate_csr', [], {
    key_type: 'existing',
    key_ref: 'web',
    common_name: 'Web',
  })
  expect(csr['csr']).toContain('BEGIN CERTIFICATE REQUEST')
  const conflict = { key_type: 'existing', key_ref: 'web', key_algo: 'rsa' }
  await expect(call('vault_pki.generate_intermediate_csr', [], conflict)).rejects.toThrow(
    'takes no properties of a new key',
  )

  // the root outside of Vault signs it
  const [signing_cert, signing_private_key] = [join(folder, 'root.crt'), join(folder, 'root.key')]
  writeFileSync(signing_cert, String(root['certificate']))
  writeFileSync(signing_private_key, String(root['private_key']))
  const below = await call('vault_pki.generate_intermediate', ['web', 'Example Web'], {
    signing_private_key,
    signing_cert,
    days_valid: 1825,
  })
  const [issuer] = below['imported_issuers'] as string[]
  expect(below['mapping']).toEqual({ [issuer!]: made['key_id'] })
  const certificate = await call('vault_pki.read_issuer_certificate', [issuer!])
  expect(await salt.call('x509.read_certificate', [certificate as never])).toMatchObject({
    subject: { CN: 'Example Web' },
    issuer: { CN: 'Example Root' },
    extensions: { basicConstraints: { ca: true, pathlen: 0, critical: true } },
  })

  const options = { name: 'web', usage: ['issuing-certificates'], ocsp_servers: ['https://ocsp.example.com'] }
  expect(await call('vault_pki.update_issuer', [issuer!], options)).toBe(true)
  expect(await call('vault_pki.read_issuer', ['web'])).toMatchObject({
    issuer_id: issuer,
    usage: 'issuing-certificates',
  })
  expect(await call('vault_pki.read_issuer_crl', ['web'])).toBeNull()
  expect(await call('vault_pki.read_issuer_crl', ['none'])).toBeNull()
  expect(await call('vault_pki.read_issuer_crl', ['root'], { delta: true })).toContain('crl/delta')

  // a certificate has the chain of the issuer that signed it, whatever the default issuer is
  await call('vault_pki.write_role', ['www'])
  const leaf = await call('vault_pki.issue_certificate', ['www', 'www'], { issuer_ref: 'web' })
  const full = await call('vault_pki.read_certificate_full', [leaf['serial_number'] as string])
  expect(full).toMatchObject({ certificate: leaf['certificate'], ca_chain: [certificate] })
  const first = await call('vault_pki.read_certificate_full', ['ca'])
  expect((first['ca_chain'] as string[])[0]).toBe(first['certificate'])
  const other = { certificate: leaf['certificate']!, private_key: root['private_key']! }
  expect(await call('vault_pki.revoke_certificate', [], other)).toBe(false)
  expect(await call('vault_pki.revoke_certificate', [], { ...other, private_key: leaf['private_key']! })).toBe(true)
  expect(await call('vault_pki.list_revoked_certificates')).toEqual([leaf['serial_number']])

  await expect(call('vault_pki.delete_key', ['web'])).rejects.toThrow('in use by an issuer')
  expect(await call('vault_pki.delete_issuer', ['web'], { include_key: true })).toBe(true)
  expect(await call('vault_pki.list_keys')).not.toHaveProperty(String(made['key_id']))
  await call('vault_pki.delete_issuer', ['root'], { include_key: true })
  const [cert, private_key] = [signing_cert, signing_private_key]
  const bare = await call('vault_pki.import_issuer', [cert])
  expect(bare).toMatchObject({ imported_keys: null, imported_issuers: [expect.any(String)] })
  expect(await call('vault_pki.import_issuer', [cert], { private_key })).toMatchObject({
    imported_keys: [expect.any(String)],
  })

  expect(
    await call('vault_pki.write_urls', [], { ocsp_servers: 'https://ocsp.example.com', aia_url_templating: false }),
  ).toBe(true)
  expect(await call('vault_pki.read_urls')).toMatchObject({
    ocsp_servers: ['https://ocsp.example.com'],
    issuing_certificates: [],
  })
  // the chain that comes with a certificate is imported with it
  const bundle = `${certificate}${root['certificate']}`
  const signed = await call('vault_pki.import_issuer_intermediate', [bundle])
  expect(signed['imported_issuers']).toHaveLength(2)
  const alone = { chain: [String(root['certificate'])] }
  const chained = await call('vault_pki.import_issuer_intermediate', [bundle], alone)
  expect(chained['imported_issuers']).toHaveLength(2)

  expect(await call('vault_pki.write_urls', [], { ocsp_servers: '' })).toBe(true)
  expect(await call('vault_pki.read_urls')).toMatchObject({ ocsp_servers: [] })
  await expect(call('vault_pki.write_urls')).rejects.toThrow('Give at least one kind of address')
})

ownServer('A certificate in a file is signed by Vault, renewed when it differs, and left alone otherwise', async () => {
  await vault.ask('POST', 'sys/mounts/files', { type: 'pki' })
  await salt.call('vault_pki.write_role', ['web'], { mount: 'files' })
  const [name, private_key] = [join(folder, 'web.crt'), join(folder, 'web.key')]
  await salt.call('x509.create_private_key', [], { algo: 'ec', path: private_key })
  const wanted = { name, common_name: 'www.example.com', role_name: 'web', private_key, mount: 'files' }
  expect(await thrice(salt, 'vault_pki.certificate_managed', { ...wanted, mode: '0640' })).toEqual([
    'The certificate would have been created',
    'The certificate has been created',
    'The certificate is in the correct state',
  ])
  expect(statSync(name).mode & 0o777).toBe(0o640)
  const more = { ...wanted, alt_names: ['dns:web.example.com', 'ip:fe80::1'] }
  const renewed = await salt.state('vault_pki.certificate_managed', more)
  expect(renewed).toMatchObject({ result: true, comment: 'The certificate has been reissued' })
  expect(renewed.changes).toMatchObject({
    extensions: { added: { subjectAltName: { added: ['dns:web.example.com', 'ip:fe80::1'], removed: [] } } },
  })
  expect(await salt.state('vault_pki.certificate_managed', more)).toMatchObject({ changes: {} })
  const chained = { ...more, append_ca_chain: true }
  expect(await salt.state('vault_pki.certificate_managed', chained)).toMatchObject({
    comment: 'The certificate has been recreated',
    changes: { ca_chain: true },
  })
  expect(readFileSync(name, 'utf8').match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
  const bundle = await thrice(salt, 'vault_pki.certificate_managed', { ...chained, encoding: 'pkcs7_der' })
  expect(bundle[1]).toBe('The certificate has been recreated')
  const soon = await salt.state(
    'vault_pki.certificate_managed',
    { ...wanted, ttl: '1000h', ttl_remaining: '800h' },
    true,
  )
  expect(soon.changes).toMatchObject({ expiration: { toleration: 2_880_000 } })
  const other = await salt.state('vault_pki.certificate_managed', { ...wanted, common_name: 'other' }, true)
  expect(other.changes).toMatchObject({ subject: { CN: { old: 'www.example.com', new: 'other' } } })
  const key = (await salt.call('x509.create_private_key', [], { algo: 'ec' })) as string
  const rekeyed = await salt.state('vault_pki.certificate_managed', {
    ...more,
    private_key: key,
    encoding: 'pkcs7_der',
  })
  expect(rekeyed.changes).toEqual({ private_key: true, ca_chain: true })
  expect(JSON.stringify(rekeyed)).not.toContain('PRIVATE')
  const wrong: Array<[Record<string, Plain>, string]> = [
    [{ ttl: '1h' }, 'ttl_remaining must be shorter than ttl'],
    [{ encoding: 'der', append_ca_chain: true }, 'Cannot append the CA chain to DER'],
    [{ encoding: 'x' }, "Invalid value for parameter 'encoding': 'x'"],
    [{ role_name: 'none' }, 'Role none does not exist.'],
    [{ alt_names: ['x:y'] }, "Invalid SAN type 'X'"],
  ]
  for (const [options, comment] of wrong) {
    expect(await salt.state('vault_pki.certificate_managed', { ...wanted, ...options })).toMatchObject({
      result: false,
      comment: expect.stringContaining(comment),
    })
  }
})

ownServer('Plugins are registered, pinned and reloaded', async () => {
  const plugin = { name: 'my-db', plugin_type: 'database', sha256: 'aa' }
  expect(await thrice(salt, 'vault_plugin.registered', plugin)).toEqual([
    'Plugin config would have been registered',
    'Plugin config has been registered',
    'Plugin is registered as specified',
  ])
  expect((await salt.state('vault_plugin.registered', { ...plugin, args: ['-v'] })).changes).toEqual({
    args: { old: [], new: ['-v'] },
  })
  // omitted fields are unchanged
  expect(await salt.call('vault_plugin.get_config', ['database', 'my-db'])).toMatchObject({
    sha256: 'aa',
    command: 'my-db',
  })
  for (const version of ['v1.9.0', 'v1.10.0'])
    await thrice(salt, 'vault_plugin.version_registered', { ...plugin, version })
  await thrice(salt, 'vault_plugin.unregistered', { name: 'my-db', plugin_type: 'database' })
  expect(await salt.call('vault_plugin.get_config', ['database', 'my-db'])).toMatchObject({ version: 'v1.10.0' })
  await expect(salt.call('vault_plugin.get_config', ['database', 'none'])).rejects.toThrow('VaultNotFoundError')
  expect(await salt.call('vault_plugin.list', ['database'])).toEqual(['my-db', 'mysql-database-plugin'])
  expect(await salt.call('vault_plugin.list_versions', ['database', 'my-db'])).toEqual(['v1.10.0', 'v1.9.0'])
  expect(
    await salt.call('vault_plugin.list_detailed', [], { name: 'my*', builtin: false, version: '1.9*' }),
  ).toHaveLength(1)
  await expect(salt.call('vault_plugin.list', ['secrets'])).rejects.toThrow("'plugin_type': 'secrets'")
  const pin = { name: 'my-db', plugin_type: 'database', version: '1.9.0' }
  expect((await thrice(salt, 'vault_plugin.version_pinned', pin))[1]).toBe('Plugin has been pinned')
  expect(await salt.call('vault_plugin.get_config', ['database', 'my-db'], { version: 'v1.9.0' })).toMatchObject({
    version: 'v1.9.0',
  })
  expect(await salt.call('vault_plugin.list_pins', ['database'])).toMatchObject([{ version: '1.9.0' }])
  expect(await salt.call('vault_plugin.pin', ['database', 'my-db', 'v1.10.0'], { now: true })).toBe(true)
  expect(await salt.call('vault_plugin.pinned_version', ['database', 'my-db'])).toBe('v1.10.0')
  await thrice(salt, 'vault_plugin.version_unpinned', { name: 'my-db', plugin_type: 'database' })
  expect(await salt.call('vault_plugin.unpin', ['database', 'my-db'])).toBe(true)
  expect(await salt.call('vault_plugin.reload', ['database', 'my-db'], { globally: true })).toBe('my-db global')
  expect(await salt.call('vault_plugin.reload', ['database', 'none'])).toBe(false)
  expect(await salt.call('vault_plugin.reload_named', ['my-db'])).toBe('my-db here')
  expect(await salt.call('vault_plugin.reload_named', ['none'])).toBe(false)
  expect(await salt.call('vault_plugin.reload_mounts', ['database/'])).toBe('mounts database/')
  expect(
    await salt.state('vault_plugin.version_unregistered', { name: 'my-db', plugin_type: 'database', version: '1.*' }),
  ).toMatchObject({
    comment: 'Matching plugin versions have been deregistered',
    changes: { deregistered: ['v1.9.0', 'v1.10.0'] },
  })
  expect(await salt.call('vault_plugin.register', ['secret', 'image'], { oci_image: 'x', runtime: 'y' })).toBe(true)
  expect(await salt.call('vault_plugin.deregister', ['secret', 'image'])).toBe(true)
})

ownServer('Keys of GnuPG are kept by Vault, and used', async () => {
  await vault.ask('POST', 'sys/mounts/gpg', { type: 'gpg' })
  expect((await thrice(salt, 'vault_gpg.key_present', { name: 'release' }))[1]).toBe('Created the key')
  expect(await salt.call('vault_gpg.list_keys')).toEqual(['release'])
  const { public_key } = (await salt.call('vault_gpg.read_key', ['release'])) as Record<string, string>
  const file = join(folder, 'keys', 'release.asc')
  expect(await salt.call('vault_gpg.export_public_key', ['release'], { path: file })).toBe(
    `Public key written to ${file}`,
  )
  expect(readFileSync(file, 'utf8')).toBe(public_key)
  await expect(salt.call('vault_gpg.export_private_key', ['release'])).rejects.toThrow('key is not exportable')
  expect(await salt.call('vault_gpg.create_key', ['other'], { exportable: true, key_bits: 2048 })).toBe(true)
  expect(await salt.call('vault_gpg.export_private_key', ['other'])).toBe('private other')
  expect(await salt.call('vault_gpg.import_key', ['third'], { text: 'aGVsbG8=' })).toBe(true)
  await expect(salt.call('vault_gpg.import_key', ['third'], { text: 'no key!' })).rejects.toThrow(
    'neither ASCII-armored nor base64',
  )
  const sig = await salt.call('vault_gpg.sign', ['release'], { message: 'hello' })
  expect(await salt.call('vault_gpg.verify', ['release'], { message_encoded: 'aGVsbG8=', sig })).toBe(true)
  expect(await salt.call('vault_gpg.verify', ['release'], { message: 'other', sig })).toBe(false)
  await expect(salt.call('vault_gpg.sign', ['release'])).rejects.toThrow(
    'Exactly one of message, message_encoded, path',
  )
  expect(await salt.call('vault_gpg.decrypt', ['release'], { message: Buffer.from('text').toString('base64') })).toBe(
    'text opened',
  )
  expect(hideMarked('text opened')).not.toContain('text opened')
  expect(await salt.call('vault_gpg.show_session_key', ['release'], { message: 'dGV4dA==' })).toBe('9:text')
  expect(await salt.state('vault_gpg.keychain_present', { name: 'none' })).toMatchObject({
    result: false,
    comment: 'Key none does not exist.',
  })
  expect(await salt.call('vault_gpg.delete_key', ['third'])).toBe(true)
  await thrice(salt, 'vault_gpg.key_absent', { name: 'release' })
})
