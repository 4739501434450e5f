import { expect, test } from 'vitest'
import { readPlainConfig, requireConnection } from './config.ts'

test('The form of Salt up to 3006 is read', () => {
  const config = readPlainConfig({
    url: 'https://vault.example.com:8200/',
    verify: '/etc/ssl/certs/ca-certificates.crt',
    role_name: 'minion_role',
    namespace: 'team',
    auth: { method: 'token', token: 'x', uses: 10, ttl: 43_200, allow_minion_override: true, token_backend: 'disk' },
    policies: ['saltstack/minions', 'saltstack/minion/{minion}'],
    policies_refresh_pillar: false,
    policies_cache_time: 5,
    keys: ['a', 'b'],
    config_location: 'local',
  })
  expect(config.server).toEqual({
    url: 'https://vault.example.com:8200',
    urlAlts: [],
    namespace: 'team',
    verify: '/etc/ssl/certs/ca-certificates.crt',
  })
  expect(config.issue.token).toEqual({ roleName: 'minion_role', params: { num_uses: 10, explicit_max_ttl: 43_200 } })
  expect(config.issue.allowOverride).toBe(true)
  expect(config.cache.backend).toBe('disk')
  expect(config.policies).toEqual({
    assign: ['saltstack/minions', 'saltstack/minion/{minion}'],
    cacheTime: 5,
    refreshPillar: false,
  })
  expect([config.keys, config.location, config.notes]).toEqual([['a', 'b'], 'local', []])
})

test('The form of saltext-vault is read, and has its defaults', () => {
  const config = readPlainConfig({
    server: { url: 'http://vault', url_alts: ['http://other/'] },
    auth: {
      method: 'approle',
      role_id: 'r',
      secret_id: 's',
      token_lifecycle: { minimum_ttl: '1h', renew_increment: false },
    },
    cache: { backend: 'localfs', config: null, kv_metadata: 60, clear_attempt_revocation: true },
    issue: { type: 'approle', wrap: false, approle: { params: { token_num_uses: 0 } }, token: { params: { ttl: 60 } } },
    policies: { assign: ['a'], cache_time: 0 },
  })
  requireConnection(config)
  expect(config.auth).toMatchObject({ minimumTtl: 3600, renewIncrement: false, approleMount: 'approle' })
  expect(config.cache).toMatchObject({
    backend: 'disk',
    config: null,
    kvMetadata: 60,
    clearAttemptRevocation: 1,
    secret: 'ttl',
  })
  expect(config.issue.approle).toEqual({
    mount: 'salt-minions',
    params: {
      bind_secret_id: true,
      secret_id_num_uses: 1,
      secret_id_ttl: 60,
      token_explicit_max_ttl: 60,
      token_num_uses: 0,
    },
  })
  // a token with a configured life is for one use unless the number of uses is set, as in Salt
  expect(config.issue.token.params).toEqual({ num_uses: 1, ttl: 60 })
  expect(readPlainConfig({}).issue.token.params).toEqual({ num_uses: 0, explicit_max_ttl: 60 })
  expect(readPlainConfig({}).policies.assign).toEqual(['saltstack/minions', 'saltstack/{minion}'])
})

test('Texts in the place of metadata and of keys, as some documents write them', () => {
  const config = readPlainConfig({ metadata: 'salt/{minion}', keys: 'salt/{minion}/{path}' })
  expect(config.metadata.secret.get('path')).toBe('salt/{minion}')
  expect(config.keys).toEqual([])
  expect(config.notes).toEqual(['vault:keys is a text and not a list of keys: vault.unseal has no key to send'])
})

test('Unknown settings are reported', () => {
  expect(readPlainConfig({ polcies: [], auth: { tokn: 'x' } }).notes).toEqual([
    'vault:polcies is not known and has no effect',
    'vault:auth:tokn is not known and has no effect',
  ])
})

test.each([
  [{ server: 'x' }, 'server must be a mapping'],
  [{ url: ['x'] }, 'url must be a text'],
  [{ client: { max_retries: 'many' } }, 'client:max_retries must be a number'],
  [{ client: { retry_status: [1, 'x'] } }, 'client:retry_status must be a list of numbers'],
  [{ policies: [1] }, 'policies must be a list of texts'],
  [{ issue: { type: 'x' } }, 'issue:type must be one of token, approle'],
  [{ issue: { wrap: 'x' } }, 'issue:wrap must be false, or a time such as 30s'],
  [{ cache: { clear_on_unauthorized: 'no' } }, 'cache:clear_on_unauthorized must be true or false'],
  [{ config_location: 'x' }, 'config_location must be one of local, master'],
  [{ server: { verify: 5 } }, 'server:verify must be true, false, or the path of a file of certificates'],
  ['x', 'vault must be a mapping'],
])('A wrong value is named: %j', (plain, problem) => {
  expect(() => readPlainConfig(plain)).toThrow(`Invalid vault configuration: ${problem}`)
})
