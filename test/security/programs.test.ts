// What users and their programs may request from a master: no more than their list permits, no longer than their token
// is valid, and nothing outside the folders of a function.
import { existsSync, readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Dict } from '../../src/data/mod.ts'
import { Besieged, dict } from './besieged.ts'

const CANARY = 'canary-b0a710ad'
let site: Besieged
let rootKey: string

beforeAll(async () => {
  const finger = { 'key.finger': { kwargs: { match: 'm1' } } }
  site = await Besieged.start({
    external_auth: { auto: { limited: ['test.ping', { m1: ['grains.*'] }, { '@wheel': [finger] }] } },
    token_expire: 3600,
  })
  site.write('secret', CANARY)
  await site.minion('m1')
  await site.minion('m2')
  rootKey = readFileSync(`${site.cachedir}/.root_key`, 'utf8')
})
afterAll(() => site.stop())

const wheel = async (load: Record<string, unknown>): Promise<string> =>
  inspect(await site.clear({ cmd: 'wheel', key: rootKey, user: 'root', ...load }), { depth: 9 })

describe('a function of the wheel', () => {
  it.each(['../x', '../../x', '/etc/x', 'a/../../x', 'a\0/../../x'])('writes nothing at %j', async (path) => {
    for (const fun of ['file_roots.write', 'pillar_roots.write'])
      expect(await wheel({ fun, kwarg: dict({ data: CANARY, path, saltenv: 'base', index: 0 }) })).not.toContain(
        'Wrote',
      )
    await wheel({ fun: 'config.update_config', kwarg: dict({ file_name: path, yaml_contents: dict({ a: CANARY }) }) })
    for (const place of ['x', 'srv/x', 'x.conf', 'etc/x.conf']) expect(existsSync(site.path(place))).toBe(false)
  })

  it.each(['../secret', '../../secret', 'a/../../../secret'])('reads nothing at %j', async (path) => {
    for (const fun of ['file_roots.find', 'file_roots.read', 'pillar_roots.find', 'pillar_roots.read'])
      expect(await wheel({ fun, kwarg: dict({ path, saltenv: 'base' }) })).not.toContain(CANARY)
  })

  it.each(['../../secret', '../minions/m1', 'm1/../../../secret'])('touches no key called %j', async (match) => {
    for (const fun of ['key.accept', 'key.delete', 'key.reject', 'key.key_str', 'key.finger'])
      expect(await wheel({ fun, kwarg: dict({ match }) })).not.toContain(CANARY)
    expect(site.parts.keys.list('minions')).toEqual(['m1', 'm2'])
    expect(existsSync(site.path('secret'))).toBe(true)
  })
})

const login = { eauth: 'auto', username: 'limited', password: 'x' }
const publish = { cmd: 'publish', tgt_type: 'glob', ret: '', arg: [], user: 'limited' }
const isRefused = (answer: unknown): boolean => answer instanceof Map && answer.has('error')

describe('a user with some rights', () => {
  it.each([
    [{ tgt: '*', fun: 'cmd.run', arg: ['id'] }],
    [{ tgt: 'm2', fun: 'grains.items' }],
    [{ tgt: '*', fun: 'grains.items' }],
    [{ tgt: 'm1,m2', tgt_type: 'list', fun: 'grains.items' }],
    [{ tgt: '*', fun: ['test.ping', 'cmd.run'], arg: [[], ['id']] }],
    [{ tgt: '*', fun: 'saltutil.find_job,cmd.run', arg: [[], ['id']] }],
    [{ tgt: '*', fun: 'test.ping', user: 'root', key: 'x', kwargs: dict({}) }],
  ])('may not do %j', async (load) => {
    const before = site.deeds.length
    const answer = await site.clear({ ...publish, kwargs: dict(login), ...load })
    expect(isRefused(answer)).toBe(true)
    expect(site.deeds.length).toBe(before)
  })

  it('may call a function with the arguments that are theirs, and with no others in whatever place', async () => {
    const call = { cmd: 'wheel', fun: 'key.finger', ...login }
    expect(isRefused(await site.clear({ ...call, kwarg: dict({ match: 'm1' }) }))).toBe(false)
    for (const given of [
      { kwarg: dict({ match: '*' }) },
      { kwargs: dict({ match: '*' }) },
      { match: '*' },
      { arg: ['*'] },
      { arg: [], kwargs: dict({ match: '*' }) },
    ])
      expect(isRefused(await site.clear({ ...call, ...given }))).toBe(true)
  })
})

describe('a token', () => {
  const made = async (): Promise<string> =>
    String(((await site.clear({ cmd: 'mk_token', ...login })) as Dict).get('token'))
  const use = (token: unknown, fun = 'test.ping'): Promise<unknown> =>
    site.clear({ ...publish, tgt: '*', fun, kwargs: dict({ token }) })

  it('does no more than its owner may, and nothing after it was revoked', async () => {
    const token = await made()
    expect(isRefused(await use(token))).toBe(false)
    expect(isRefused(await use(token, 'cmd.run'))).toBe(true)
    await site.clear({ cmd: 'revoke_token', token })
    expect(isRefused(await use(token))).toBe(true)
  })

  it('does nothing when its time is over', async () => {
    const token = await made()
    const bank = site.parts.cache.bank('tokens')
    for (const key of bank.list()) bank.store(key, new Map(bank.fetch(key) as Dict).set('expire', 1))
    expect(isRefused(await use(token))).toBe(true)
    expect(await site.clear({ cmd: 'get_token', token })).toBe(false)
  })

  it.each(['../../.root_key', '.root_key', '', '*', '__proto__', '0'.repeat(64), null, 0, new Map(), [['x']]])(
    'is not %j, nor is the name of its file',
    async (token) => {
      await made()
      for (const each of [token, ...site.parts.cache.bank('tokens').list()]) {
        expect(isRefused(await use(each))).toBe(true)
        expect(inspect(await site.clear({ cmd: 'get_token', token: each }))).not.toContain('limited')
      }
    },
  )
})
