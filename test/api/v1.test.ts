// The interface under /v1 of a real master with three real minions, as programs see it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Answer, MINIONS, RIGHTS, V1Site } from './v1-site.ts'

let site: V1Site

beforeAll(async () => {
  site = await V1Site.open({
    external_auth: { sharedsecret: RIGHTS, auto: { bob: ['test.*'] } },
    saltgui_templates: {
      sum: {
        description: 'Add',
        target: ['web1', 'web2'],
        targettype: 'list',
        command: 'test.fib num=3',
        categories: ['a', 'b'],
      },
      greet: { target: 'web*', command: 'test.echo hello', category: 'a', key: 'h' },
      broken: 'no mapping',
    },
  })
  site.write('pillar/top.sls', 'base:', "  '*':", '    - common', '    - secret')
  site.write('pillar/common.sls', 'web:', '  port: 80')
  site.write('pillar/secret.sls', '', 'web:', '  port: 8443')
  site.write('srv/top.sls', 'base:', "  '*':", '    - site')
  site.write(
    'srv/site.sls',
    'good:',
    '  test.succeed_without_changes: []',
    'new:',
    '  test.succeed_with_changes: []',
    'bad:',
    '  test.fail_without_changes: []',
  )
  site.write('srv/near.sls', 'good:', '  test.nop: []', 'other:', '  test.nop:', '    - require:', '      - test: godo')
  site.write('srv/orch.sls', 'ask:', '  salt.function:', '    - name: test.ping', "    - tgt: 'web*'")
  await site.addMinions()
})
afterAll(() => site?.close())

const admin = (method: string, path: string, body?: unknown): Promise<Answer> => site.as('admin', method, path, body)

const read = async (path: string) => {
  const { status, body } = await admin('GET', path)
  expect([status, body]).toEqual([200, body])
  return body
}

/** Begin a job as a user, and wait until no minion is missing. */
async function finished(user: string, job: Record<string, unknown>): Promise<string> {
  const { status, body, headers } = await site.as(user, 'POST', '/v1/jobs', job)
  expect([status, headers.get('location')]).toEqual([202, `/v1/jobs/${body.jid}`])
  await eventually(async () => expect((await read(`/v1/jobs/${body.jid}`)).counts.missing).toBe(0))
  return body.jid
}

const isProblem = (status: number, more: object = {}) =>
  expect.objectContaining({
    status,
    body: expect.objectContaining({ status, type: expect.stringMatching(/^urn:brine:problem:/), ...more }),
  })

describe('sessions', () => {
  it('begin with credentials, work in three ways, and end', async () => {
    const { status, body, headers } = await site.send('POST', '/v1/login', site.credentials('bob'))
    expect(status).toBe(200)
    expect(body).toMatchObject({ user: 'bob', eauth: 'sharedsecret', permissions: [{ 'web*': ['test.*'] }] })
    expect(Date.parse(body.expires)).toBeGreaterThan(Date.now())
    expect(headers.get('set-cookie')).toMatch(new RegExp(`session_id=${body.token};.*HttpOnly; SameSite=Strict`))
    const ways = [
      { 'X-Auth-Token': body.token },
      { Authorization: `Bearer ${body.token}` },
      { Cookie: `session_id=${body.token}` },
    ]
    for (const headers of ways) {
      expect((await site.send('GET', '/v1/session', undefined, headers)).body).toMatchObject({ user: 'bob' })
    }
    expect((await site.send('DELETE', '/v1/session', undefined, ways[0])).status).toBe(204)
    for (const headers of ways)
      expect(await site.send('GET', '/v1/session', undefined, headers)).toEqual(isProblem(401))
  })

  it('do not begin with wrong credentials', async () => {
    const wrong = { ...site.credentials('bob'), password: 'wrong' }
    expect(await site.send('POST', '/v1/login', wrong)).toEqual(isProblem(401))
    expect(await site.send('POST', '/v1/login', { username: 'bob' })).toEqual(
      isProblem(400, { errors: [{ field: 'eauth', reason: expect.any(String) }] }),
    )
  })

  it('are not needed with a token of Salt', async () => {
    const made = await site.send('POST', '/token', site.credentials('admin'), { Accept: 'application/json' })
    const headers = { Authorization: `Bearer ${made.body[0].token}` }
    expect((await site.send('GET', '/v1/session', undefined, headers)).body).toMatchObject({ user: 'admin' })
    expect(await site.send('GET', '/v1/session', undefined, { Authorization: `Bearer ${'0'.repeat(64)}` })).toEqual(
      isProblem(401),
    )
  })

  it('cannot be used by pages of other sites through the cookie', async () => {
    const { token } = (await site.send('POST', '/v1/login', site.credentials('bob'))).body
    const job = { target: 'web1', function: 'test.ping' }
    const forged = { Cookie: `session_id=${token}`, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
    expect(await site.send('POST', '/v1/jobs', job, forged)).toEqual(isProblem(403))
    const own = { Cookie: `session_id=${token}`, 'Sec-Fetch-Site': 'same-origin' }
    expect((await site.send('POST', '/v1/jobs', job, own)).status).toBe(202)
  })
})

describe('jobs', () => {
  it('are begun, listed and shown with their returns', async () => {
    const jid = await finished('admin', { target: '*', function: 'test.arg', args: [1, 'two'], kwargs: { three: [3] } })
    const job = await read(`/v1/jobs/${jid}`)
    expect(job).toMatchObject({
      jid,
      function: 'test.arg',
      target: '*',
      targetType: 'glob',
      user: 'admin',
      state: 'done',
    })
    expect([job.args, job.kwargs]).toEqual([[1, 'two'], { three: [3] }])
    expect(job.counts).toEqual({ minions: 3, returned: 3, failed: 0, missing: 0 })
    expect(job.minions.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual(
      MINIONS.map((id) => [id, 'succeeded']),
    )
    const first = await read(`/v1/jobs/${jid}/returns?limit=2`)
    const rest = await read(`/v1/jobs/${jid}/returns?limit=2&cursor=${first.next}`)
    expect(rest.next).toBeNull()
    const returns = [...first.items, ...rest.items]
    expect(returns.map(({ minion }) => minion)).toEqual(MINIONS)
    for (const { value, retcode } of returns)
      expect([retcode, value]).toMatchObject([0, { args: [1, 'two'], kwargs: { three: [3] } }])
    const [summary] = (await read(`/v1/jobs/${jid}/returns?format=summary`)).items
    expect(summary).toEqual({ minion: 'db1', succeeded: true, returned: expect.any(String) })
    expect(await read(`/v1/jobs/${jid}/returns/web1`)).toEqual(returns[1])
    expect(await admin('GET', `/v1/jobs/${jid}/returns/nobody`)).toEqual(isProblem(404))
  })

  it('are found by function, user, target, minion, time and state, newest first', async () => {
    const began = new Date().toISOString()
    const one = await finished('admin', { target: ['web1', 'db1'], function: 'test.true' })
    const two = await finished('bob', { target: 'web2', function: 'test.false' })
    const three = await finished('admin', { target: 'web2', function: 'test.exception' })
    const found = async (query: string): Promise<string[]> =>
      (await read(`/v1/jobs?since=${began}&${query}`)).items.map(({ jid }: { jid: string }) => jid)
    expect(await found('function=test.true')).toEqual([one])
    expect(await found('function=test.*')).toEqual([three, two, one])
    expect(await found('user=bob')).toEqual([two])
    expect(await found('target=db1,*&user=admin')).toEqual([])
    expect(await found('target=web1,db1')).toEqual([one])
    expect(await found('minion=web2')).toEqual([three, two])
    expect(await found('state=failed')).toEqual([three])
    expect(await found(`until=${began}`)).toEqual([])
    const page = await read(`/v1/jobs?since=${began}&limit=2`)
    expect(page.items.map(({ jid }: { jid: string }) => jid)).toEqual([three, two])
    const next = await read(`/v1/jobs?since=${began}&limit=2&cursor=${page.next}`)
    expect([next.items.map(({ jid }: { jid: string }) => jid), next.next]).toEqual([[one], null])
  })

  it('are begun once for an idempotency key', async () => {
    const begin = (fun: string) =>
      site.as('bob', 'POST', '/v1/jobs', { target: 'web1', function: fun }, { 'Idempotency-Key': 'deploy-7' })
    const [first, again] = [await begin('test.ping'), await begin('test.ping')]
    expect([first.status, again.status]).toEqual([202, 202])
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(await begin('test.version')).toEqual(isProblem(422))
    const refused = (fun: string, target: string) =>
      site.as('bob', 'POST', '/v1/jobs', { target, function: fun }, { 'Idempotency-Key': 'deploy-8' })
    expect(await refused('cmd.run', 'web1')).toEqual(isProblem(403))
    expect((await refused('test.ping', 'web1')).status).toBe(202)
  })

  it('are stopped on the minions that have not returned', async () => {
    site.putKey('minions', 'asleep')
    const { jid } = (await admin('POST', '/v1/jobs', { target: 'asleep', function: 'test.ping' })).body
    expect(await read(`/v1/jobs/${jid}`)).toMatchObject({
      state: 'running',
      minions: [{ id: 'asleep', state: 'waiting' }],
    })
    expect(await site.as('bob', 'POST', `/v1/jobs/${jid}/stop`, {})).toEqual(isProblem(403))
    const stop = await admin('POST', `/v1/jobs/${jid}/stop`, { signal: 'kill' })
    expect([stop.status, stop.body.minions]).toEqual([202, ['asleep']])
    expect(await read(`/v1/jobs/${stop.body.jid}`)).toMatchObject({ function: 'saltutil.kill_job', args: [jid] })
    expect((await admin('POST', '/v1/keys/asleep', { action: 'delete' })).status).toBe(200)
    const done = await finished('admin', { target: 'web1', function: 'test.ping' })
    expect(await admin('POST', `/v1/jobs/${done}/stop`, {})).toEqual(isProblem(409))
  })

  it('are traced to their cause', async () => {
    const jid = await finished('bob', { target: 'web1', function: 'test.ping' })
    const { root } = await read(`/v1/traces/${jid}`)
    expect(root).toMatchObject({ kind: 'user', title: 'bob', asked: false })
    expect(root.children).toMatchObject([
      { kind: 'job', jid, asked: true, state: 'ok', children: [{ kind: 'minion', minion: 'web1', state: 'ok' }] },
    ])
    expect((await read(`/v1/traces?what=${jid}`)).root).toEqual(root)
    expect(await site.as('bob', 'GET', `/v1/traces/${jid}`)).toEqual(isProblem(403))
  })
})

describe('a return', () => {
  it('has the hints of the minion', async () => {
    const jid = await finished('admin', { target: 'web1', function: 'state.apply', args: ['near'] })
    const { hints } = await read(`/v1/jobs/${jid}/returns/web1`)
    expect(hints).toEqual([expect.objectContaining({ level: 'error', text: expect.stringMatching(/good/) })])
  })
})

describe('a user of few rights', () => {
  it('sees the own jobs and no others', async () => {
    const own = await finished('bob', { target: 'web*', function: 'test.ping' })
    const other = await finished('admin', { target: 'web1', function: 'test.ping' })
    const { body } = await site.as('bob', 'GET', '/v1/jobs?limit=1000')
    const users = body.items.map(({ user }: { user: string }) => user)
    expect(new Set(users)).toEqual(new Set(['bob']))
    expect((await site.as('bob', 'GET', `/v1/jobs/${own}/returns`)).body.items).toHaveLength(2)
    for (const path of [`/v1/jobs/${other}`, `/v1/jobs/${other}/returns`, `/v1/jobs/${other}/returns/web1`]) {
      expect(await site.as('bob', 'GET', path)).toEqual(isProblem(403))
    }
    expect((await site.as('reader', 'GET', '/v1/jobs?user=bob')).body.items.length).toBeGreaterThan(0)
  })

  it('sees no jobs of a user with the same name of another system', async () => {
    const own = await finished('bob', { target: 'web1', function: 'test.ping' })
    const credentials = { username: 'bob', password: 'x', eauth: 'auto' }
    const { token } = (await site.send('POST', '/v1/login', credentials)).body
    const asOther = (path: string) => site.send('GET', path, undefined, { 'X-Auth-Token': token })
    expect((await asOther('/v1/session')).body).toMatchObject({ user: 'bob', eauth: 'auto' })
    expect((await asOther('/v1/jobs')).body.items).toEqual([])
    expect(await asOther(`/v1/jobs/${own}`)).toEqual(isProblem(403))
    expect(await asOther(`/v1/jobs/${own}/matrix`)).toEqual(isProblem(403))
  })

  it('begins only what the rights allow', async () => {
    for (const job of [
      { target: '*', function: 'test.ping' },
      { target: 'web1', function: 'cmd.run', args: ['id'] },
      { target: 'db1', function: 'test.ping' },
    ]) {
      expect(await site.as('bob', 'POST', '/v1/jobs', job)).toEqual(isProblem(403))
    }
    expect(await site.as('bob', 'POST', '/v1/jobs', { target: 'none', function: 'test.ping' })).toEqual(
      isProblem(422, { errors: [{ field: 'target', reason: expect.any(String) }] }),
    )
    const call = { client: 'runner', function: 'manage.up' }
    expect(await site.as('bob', 'POST', '/v1/calls', call)).toEqual(isProblem(403))
  })

  it.each([
    'minions',
    'minions/web1',
    'minions/web1/pillar?path=web',
    'keys',
    'keys/web1',
    'runs',
    'runs/20260101000000000000',
    'reactions',
    'status',
  ])('does not read /v1/%s', async (path) => {
    expect(await site.as('bob', 'GET', `/v1/${path}`)).toEqual(isProblem(403))
  })
})

describe('minions', () => {
  it('are listed with what the master knows about them', async () => {
    const ping = await finished('admin', { target: 'db1', function: 'test.ping' })
    const applied = await finished('admin', { target: 'web1', function: 'state.apply' })
    await finished('admin', { target: 'web1', function: 'state.apply', kwargs: { test: true } })
    await finished('admin', { target: 'web1', function: 'state.apply', args: ['site'] })
    await eventually(async () => {
      const { items, next } = await read('/v1/minions')
      expect([items.map(({ id }: { id: string }) => id), next]).toEqual([[...MINIONS], null])
      const [db, web] = items
      expect(db).toMatchObject({ key: 'accepted', os: expect.stringMatching(/\S/), lastJob: ping, lastHighstate: null })
      expect(web.lastHighstate).toEqual({ jid: applied, when: expect.any(String), succeeded: 2, changed: 1, failed: 1 })
    })
  })

  it('are chosen, sorted and paged', async () => {
    const ids = async (query: string): Promise<string[]> =>
      (await read(`/v1/minions?${query}`)).items.map(({ id }: { id: string }) => id)
    expect(await ids('q=WEB')).toEqual(['web1', 'web2'])
    expect(await ids('grain=role:db')).toEqual(['db1'])
    expect(await ids('sort=-id')).toEqual(['web2', 'web1', 'db1'])
    expect(await ids('state=accepted&sort=os')).toEqual([...MINIONS])
    expect(await ids('state=rejected')).toEqual([])
    const first = await read('/v1/minions?sort=-id&limit=2')
    expect(await ids(`sort=-id&limit=2&cursor=${first.next}`)).toEqual(['db1'])
    const both = [...(await ids('state=up')), ...(await ids('state=down'))]
    expect(both.sort()).toEqual([...MINIONS])
  })

  it('are shown with grains and jobs', async () => {
    const jid = await finished('admin', { target: 'web2', function: 'test.ping' })
    const minion = await read('/v1/minions/web2')
    expect(minion).toMatchObject({ id: 'web2', key: 'accepted', grains: { id: 'web2', role: 'web' } })
    expect(minion.lastJobs[0]).toMatchObject({ jid, function: 'test.ping' })
    expect(await admin('GET', '/v1/minions/nobody')).toEqual(isProblem(404))
  })

  it('hide grains and jobs from a user without the rights for them', async () => {
    const { body } = await site.as('reader', 'GET', '/v1/minions?q=web1')
    expect(body.items[0]).toMatchObject({ id: 'web1', os: null, version: null })
    expect(await site.as('reader', 'GET', '/v1/minions?grain=role:db')).toEqual(isProblem(403))
    expect(await site.as('reader', 'GET', '/v1/minions/web1')).toEqual(isProblem(403))
  })

  it('explain their pillar', async () => {
    const { masked, items } = await read('/v1/minions/web1/pillar?path=web:port')
    expect(masked).toBe(false)
    expect(items.map(({ at, value }: { at: string; value: unknown }) => [at.split('/').at(-1), value])).toEqual([
      ['common.sls:2', 80],
      ['secret.sls:3', 8443],
    ])
    const hidden = (await site.as('reader', 'GET', '/v1/minions/web1/pillar?path=web:port')).body
    expect([hidden.masked, hidden.items.map(({ value }: { value: unknown }) => value)]).toEqual([
      true,
      ['**********', '**********'],
    ])
  })
})

describe('keys', () => {
  it('are listed, accepted, rejected and deleted', async () => {
    for (const id of ['new1', 'new2']) site.putKey('minions_pre', id)
    const states = async (): Promise<string[]> =>
      (await read('/v1/keys?q=new')).items.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`)
    expect(await states()).toEqual(['new1 pending', 'new2 pending'])
    expect((await site.as('keeper', 'POST', '/v1/keys/new1', { action: 'accept' })).body).toEqual([
      { id: 'new1', state: 'accepted' },
    ])
    expect(await site.as('keeper', 'POST', '/v1/keys/new2', { action: 'delete' })).toEqual(isProblem(403))
    expect((await admin('POST', '/v1/keys/new2', { action: 'reject' })).body).toEqual([
      { id: 'new2', state: 'rejected' },
    ])
    expect(await states()).toEqual(['new1 accepted', 'new2 rejected'])
    for (const id of ['new1', 'new2'])
      expect((await admin('POST', `/v1/keys/${id}`, { action: 'delete' })).body).toEqual([])
    expect(await states()).toEqual([])
    expect(await admin('POST', '/v1/keys/new1', { action: 'accept' })).toEqual(isProblem(404))
    for (const glob of ['*', 'new%2c*', 'web%3f']) {
      expect(await admin('POST', `/v1/keys/${glob}`, { action: 'delete' })).toEqual(isProblem(400))
    }
    expect((await read('/v1/keys?limit=1000')).items).toHaveLength(3)
    expect((await read('/v1/keys/web1'))[0]).toMatchObject({
      state: 'accepted',
      fingerprint: expect.stringMatching(/^[0-9a-f:]+$/),
    })
  })
})

describe('several keys', () => {
  const change = async (action: string, keys: unknown[], user = 'admin') =>
    (await site.as(user, 'POST', '/v1/keys', { action, keys })).body.items.map(
      ({ id, done, reason }: { id: string; done: boolean; reason: string | null }) => (done ? id : `${id}: ${reason}`),
    )

  it('are listed with fingerprints, and changed with a result for each', async () => {
    for (const id of ['some1', 'some2', 'some3']) site.putKey('minions_pre', id)
    const { items, hashType } = await read('/v1/keys?q=some&fingerprints=true')
    expect(hashType).toBe('sha256')
    expect(items[0].sha256).toMatch(/^([0-9a-f]{2}:){31}[0-9a-f]{2}$/)
    expect(items[0].fingerprint).toBe((await read('/v1/keys/some1'))[0].fingerprint)
    expect(await site.as('keeper', 'GET', '/v1/keys?fingerprints=true')).toEqual(isProblem(403))
    const pending = (id: string, fingerprint?: string) => ({ id, state: 'pending', fingerprint })
    expect(
      await change('accept', [
        pending('some1', items[0].sha256.toUpperCase().replaceAll(':', '')),
        pending('some2', items[0].sha256),
        pending('nobody'),
      ]),
    ).toEqual([
      'some1',
      'some2: The fingerprint of the key is another one',
      'nobody: The minion has no pending key any more',
    ])
    expect(await change('delete', [pending('some2')], 'keeper')).toEqual([
      'some2: This needs the right to call the wheel function key.delete',
    ])
    expect(await change('reject', [pending('some2'), { id: 'some1', state: 'accepted' }])).toEqual(['some2', 'some1'])
    expect(await change('accept', [{ id: 'some1', state: 'rejected' }])).toEqual(['some1'])
    expect((await admin('POST', '/v1/keys', { action: 'delete', keys: [pending('*')] })).status).toBe(400)
  })

  it('are hidden from users without the right, who cannot change them', async () => {
    for (const id of ['many1', 'many2', 'many3']) site.putKey('minions_pre', id)
    site.putKey('minions_denied', 'many2')
    const pending = (id: string) => ({ id, state: 'pending' })
    const refusals = (fun: string, ...ids: string[]) =>
      ids.map((id) => `${id}: This needs the right to call the wheel function ${fun}`)
    for (const action of ['accept', 'reject', 'delete']) {
      const keys = ['many1', 'many2', 'none'].map(pending)
      expect(await change(action, keys, 'bob')).toEqual(refusals(`key.${action}`, 'many1', 'many2', 'none'))
    }
    // a right for one minion covers no other, also among others
    const mixed = ['many3', 'many1', 'web1'].map(pending)
    expect(await change('accept', mixed, 'gate')).toEqual(['many3', ...refusals('key.accept', 'many1', 'web1')])
    const states = (await read('/v1/keys?q=many')).items
    expect(states.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`)).toEqual([
      'many3 accepted',
      'many1 pending',
      'many2 pending',
      'many2 denied',
    ])
    expect(await change('delete', states)).toHaveLength(4)
    const tooMany = Array.from({ length: 201 }, (_, number) => pending(`none${number}`))
    expect((await site.as('bob', 'POST', '/v1/keys', { action: 'delete', keys: tooMany })).status).toBe(400)
  })

  it('of one minion are distinguished', async () => {
    site.putKey('minions_denied', 'some1')
    const denied = { id: 'some1', state: 'denied' }
    expect(await change('reject', [denied])).toEqual([
      'some1: The minion has another key, which would go as well: delete this one',
    ])
    expect(await change('delete', [denied])).toEqual(['some1'])
    const left = (await read('/v1/keys?q=some')).items
    expect(left.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`)).toEqual([
      'some1 accepted',
      'some3 pending',
      'some2 rejected',
    ])
    expect(await change('delete', left)).toEqual(['some1', 'some3', 'some2'])
  })
})

describe('calls', () => {
  it('run functions of the master, with or without waiting', async () => {
    const up = await admin('POST', '/v1/calls', { client: 'runner', function: 'manage.up', kwargs: { tgt: 'web*' } })
    expect([up.status, up.body]).toEqual([200, { jid: expect.any(String), succeeded: true, value: ['web1', 'web2'] }])
    const keys = await admin('POST', '/v1/calls', { client: 'wheel', function: 'key.list', args: ['accepted'] })
    expect(keys.body.value).toEqual({ minions: [...MINIONS] })
    const begun = await admin('POST', '/v1/calls', { client: 'runner', function: 'manage.up', wait: false })
    expect([begun.status, begun.body.tag]).toEqual([202, `salt/run/${begun.body.jid}`])
    await site.master.event(new RegExp(`^${begun.body.tag}/ret$`))
    const failed = await admin('POST', '/v1/calls', {
      client: 'runner',
      function: 'pillar.explain',
      args: ['nobody', 'x'],
    })
    expect(failed.body).toMatchObject({ succeeded: false })
    expect(await admin('POST', '/v1/calls', { client: 'runner', function: 'no.such' })).toEqual(
      isProblem(400, { errors: [{ field: 'function', reason: 'is no runner function' }] }),
    )
  })

  it('of orchestrations leave runs with steps', async () => {
    const { body } = await admin('POST', '/v1/calls', {
      client: 'runner',
      function: 'state.orchestrate',
      args: ['orch'],
    })
    expect(body.succeeded).toBe(true)
    const [run] = (await read('/v1/runs')).items
    expect(run).toMatchObject({ state: 'succeeded', mods: 'orch' })
    const { steps, asked } = await read(`/v1/runs/${run.jid}`)
    expect(asked).toMatchObject({ mods: 'orch' })
    expect(steps).toMatchObject([{ state: 'succeeded', step: expect.stringContaining('ask') }])
    expect((await read(`/v1/jobs/${steps[0].jobs[0]}`)).function).toBe('test.ping')
    expect(await admin('GET', '/v1/runs/20260101000000000000')).toEqual(isProblem(404))
    expect((await read('/v1/reactions')).items).toEqual([])
  })
})

describe('the master', () => {
  it('reports its state', async () => {
    const status = await read('/v1/status')
    expect(status).toMatchObject({
      id: expect.any(String),
      saltVersion: expect.stringMatching(/^\d+/),
      minions: { pending: 0 },
    })
    expect(status.minions.up + status.minions.down).toBe(3)
    expect(status.jobs.stored).toBeGreaterThan(0)
    expect(status.stores.jobs).toBeGreaterThan(0)
  })

  it('lists the templates of commands to every user', async () => {
    const { status, body } = await site.as('keeper', 'GET', '/v1/templates')
    const greet = { name: 'greet', description: '', targetType: 'glob', target: 'web*', command: 'test.echo hello' }
    const sum = { name: 'sum', description: 'Add', targetType: 'list', target: 'web1,web2', command: 'test.fib num=3' }
    expect([status, body]).toEqual([
      200,
      {
        items: [
          { ...greet, categories: ['a'], key: 'h' },
          { ...sum, categories: ['a', 'b'], key: null },
        ],
        next: null,
      },
    ])
    expect(await site.send('GET', '/v1/templates')).toEqual(isProblem(401))
  })

  it('describes its functions', async () => {
    const { items } = await read('/v1/functions?q=jobs.list_job&family=runner')
    expect(items.map(({ name }: { name: string }) => name)).toContain('jobs.list_jobs')
    const [ping] = await read('/functions/test.ping')
    expect(ping).toMatchObject({ family: 'execution', resultSchema: { type: 'boolean' }, changes: false })
    const [managed] = await read('/v1/functions/file.managed?family=state')
    expect(managed.argumentsSchema.required).toEqual(['name'])
    const kinds = (await read('/v1/functions/pkg.install')).map(({ module }: { module: string }) => module)
    expect(kinds).toContain('aptpkg')
    expect(await admin('GET', '/v1/functions/no.such')).toEqual(isProblem(404))
  })
})

describe('large returns', () => {
  it('come in smaller pages, none of them left out', async () => {
    const jid = await finished('admin', { target: '*', function: 'test.echo', args: ['x'.repeat(1000)] })
    expect((await read(`/v1/jobs/${jid}/returns?limit=3`)).items).toHaveLength(3)
    const large = await finished('admin', {
      target: '*',
      function: 'cmd.run',
      args: ["head -c 5000000 /dev/zero | tr '\\0' x"],
      kwargs: { python_shell: true },
    })
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { items: { minion: string; value: string }[]; next: string | null } = await read(
        `/v1/jobs/${large}/returns?cursor=${cursor}`,
      )
      expect(page.items).toHaveLength(1)
      expect(page.items[0]!.value).toHaveLength(5_000_000)
      seen.push(page.items[0]!.minion)
      cursor = page.next
    }
    expect(seen).toEqual([...MINIONS])
  })
})

describe('a request that cannot be used', () => {
  it('is refused with the reason', async () => {
    const cases: Array<[Promise<Answer>, number, string?]> = [
      [site.send('GET', '/v1/jobs'), 401],
      [admin('GET', '/v1/nothing'), 404],
      [admin('GET', '/v1'), 404],
      [admin('DELETE', '/v1/jobs'), 405],
      [admin('GET', '/v1/jobs?limit=1001'), 400, 'limit'],
      [admin('GET', '/v1/jobs?limit=x'), 400, 'limit'],
      [admin('GET', '/v1/jobs?other=1'), 400, 'other'],
      [admin('GET', '/v1/jobs?cursor=eHh4'), 400, 'cursor'],
      [admin('GET', '/v1/jobs?function=****'), 400, 'function'],
      [admin('GET', '/v1/jobs?since=yesterday'), 400, 'since'],
      [admin('GET', '/v1/jobs/..%2f..%2fetc'), 400, 'jid'],
      [admin('GET', '/v1/minions/..%2fx'), 400, 'id'],
      [admin('GET', `/v1/minions/${'a'.repeat(300)}`), 400, 'id'],
      [admin('POST', '/v1/jobs', { target: '*' }), 400, 'function'],
      [admin('POST', '/v1/jobs', { target: '*', function: 'test.ping', jid: '1' }), 400, 'jid'],
      [admin('POST', '/v1/jobs', '{"target":'), 400],
      [admin('POST', '/v1/jobs', `${'['.repeat(200)}${']'.repeat(200)}`), 400],
      [admin('POST', '/v1/jobs', { target: '*', function: 'test.ping', args: ['x'.repeat(1_100_000)] }), 413],
      [site.as('admin', 'POST', '/v1/jobs', 'target=*', { 'Content-Type': 'text/plain' }), 415],
    ]
    for (const [sent, status, field] of cases) {
      const answer = await sent
      expect(answer).toEqual(
        isProblem(status, field === undefined ? {} : { errors: [{ field, reason: expect.any(String) }] }),
      )
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
    }
  })
})
