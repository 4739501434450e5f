// The reactor, orchestration runs and traces under /v1, with a real master and minions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { ApiSite } from './api-site.ts'
import { type Answer, V1Site } from './v1-site.ts'

let site: V1Site

const USERS = {
  admin: ['.*', '@runner', '@wheel'],
  tester: [{ '@runner': ['reactor.list', 'reactor.test'] }],
  bob: ['test.*'],
  // one run of another day, and no other
  resumer: [{ '@runner': [{ 'state.orchestrate_resume': [{ kwargs: { jid: '20250101000000000000' } }] }] }],
}

beforeAll(async () => {
  site = await V1Site.open({
    external_auth: { sharedsecret: USERS },
    reactor: [
      { 'deploy/*': ['salt://reactor/deploy.sls'] },
      { 'broken/*': ['salt://reactor/broken.sls', { origin: 'user:admin' }] },
    ],
  })
  site.write(
    'srv/reactor/deploy.sls',
    'ping:',
    '  local.test.echo:',
    "    - tgt: {{ data['minion'] }}",
    '    - args:',
    '      - text: hello',
  )
  site.write('srv/reactor/broken.sls', 'x:', "  local.test.echo: {{ data['missing']['deep'] }}")
  site.write(
    'srv/orch.sls',
    'first:',
    '  salt.function:',
    '    - name: test.ping',
    '    - tgt: web1',
    'bad:',
    '  test.fail_without_changes:',
    '    - require:',
    '      - salt: first',
    'third:',
    '  test.succeed_without_changes:',
    '    - require:',
    '      - test: bad',
    '    - watch:',
    '      - salt: first',
  )
  await site.addMinions()
})
afterAll(() => site?.close())

const isProblem = (status: number) => expect.objectContaining({ status, body: expect.objectContaining({ status }) })

const read = async (path: string): Promise<Answer['body']> => {
  const { status, body } = await site.as('admin', 'GET', path)
  expect([status, body]).toEqual([200, body])
  return body
}

const fire = async (tag: string, data: object): Promise<number> =>
  (await site.as('admin', 'POST', '/v1/events', { tag, data })).body.number

describe('the reactor', () => {
  it('lists its rules with what they did', async () => {
    expect((await read('/v1/reactor')).items).toMatchObject([
      { tag: 'deploy/*', files: ['salt://reactor/deploy.sls'], hits: 0, errors: 0, lastHit: null, lastError: null },
      { tag: 'broken/*', files: ['salt://reactor/broken.sls'], origin: 'user:admin' },
    ])
    await fire('deploy/web1', { minion: 'web1' })
    await fire('broken/web1', {})
    await eventually(async () => {
      const [deploy, broken] = (await read('/v1/reactor')).items
      expect(deploy).toMatchObject({ hits: 1, errors: 0, place: expect.stringMatching(/\/master:\d+$/) })
      expect(Date.parse(deploy.lastHit)).toBeGreaterThan(0)
      expect(broken).toMatchObject({ hits: 1, errors: 1, lastError: expect.stringContaining('missing') })
    })
  })

  it('lists its reactions with calls and jobs', async () => {
    const event = await fire('deploy/web2', { minion: 'web2' })
    const [reaction] = await eventually(async () => {
      const { items } = await read('/v1/reactions?tag=deploy/web2')
      expect(items).toMatchObject([{ state: 'done' }])
      return items
    })
    expect(reaction).toMatchObject({
      tag: 'deploy/web2',
      event,
      file: expect.stringContaining('deploy.sls'),
      calls: [{ kind: 'local', function: 'test.echo', target: 'web2', result: ['web2'], error: null }],
    })
    await eventually(async () =>
      expect((await read(`/v1/jobs/${reaction.calls[0].jid}`)).counts).toMatchObject({ returned: 1 }),
    )
  })

  it('shows what it would do, without doing it', async () => {
    const body = { tag: 'deploy/x', data: { minion: 'db1' } }
    const tested = await site.as('tester', 'POST', '/v1/reactor/test', body)
    expect([tested.status, tested.body]).toMatchObject([
      200,
      {
        matched: [{ tag: 'deploy/*', files: ['salt://reactor/deploy.sls'] }],
        calls: [
          { id: 'ping', kind: 'local', function: 'test.echo', target: 'db1', kwargs: { text: 'hello' }, error: null },
        ],
        errors: [],
      },
    ])
    const other = await site.as('tester', 'POST', '/v1/reactor/test', { tag: 'broken/x', origin: 'minion:web1' })
    expect(other.body).toEqual({ matched: [], calls: [], errors: [] })
    expect((await read('/v1/reactions?tag=deploy/x')).items).toEqual([])
  })

  it('takes an event of the journal from users that may read events', async () => {
    const event = await fire('deploy/again', { minion: 'web1' })
    const tested = await eventually(async () => {
      const answer = await site.as('admin', 'POST', '/v1/reactor/test', { event })
      expect(answer.status).toBe(200)
      return answer.body
    })
    expect(tested.calls).toMatchObject([{ target: 'web1' }])
    expect(await site.as('tester', 'POST', '/v1/reactor/test', { event })).toEqual(isProblem(403))
    expect(await site.as('admin', 'POST', '/v1/reactor/test', { event: 9_999_999 })).toEqual(isProblem(404))
    for (const body of [{}, { event, tag: 'a' }, { data: {} }, { event: -1 }]) {
      expect(await site.as('admin', 'POST', '/v1/reactor/test', body)).toEqual(isProblem(400))
    }
  })

  it('is for users with the rights', async () => {
    for (const path of ['reactor', 'reactions'])
      expect(await site.as('bob', 'GET', `/v1/${path}`)).toEqual(isProblem(403))
    expect(await site.as('bob', 'POST', '/v1/reactor/test', { tag: 'deploy/x' })).toEqual(isProblem(403))
  })
})

interface Step {
  key: string
  name: string
  state: string
  requires: string[]
}

describe('orchestration runs', () => {
  const KEYS = {
    first: 'salt_|-first_|-test.ping_|-function',
    bad: 'test_|-bad_|-bad_|-fail_without_changes',
    third: 'test_|-third_|-third_|-succeed_without_changes',
  }

  const begin = async (): Promise<string> => {
    const call = { client: 'runner', function: 'state.orchestrate', args: ['orch'] }
    expect((await site.as('admin', 'POST', '/v1/calls', call)).body.succeeded).toBe(false)
    return (await read('/v1/runs?limit=1')).items[0].jid
  }

  const resumed = async (jid: string, body: object, state: string): Promise<Answer['body']> => {
    const { status, body: begun } = await site.as('admin', 'POST', `/v1/runs/${jid}/resume`, body)
    expect([status, begun]).toEqual([202, { jid: expect.stringMatching(/^\d{20}$/), tag: `salt/run/${begun.jid}` }])
    await site.master.event(new RegExp(`^${begun.tag}/ret$`))
    const run = await read(`/v1/runs/${jid}`)
    expect(run.state).toBe(state)
    return run
  }

  const states = (run: { steps: Step[] }): Record<string, string> =>
    Object.fromEntries(run.steps.map(({ name, state }) => [name, state]))

  it('show their steps with what each requires', async () => {
    const jid = await begin()
    const [listed] = (await read('/v1/runs?limit=1')).items
    expect(listed).toMatchObject({ jid, state: 'failed', user: 'admin', steps: { total: 3, done: 1, failed: 1 } })
    const run = await read(`/v1/runs/${jid}`)
    expect(run).toMatchObject({ resumable: true, user: 'admin' })
    expect(Date.parse(run.ended)).toBeGreaterThanOrEqual(Date.parse(run.started))
    expect(run.steps.map(({ key, requires, order }: Step & { order: number }) => [order, key, requires])).toEqual([
      [0, KEYS.first, []],
      [1, KEYS.bad, [KEYS.first]],
      [2, KEYS.third, expect.arrayContaining([KEYS.bad, KEYS.first])],
    ])
    expect(states(run)).toEqual({ first: 'succeeded', bad: 'failed', third: 'skipped' })
    const [first, bad, third] = run.steps
    expect(first).toMatchObject({ function: 'salt.function', skippable: false, duration: expect.any(Number) })
    expect(first.place).toMatch(/orch\.sls:\d+$/)
    expect(Date.parse(first.ended)).toBeGreaterThanOrEqual(Date.parse(first.started))
    expect([bad.skippable, third.skippable, third.started, third.ended]).toEqual([true, true, null, null])
  })

  it('are resumed, without steps that are to be left out', async () => {
    const jid = await begin()
    const job = (await read(`/v1/runs/${jid}`)).steps[0].jobs
    const again = await resumed(jid, {}, 'failed')
    expect(again.steps[0].jobs).toEqual(job)
    const whole = await resumed(jid, { skip: [KEYS.bad] }, 'succeeded')
    expect([states(whole)['third'], whole.resumable]).toEqual(['succeeded', false])
    expect(whole.steps[0].jobs).toEqual(job)
    expect(await site.as('admin', 'POST', `/v1/runs/${jid}/resume`, {})).toEqual(isProblem(422))
    const retried = await resumed(jid, { skip: [KEYS.bad], retry: [KEYS.first] }, 'succeeded')
    expect(retried.steps[0].jobs).toHaveLength(2)
  })

  it('are not resumed without the right, or with steps that they do not have', async () => {
    const jid = await begin()
    for (const user of ['bob', 'tester', 'resumer']) {
      for (const asked of [{}, { skip: [KEYS.bad] }, { retry: [KEYS.first] }]) {
        expect(await site.as(user, 'POST', `/v1/runs/${jid}/resume`, asked)).toEqual(isProblem(403))
      }
      // the same by a call of the function, and for a run that there is not
      const call = { client: 'runner', function: 'state.orchestrate_resume', kwargs: { jid, skip: [KEYS.bad] } }
      expect(await site.as(user, 'POST', '/v1/calls', call)).toEqual(isProblem(403))
      expect(await site.as(user, 'POST', '/v1/runs/20260101000000000000/resume', {})).toEqual(isProblem(403))
    }
    expect((await read(`/v1/runs/${jid}`)).state).toBe('failed')
    expect(await site.as('admin', 'POST', `/v1/runs/${jid}/resume`, { skip: ['none'] })).toEqual(isProblem(422))
    expect(await site.as('admin', 'POST', '/v1/runs/20260101000000000000/resume', {})).toEqual(isProblem(404))
    expect(await site.as('admin', 'POST', `/v1/runs/${jid}/resume`, { other: 1 })).toEqual(isProblem(400))
  })

  it('are traced with their steps and jobs', async () => {
    const jid = await begin()
    const { steps } = await read(`/v1/runs/${jid}`)
    const { root } = await read(`/v1/traces?what=${steps[0].jobs[0]}`)
    expect(root).toMatchObject({ kind: 'user', title: 'admin' })
    const [job] = root.children
    expect(job).toMatchObject({
      kind: 'job',
      jid,
      asked: false,
      children: [{ kind: 'orchestration', state: 'failed' }],
    })
    const [step] = job.children[0].children
    expect(step).toMatchObject({ kind: 'step', title: 'first: salt.function', state: 'ok' })
    expect(step.children).toMatchObject([
      { kind: 'job', asked: true, jid: steps[0].jobs[0], children: [{ kind: 'minion', minion: 'web1' }] },
    ])
  })
})

describe('traces', () => {
  it('lead from an event to what it caused', async () => {
    const event = await fire('deploy/traced', { minion: 'web1' })
    await eventually(async () => {
      const { root } = await read('/v1/traces?what=deploy/tra*')
      expect(root).toMatchObject({ kind: 'event', event, title: 'deploy/traced', asked: true })
      expect(root.children).toMatchObject([
        { kind: 'reaction', title: 'deploy/*', children: [{ kind: 'call', state: 'ok', children: [{ kind: 'job' }] }] },
      ])
    })
    const byNumber = await read(`/v1/traces?what=${event}`)
    expect(byNumber.root).toMatchObject({ event, asked: true })
  })

  it('have at most so many minions of a job', async () => {
    const { jid } = (await site.as('admin', 'POST', '/v1/jobs', { target: '*', function: 'test.ping' })).body
    await eventually(async () => expect((await read(`/v1/jobs/${jid}`)).counts.missing).toBe(0))
    const call = { client: 'runner', function: 'trace.show', args: [jid], kwargs: { most: 2 } }
    const { value } = (await site.as('admin', 'POST', '/v1/calls', call)).body
    const [job] = value.next
    expect(job.next.map(({ link, what }: { link: string; what: string }) => [link, what])).toEqual([
      ['minion', 'db1'],
      ['minion', 'web1'],
      ['minions', '1 more'],
    ])
  })

  it('are refused for what there is not, and without the right', async () => {
    for (const what of ['99999999', 'no/such/*', '20260101000000000000']) {
      expect(await site.as('admin', 'GET', `/v1/traces?what=${encodeURIComponent(what)}`)).toEqual(isProblem(404))
    }
    expect(await site.as('admin', 'GET', '/v1/traces?what=*/*/*/*')).toEqual(isProblem(400))
    expect(await site.as('admin', 'GET', '/v1/traces')).toEqual(isProblem(400))
    expect(await site.as('bob', 'GET', '/v1/traces?what=deploy/*')).toEqual(isProblem(403))
  })
})

describe('an API inside the master', () => {
  it('knows the rules of the reactor and the schedule as well', async () => {
    const own = await ApiSite.open([], {
      reactor: [{ 'deploy/*': ['salt://reactor/deploy.sls'] }],
      schedule: { often: { function: 'test.arg', hours: 1 } },
    })
    try {
      const token = await own.logIn('admin')
      const rule = { tag: 'deploy/*', hits: 0 }
      expect((await own.ask('/v1/reactor', { token })).json.items).toMatchObject([rule])
      const job = { name: 'often', when: 'every 3600 seconds' }
      expect((await own.ask('/v1/schedules', { token })).json.items).toMatchObject([job])
      const { json } = await own.ask('/v1/events', { token, body: { tag: 'deploy/x', data: { minion: 'a' } } })
      expect(json).toEqual({ tag: 'deploy/x', number: expect.any(Number) })
      await eventually(async () =>
        expect((await own.ask('/v1/reactor', { token })).json.items).toMatchObject([{ ...rule, hits: 1 }]),
      )
      const { json: preview } = await own.ask('/v1/reactor/test', { token, body: { tag: 'other' } })
      expect(preview).toEqual({ matched: [], calls: [], errors: [] })
    } finally {
      await own.close()
    }
  })
})
