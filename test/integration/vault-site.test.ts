// Vault on a site: a master that issues credentials to its minions, by the configuration of Salt up to 3006 and by that of
// saltext-vault, and the pillar that it compiles for them.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dict, fromPlain, repr, toPlain } from '../../src/data/mod.ts'
import { RsaPrivateKey } from '../../src/wire/mod.ts'
import { openVault, roleOf, type TestVault } from '../vault/vault.ts'
import { type TestMaster, TestSite } from './site.ts'

let vault: TestVault
let two: string

beforeAll(async () => {
  vault = await openVault()
  two = `${vault.run}two`
  for (const id of ['web1', 'db1']) {
    await vault.ask('PUT', `${two}/data/minions/${id}`, { data: { password: `password-of-${id}` } })
    await vault.ask('PUT', `sys/policy/${vault.run}minion/${id}`, { policy: readOf(`minions/${id}`) })
  }
  await vault.ask('PUT', `${two}/data/shared`, { data: { token: 'token-of-all', url: 'http://shared' } })
  await vault.ask('PUT', `sys/policy/${vault.run}minions`, { policy: readOf('shared') })
})
afterAll(() => vault?.stop())

const readOf = (path: string): string => `path "${two}/data/${path}" { capabilities = ["read"] }\n`

/** A pattern that is wider than it should be. */
const PEER_RUN = { '.*': ['vault.*'] }

interface Site {
  site: TestSite
  master: TestMaster
}

/** A site with the minions web1 and db1. */
async function openSite(option: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<Site> {
  const site = await TestSite.open()
  const pillar = join(site.root, 'pillar')
  mkdirSync(pillar, { recursive: true })
  writeFileSync(join(pillar, 'top.sls'), "base: {'*': [app, roles]}\n")
  writeFileSync(join(pillar, 'roles.sls'), 'roles: [web, db]\n')
  writeFileSync(
    join(pillar, 'app.sls'),
    `shared: {{ salt['vault.read_secret']('${two}/shared', 'token') }}\nfield: {{ salt['vault.read_secret']('${two}/shared/url') }}\n`,
  )
  const config = { vault: option, peer_run: PEER_RUN, pillar_roots: { base: [pillar] }, ...more }
  const master = await site.master('master', '127.0.0.1', config)
  for (const id of ['web1', 'db1']) await site.minion(id)
  await master.event(/^salt\/minion\/db1\/start$/)
  await master.event(/^salt\/minion\/web1\/start$/)
  return { site, master }
}

/** All that a folder holds, as one text. */
function contentOf(folder: string): string {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.map((file) => readFileSync(file, 'latin1')).join('\n')
}

/** Sign the id of a minion with the key of one. */
async function signed(site: TestSite, id: string, by = id): Promise<string> {
  const pem = readFileSync(join(site.root, by, 'etc', 'salt', 'pki', 'minion', 'minion.pem'), 'utf8')
  return (await new RsaPrivateKey(pem).sign(id)).toString('base64')
}

const policies = () => [`${vault.run}minions`, `${vault.run}minion/{minion}`]

describe('Tokens, by the configuration of Salt up to 3006', () => {
  let site: Site
  beforeAll(async () => {
    const option = {
      url: vault.url,
      auth: await roleOf(vault),
      policies: policies(),
      keys: vault.server?.unsealKeys ?? [],
      client: { max_retries: 1 },
    }
    const ext_pillar = [
      { vault: `path=${two}/minions/{minion}` },
      { vault: { conf: `path=${two}/none`, nesting_key: 'none' } },
    ]
    site = await openSite(option, { ext_pillar })
  })
  afterAll(() => site?.site.close())

  test('a minion reads what its policies allow, and nothing of another minion', async () => {
    const { master } = site
    expect(await master.ask('web1', 'vault.read_secret', [`${two}/minions/web1`, 'password'])).toBe('password-of-web1')
    expect(await master.ask('web1', 'vault.read_secret', [`${two}/shared`])).toEqual({
      token: 'token-of-all',
      url: 'http://shared',
    })
    expect(await master.ask('web1', 'vault.read_secret', [`${two}/minions/db1`])).toContain(
      'VaultPermissionDeniedError',
    )
    expect((await master.run('vault.show_policies', ['web1'])).value).toEqual([
      `${vault.run}minions`,
      `${vault.run}minion/web1`,
    ])
  })

  test('pillar is read with the rights of its minion, in templates and as an external pillar', async () => {
    const { master } = site
    const pillar = await master.run('pillar.show_pillar', ['web1'])
    expect(toPlain(pillar.value)).toMatchObject({
      shared: 'token-of-all',
      field: 'http://shared',
      password: 'password-of-web1',
    })
  })

  test('ten secrets cost one login and one token', async () => {
    const { master } = site
    if (!vault.server) return
    const [logins, tokens] = [/login$/, /^auth\/token\/create/].map((path) => vault.server!.count(path))
    const sls = Array.from({ length: 10 }, (_, i) => `s${i}: {{ salt['vault.read_secret']('${two}/shared', 'token') }}`)
    const states = join(site.site.root, 'srv')
    writeFileSync(
      join(states, 'ten.sls'),
      `${sls.join('\n')}\n`.replace(/^(s\d): (.*)$/gm, "$1:\n  test.nop:\n    - value: '$2'"),
    )
    await master.ask('db1', 'saltutil.refresh_modules')
    const answer = repr(fromPlain(await master.ask('db1', 'state.apply', ['ten'])))
    expect(answer).toContain("'result': True")
    expect(vault.server.count(/login$/) - logins!).toBeLessThanOrEqual(1)
    expect(vault.server.count(/^auth\/token\/create/) - tokens!).toBeLessThanOrEqual(2)
  })

  test('secrets of a state run are in the file, and in no event, job or log', async () => {
    const { master, site: place } = site
    const file = join(place.root, 'app.conf')
    writeFileSync(
      join(place.root, 'srv', 'app.sls'),
      `{% set token = salt['vault.read_secret']('${two}/shared', 'token') %}\n${file}:\n  file.managed:\n    - contents: |\n        token={{ token }}\n        password={{ salt['pillar.get']('password') }}\nsay {{ token }}:\n  cmd.run:\n    - name: echo {{ token }}\n`,
    )
    const answer = JSON.stringify(await master.ask('web1', 'state.apply', ['app']))
    expect(readFileSync(file, 'utf8')).toBe('token=token-of-all\npassword=password-of-web1\n')
    expect(answer).toContain('echo **********')
    for (const secret of ['token-of-all', 'password-of-web1']) expect(answer).not.toContain(secret)
  })

  test('what is issued is in no event and in no job', async () => {
    const { master, site: place } = site
    expect(master.seen.some(({ tag }) => /^salt\/run\/\d+\/ret$/.test(tag))).toBe(true)
    const events = master.seen.filter(({ tag }) => tag.startsWith('salt/run/')).map(({ data }) => repr(data))
    expect(events.join('\n')).toContain('runner.vault.g')
    expect(events.join('\n')).not.toMatch(/client_token|wrap_info|s\.[A-Za-z0-9]{20}/)
    const jobs = contentOf(join(place.root, 'master', 'var', 'cache', 'salt', 'master'))
    expect(jobs).not.toMatch(/wrap_info|client_token/)
    for (const token of new Set(vault.server?.seen.map(({ token }) => token) ?? [])) {
      if (token !== '') expect(jobs).not.toContain(token)
    }
  })

  test('a minion gets no token of another minion', async () => {
    const { master, site: place } = site
    const own = await signed(place, 'db1', 'web1')
    const stolen = await signed(place, 'db1')
    for (const signature of [own, stolen]) {
      for (const fun of ['vault.generate_token', 'vault.get_config']) {
        const answer = await master.ask('web1', 'publish.runner', [fun, ['db1', signature]])
        expect(answer).toEqual({ error: 'AuthenticationError: Could not validate token request from db1' })
      }
    }
    for (const fun of ['vault.auth_info', 'vault.cleanup_auth', 'vault.unseal']) {
      expect(await master.ask('web1', 'publish.runner', [fun])).toContain(`${fun} is not for minions`)
    }
    const asMaster = await master.ask('web1', 'publish.runner', ['vault.generate_token', ['db1', stolen, true]])
    expect(asMaster).toMatchObject({ error: expect.stringContaining('AuthenticationError') })
  })

  test.skipIf(process.env.VAULT_ADDR !== undefined)('the server is unsealed', async () => {
    const { master } = site
    await vault.ask('PUT', 'sys/seal')
    expect(await master.ask('web1', 'vault.read_secret', [`${two}/shared`])).toContain('Vault is sealed')
    expect((await master.run('vault.unseal')).value).toBe(true)
    expect(await master.ask('web1', 'vault.read_secret', [`${two}/shared`, 'token'])).toBe('token-of-all')
  })
})

describe('Tokens, for minions that ask as Salt 3006 does', () => {
  let site: Site
  beforeAll(async () => {
    const option = {
      url: vault.url,
      auth: { ...(await roleOf(vault)), uses: 2, ttl: 600, token_backend: 'disk' },
      policies: policies(),
    }
    site = await openSite(option, { peer_run: { '.*': ['vault.generate_token'] } })
  })
  afterAll(() => site?.site.close())

  test('generate_token alone is enough, and its limits hold', async () => {
    const { master, site: place } = site
    for (let i = 0; i < 3; i++) {
      expect(await master.ask('web1', 'vault.read_secret', [`${two}/minions/web1`, 'password'])).toBe(
        'password-of-web1',
      )
    }
    const cache = join(place.root, 'web1', 'var', 'cache', 'salt', 'minion', 'vault')
    const [file = ''] = readdirSync(cache)
    expect(statSync(join(cache, file)).mode & 0o777).toBe(0o600)
  })

  test('without the right to ask there is a reason', async () => {
    const other = await openSite({ url: vault.url, auth: await roleOf(vault) }, { peer_run: {}, pillar_roots: {} })
    const answer = await other.master.ask('web1', 'vault.read_secret', ['a/b'])
    expect(answer).toContain('its peer_run must allow vault.get_config')
    await other.site.close()
  })
})

describe('Approles, by the configuration of saltext-vault', () => {
  let site: Site
  beforeAll(async () => {
    await vault.ask('POST', `sys/auth/${vault.run}minions`, { type: 'approle' })
    const option = {
      server: { url: vault.url },
      auth: await roleOf(vault),
      issue: { type: 'approle', approle: { mount: `${vault.run}minions` } },
      metadata: { entity: { 'minion-id': '{minion}', role: '{pillar[roles]}' } },
      policies: { assign: [...policies(), `${vault.run}role/{pillar[roles]}`] },
    }
    site = await openSite(option, {
      ext_pillar: [{ vault: { path: `${two}/minions/{minion}`, nesting_key: 'vault' } }],
    })
  })
  afterAll(() => site?.site.close())

  test('a minion logs in with an approle of its own', async () => {
    const { master } = site
    expect(await master.ask('web1', 'vault.read_secret', [`${two}/minions/web1`, 'password'])).toBe('password-of-web1')
    expect(await master.ask('web1', 'vault.read_secret', [`${two}/minions/db1`])).toContain(
      'VaultPermissionDeniedError',
    )
    expect((await master.run('vault.list_approles')).value).toContain('web1')
    const shown = (await master.run('vault.show_policies', ['web1'])).value
    const roles = ['web', 'db'].map((role) => `${vault.run}role/${role}`)
    expect(new Set(shown as string[])).toEqual(new Set([`${vault.run}minions`, `${vault.run}minion/web1`, ...roles]))
    expect(toPlain((await master.run('vault.show_entity', ['web1'])).value)).toEqual({
      'minion-id': 'web1',
      role: 'db,web',
      role__0: 'db',
      role__1: 'web',
    })
    expect(toPlain((await master.run('vault.show_approle', ['web1'])).value)).toMatchObject({ token_num_uses: 10 })
    expect((await master.run('vault.sync_approles', ['web1'])).value).toBe(true)
    expect((await master.run('vault.sync_entities')).value).toBe(true)
    expect((await master.run('vault.list_entities')).value).toContain('salt_minion_web1')
  })

  test('the functions behind it answer the minion itself', async () => {
    const { master, site: place } = site
    const signature = await signed(place, 'web1')
    for (const fun of ['vault.get_role_id', 'vault.generate_secret_id']) {
      expect(await master.ask('web1', 'publish.runner', [fun, ['web1', signature]])).toMatchObject({
        server: { url: vault.url },
        wrap_info: { creation_path: expect.stringContaining(`auth/${vault.run}minions/role/web1/`) },
      })
    }
    const token = await master.ask('web1', 'publish.runner', ['vault.generate_new_token', ['web1', signature]])
    expect(token).toEqual({ expire_cache: true, error: 'VaultConfigExpired: Master does not issue tokens.' })
  })

  test('pillar has its secrets below a key', async () => {
    const { value } = await site.master.run('pillar.show_pillar', ['db1'])
    expect((value as Dict).get('vault')).toEqual(new Map([['password', 'password-of-db1']]))
  })

  test('the master knows its own login, and forgets it', async () => {
    const { master } = site
    expect(toPlain((await master.run('vault.auth_info')).value)).toMatchObject({
      token: { policies: ['default', `${vault.run}master`] },
    })
    expect((await master.run('vault.clear_cache')).value).toBe(true)
  })

  test('approles of minions that are gone are removed', async () => {
    await vault.ask('POST', `auth/${vault.run}minions/role/gone`, { token_policies: [] })
    expect(toPlain((await site.master.run('vault.cleanup_auth')).value)).toEqual({
      deleted: { approles: ['gone'], entities: [] },
    })
  })
})
