// How to log in, what users may call and why, and the number of the last event on each answer, under /v1.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Dict, Value } from '../../src/data/mod.ts'
import { eventually } from '../eventually.ts'
import { type Answer, V1Site } from './v1-site.ts'

let site: V1Site

const USERS = {
  admin: ['.*', '@runner', '@wheel'],
  ann: ['network.*', { '@runner': ['manage.*', { 'state.orchestrate': [{ args: ['deploy'] }] }] }, '@jobs'],
  bob: [{ 'web*': ['test.*', { 'cmd.run': [{ args: ['uptime'], kwargs: { password: 'x' } }] }] }],
  'ops%': ['service.*'],
}

beforeAll(async () => {
  site = await V1Site.open({
    external_auth: { sharedsecret: USERS },
    publisher_acl: { carl: ['grains.*'] },
    publisher_acl_blacklist: { modules: ['network.arp'] },
    api_motd: 'For the operators of example.com',
  })
  await site.addMinions()
})
afterAll(() => site?.close())

const isProblem = (status: number) => expect.objectContaining({ status, body: expect.objectContaining({ status }) })

interface AskedCall {
  family: string
  function: string
  target?: unknown
  targetType?: string
  args?: unknown[]
}

const rights = async (user: string, calls: AskedCall[], other: object = {}): Promise<Answer['body']> => {
  const { status, body } = await site.as(user, 'POST', '/v1/rights', { calls, ...other })
  expect([status, body]).toEqual([200, body])
  return body.items
}

const eventsSince = async (number: number, tag: string): Promise<unknown[]> =>
  (await site.as('admin', 'GET', `/v1/events?format=json&since=${number}&tag=${tag}`)).body.items

describe('logging in', () => {
  it('is described to all callers, without names of users', async () => {
    const { status, body } = await site.send('GET', '/v1/login')
    expect([status, body]).toEqual([200, { eauth: ['sharedsecret'], message: 'For the operators of example.com' }])
  })
})

describe('rights', () => {
  it('name the entry of the access list that allows a call', async () => {
    const items = await rights('ann', [
      { family: 'execution', function: 'network.ping', target: '*' },
      { family: 'runner', function: 'manage.up' },
      { family: 'runner', function: 'jobs.list_jobs' },
      { family: 'runner', function: 'state.orchestrate', args: ['deploy'] },
      { family: 'execution', function: 'saltutil.find_job', target: 'db1' },
    ])
    const rule = 'manage.*, {state.orchestrate: [{args: [deploy]}]}'
    expect(items.map((item: { allowed: boolean; rule: unknown }) => [item.allowed, item.rule])).toEqual([
      [true, 'network.*'],
      [true, `@runner: [${rule}]`],
      [true, '@jobs'],
      [true, `@runner: [${rule}]`],
      [true, null],
    ])
  })

  it('tell why a call is refused, in the same words for minions of others and for no minion', async () => {
    const only =
      'external_auth: sharedsecret: bob allows test.ping only on web*; the target means other minions, or none'
    const items = await rights('bob', [
      { family: 'execution', function: 'network.ping', target: 'web1' },
      { family: 'execution', function: 'test.ping', target: '*' },
      { family: 'execution', function: 'test.ping', target: 'nobody' },
      { family: 'runner', function: 'manage.up' },
    ])
    expect(items).toEqual([
      {
        allowed: false,
        rule: null,
        reason:
          'No entry of external_auth: sharedsecret: bob allows the execution function network.ping; nearest: test.*, cmd.run',
      },
      { allowed: false, rule: null, reason: only },
      { allowed: false, rule: null, reason: only },
      {
        allowed: false,
        rule: null,
        reason: 'No entry of external_auth: sharedsecret: bob allows the runner function manage.up',
      },
    ])
  })

  it('judge as a job is judged', async () => {
    const targets = [
      { target: 'web1' },
      { target: ['web1', 'web2'] },
      { target: ['web1', 'db1'] },
      { target: 'role:web', targetType: 'grain' },
      { target: 'db*' },
      { target: 'E@web[12]', targetType: 'compound' },
    ]
    const calls = targets.map((target) => ({ family: 'execution', function: 'test.ping', ...target }))
    const allowed = (await rights('bob', calls)).map((item: { allowed: boolean }) => item.allowed)
    expect(allowed).toEqual([true, true, false, true, false, true])
    for (const [index, target] of targets.entries()) {
      const { status } = await site.as('bob', 'POST', '/v1/jobs', { function: 'test.ping', ...target })
      expect([target, status]).toEqual([target, allowed[index] ? 202 : 403])
    }
  })

  it('without a target tell whether a function is allowed on any minions', async () => {
    const items = await rights('bob', [
      { family: 'execution', function: 'test.ping' },
      { family: 'execution', function: 'cmd.run', args: ['reboot'] },
    ])
    expect(items.map((item: { allowed: boolean }) => item.allowed)).toEqual([true, false])
    // a condition on a password is no place to read the password
    expect(JSON.stringify(items)).not.toContain('password: x')
  })

  it('know the functions that no user may call', async () => {
    const [item] = await rights('admin', [{ family: 'execution', function: 'network.arp', target: '*' }])
    expect(item).toEqual({
      allowed: false,
      rule: null,
      reason: 'publisher_acl_blacklist forbids network.arp to admin',
    })
  })

  it('of others are shown to users that may read the options', async () => {
    const call = { family: 'execution', function: 'test.ping', target: 'web1' }
    const of = async (user: string, eauth: string) => (await rights('admin', [call], { user, eauth }))[0].allowed
    expect([await of('bob', 'sharedsecret'), await of('ann', 'sharedsecret')]).toEqual([true, false])
    const [carl] = await rights('admin', [{ ...call, function: 'grains.items' }], {
      user: 'carl',
      eauth: 'publisher_acl',
    })
    expect(carl).toMatchObject({ allowed: true, rule: 'grains.*' })
    for (const user of ['ann', 'bob']) {
      const asked = { calls: [call], user: 'admin', eauth: 'sharedsecret' }
      expect(await site.as(user, 'POST', '/v1/rights', asked)).toEqual(isProblem(403))
    }
    const unknown = { calls: [call], user: 'ann', eauth: 'none' }
    expect(await site.as('admin', 'POST', '/v1/rights', unknown)).toEqual(isProblem(422))
  })

  it('are asked for within bounds', async () => {
    const call = { family: 'execution', function: 'test.ping' }
    const targets = Array.from({ length: 21 }, (_, index) => ({ ...call, target: `web${index}` }))
    for (const body of [
      { calls: [] },
      { calls: Array.from({ length: 201 }, () => call) },
      { calls: targets },
      { calls: [call], user: 'ann' },
      { calls: [{ ...call, function: '../x' }] },
      { calls: [{ ...call, more: 1 }] },
    ]) {
      expect(await site.as('admin', 'POST', '/v1/rights', body)).toEqual(isProblem(400))
    }
  })

  it('leave no job and no event', async () => {
    const before = (await site.as('admin', 'GET', '/v1/session')).headers.get('event-number')
    await rights('bob', [{ family: 'execution', function: 'test.ping', target: 'web1' }])
    expect((await site.as('admin', 'GET', '/v1/session')).headers.get('event-number')).toBe(before)
  })
})

describe('users', () => {
  it('are listed with their access lists for users that may read the options', async () => {
    const { body } = await site.as('admin', 'GET', '/v1/users')
    expect(body.items).toEqual([
      { eauth: 'sharedsecret', user: 'admin', permissions: USERS.admin, groups: false },
      { eauth: 'sharedsecret', user: 'ann', permissions: USERS.ann, groups: false },
      {
        eauth: 'sharedsecret',
        user: 'bob',
        permissions: [
          { 'web*': ['test.*', { 'cmd.run': [{ args: ['uptime'], kwargs: { password: '**********' } }] }] },
        ],
        groups: false,
      },
      { eauth: 'sharedsecret', user: 'ops%', permissions: ['service.*'], groups: true },
      { eauth: 'publisher_acl', user: 'carl', permissions: ['grains.*'], groups: false },
    ])
    for (const user of ['ann', 'bob']) expect(await site.as(user, 'GET', '/v1/users')).toEqual(isProblem(403))
  })
})

describe('answers to GET', () => {
  it('tell the number of the last event before they were read', async () => {
    const { headers } = await site.as('admin', 'GET', '/v1/session', undefined, {
      Origin: 'https://console.example.com',
    })
    expect(headers.get('access-control-expose-headers')).toContain('Event-Number')
    const number = Number(headers.get('event-number'))
    const { body: fired } = await site.as('admin', 'POST', '/v1/events', { tag: 'my/event', data: { a: 1 } })
    // the journal is written a moment later
    await eventually(async () =>
      expect(await eventsSince(number, 'my/event')).toMatchObject([{ tag: 'my/event', data: { a: 1 } }]),
    )
    expect(fired).toEqual({ tag: 'my/event', number: expect.any(Number) })
    const after = Number((await site.as('admin', 'GET', '/v1/minions')).headers.get('event-number'))
    expect(after).toBeGreaterThan(number)
    expect((await site.send('GET', '/v1/login')).headers.get('event-number')).toBeNull()
    expect((await site.send('GET', '/v1/session')).headers.get('event-number')).toBeNull()
  })
})

describe('answers from facts that are kept for some seconds', () => {
  it('tell the number of the event before the facts were read', async () => {
    const numberOf = async (): Promise<number> =>
      Number((await site.as('admin', 'GET', '/v1/minions')).headers.get('event-number'))
    await numberOf()
    const { body } = await site.as('admin', 'POST', '/v1/events', { tag: 'my/other' })
    // the facts are shown again before they are read again
    expect(await numberOf()).toBeLessThan(body.number)
    await eventually(async () => expect(await numberOf()).toBeGreaterThanOrEqual(body.number))
  })
})

describe('events', () => {
  it('are fired with a tag that is free, as events of the caller', async () => {
    const { status, body } = await site.as('admin', 'POST', '/v1/events', {
      tag: 'deploy/done',
      data: { version: '1.4' },
    })
    expect([status, body.tag]).toEqual([200, 'deploy/done'])
    const origin = { kind: 'user', name: 'admin', proof: 'token' }
    await eventually(async () =>
      expect(await eventsSince(0, 'deploy/done')).toMatchObject([{ data: { version: '1.4' }, origin }]),
    )
  })

  it('are refused without the right, and with tags of the master and of minions', async () => {
    expect(await site.as('bob', 'POST', '/v1/events', { tag: 'deploy/done' })).toEqual(isProblem(403))
    for (const tag of ['salt/job/20260101000000000000/ret/web1', 'salt/minion/web1/start', 'salt/auth']) {
      expect(await site.as('admin', 'POST', '/v1/events', { tag })).toEqual(isProblem(422))
    }
    for (const body of [{}, { tag: 'a\nb' }, { tag: 'a', data: 'text' }, { tag: 'a', other: 1 }]) {
      expect(await site.as('admin', 'POST', '/v1/events', body)).toEqual(isProblem(400))
    }
  })
})

describe('the commands of the master behind these resources', () => {
  const command = (fields: Record<string, Value>): unknown =>
    site.master.opened.commands.answer(new Map<Value, Value>(Object.entries(fields)))

  const tokenOf = async (user: string): Promise<Value> => {
    const made = (await command({ cmd: 'mk_token', ...site.credentials(user) })) as Dict
    return made.get('token')!
  }

  it('reveal facts of the running master to its owner only', async () => {
    const token = await tokenOf('admin')
    for (const cmd of ['reactor_rules', 'scheduled_jobs']) {
      for (const proof of [{}, { token }, { user: 'root', key: '' }, { user: 'root', key: 'x' }]) {
        expect([cmd, await command({ cmd, ...proof })]).toEqual([cmd, false])
      }
    }
  })

  it('reveal rights only to authenticated users, and those of others to few', async () => {
    const refused = async (fields: Record<string, Value>): Promise<Value> => {
      const answer = (await command({ cmd: 'rights', calls: [], ...fields })) as Dict
      return (answer.get('error') as Dict | undefined)?.get('name') ?? null
    }
    expect(await refused({})).toBe('AuthenticationError')
    expect(await refused({ token: 'f'.repeat(64) })).toBe('AuthenticationError')
    const token = await tokenOf('bob')
    expect(await refused({ token })).toBeNull()
    expect(await refused({ token, for_user: 'admin', for_eauth: 'sharedsecret' })).toBe('AuthorizationError')
    expect(await refused({ token, calls: 'x' })).toBe('SaltInvocationError')
    expect(await refused({ token, calls: Array.from({ length: 201 }, () => new Map()) })).toBe('SaltInvocationError')
    expect(await refused({ token, calls: [new Map([['family', 'other']])] })).toBe('SaltInvocationError')
  })
})
