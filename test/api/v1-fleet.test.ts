// Minions, targets and jobs of the interface under /v1 as the console needs them, of a real master with three real minions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Answer, MINIONS, V1Site } from './v1-site.ts'

let site: V1Site

beforeAll(async () => {
  site = await V1Site.open({
    nodegroups: { webs: 'web*', both: 'N@webs or db1', broken: 'web1 or )' },
    mine_interval: 1,
  })
  site.write('pillar/top.sls', 'base:', "  '*':", '    - common', '    - more', '  db1:', '    - long')
  site.write('pillar/common.sls', 'web:', '  port: 80', '  db_password: hunter2', 'list: [1, 2]')
  site.write('pillar/long.sls', `long: ${'x'.repeat(5000)}`, `many: [${Array(2000).fill('item').join(', ')}]`)
  site.write('pillar/more.sls', '', 'web:', '  port: 8443')
  site.write('srv/top.sls', 'base:', "  '*':", '    - site')
  site.write(
    'srv/site.sls',
    'good:',
    '  test.succeed_without_changes: []',
    'new:',
    '  test.succeed_with_changes: []',
    "{% if grains['id'] == 'db1' %}",
    'bad:',
    '  test.fail_without_changes:',
    '    - comment: The disk is full',
    'after:',
    '  test.succeed_without_changes:',
    '    - require: [{test: bad}]',
    '{% endif %}',
    'own:',
    '  test.succeed_without_changes:',
    "    - name: {{ grains['id'] }}",
  )
  site.write('srv/broken.sls', 'broken: {% nonsense')
  await site.addMinions()
})
afterAll(() => site?.close())

const admin = (method: string, path: string, body?: unknown): Promise<Answer> => site.as('admin', method, path, body)

const read = async (path: string) => {
  const { status, body } = await admin('GET', path)
  expect([status, body]).toEqual([200, body])
  return body
}

/** Begin a job, and wait until minions have returned. */
async function finished(job: Record<string, unknown>, count?: number): Promise<string> {
  const { status, body } = await admin('POST', '/v1/jobs', job)
  expect([status, body]).toEqual([202, body])
  await eventually(async () => {
    const { counts } = await read(`/v1/jobs/${body.jid}`)
    expect(counts.returned).toBe(count ?? counts.minions)
  })
  return body.jid
}

const isRefused = (status: number) => expect.objectContaining({ status, body: expect.objectContaining({ status }) })

const ids = (items: Array<{ id: string }>): string[] => items.map(({ id }) => id)

describe('the list of minions', () => {
  it('returns how many minions the filters choose', async () => {
    expect(await read('/v1/minions?limit=1')).toMatchObject({ total: 3, items: [{ id: 'db1' }] })
    expect(await read('/v1/minions?limit=1&q=web')).toMatchObject({ total: 2, items: [{ id: 'web1' }] })
    expect((await read('/v1/minions?limit=5000')).items).toHaveLength(3)
    expect(await admin('GET', '/v1/minions?limit=5001')).toEqual(isRefused(400))
  })

  it('is filtered by a compound target', async () => {
    const by = (target: string, more = '') => `/v1/minions?target=${encodeURIComponent(target)}${more}`
    expect(ids((await read(by('G@role:web and not web2'))).items)).toEqual(['web1'])
    expect(ids((await read(by('N@webs', '&q=2'))).items)).toEqual(['web2'])
    expect(await read(by('none'))).toMatchObject({ items: [], total: 0 })
    expect(await admin('GET', by('web1 or )'))).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'target', reason: expect.stringMatching(/\S/) }] },
    })
    expect(ids((await site.as('reader', 'GET', by('web*'))).body.items)).toEqual(['web1', 'web2'])
    for (const target of ['G@role:web', 'web* or I@web:db_password:h*']) {
      expect(await site.as('reader', 'GET', by(target))).toEqual(isRefused(403))
    }
  })

  it('has the beginning of long values', async () => {
    await eventually(async () => {
      const { items } = await read('/v1/minions?q=db1&columns=pillar.long,pillar.many')
      const { 'pillar.long': long, 'pillar.many': many } = items[0].columns
      expect(long).toBe(`${'x'.repeat(1000)}…`)
      expect(many).toMatch(/^\['item', 'item'.{900,1000}…$/s)
    })
  })

  it('has columns of grains and pillar, with secrets masked', async () => {
    const columns = 'grains.role,grains.none:such,pillar.web:port,pillar.web,pillar.web:db_password'
    await eventually(async () => {
      const { items } = await read(`/v1/minions?q=web1&columns=${columns}`)
      expect(items[0].columns).toEqual({
        'grains.role': 'web',
        'grains.none:such': null,
        'pillar.web:port': 8443,
        'pillar.web': { port: 8443, db_password: '**********' },
        'pillar.web:db_password': '**********',
      })
    })
    expect((await read('/v1/minions')).items[0]).not.toHaveProperty('columns')
    for (const column of ['grains.role', 'pillar.web']) {
      expect(await site.as('reader', 'GET', `/v1/minions?columns=${column}`)).toEqual(isRefused(403))
    }
    for (const wrong of ['role', 'grains.', 'pillar.a::b', Array(13).fill('grains.id').join(',')]) {
      expect(await admin('GET', `/v1/minions?columns=${wrong}`)).toEqual(isRefused(400))
    }
  })

  it('shows the drift of a dry run until the highstate is applied', async () => {
    const drift = async () => (await read('/v1/minions?q=web2')).items[0].drift
    const tried = await finished({ target: 'web2', function: 'state.apply', kwargs: { test: true } })
    await eventually(async () => expect(await drift()).toEqual({ jid: tried, when: expect.any(String), changes: 1 }))
    await eventually(async () => expect((await read('/v1/status')).highstates).toMatchObject({ drift: 1 }))
    await finished({ target: 'web2', function: 'state.highstate' })
    await eventually(async () => expect(await drift()).toBeNull())
  })
})

describe('targets', () => {
  const resolve = (target: string, type = 'glob') =>
    read(`/v1/targets?target=${encodeURIComponent(target)}&targetType=${type}`)

  it('mean minions', async () => {
    expect(await resolve('web*')).toEqual({ total: 2, minions: ['web1', 'web2'], missing: [], problem: null })
    expect(await resolve('web\\d', 'pcre')).toMatchObject({ minions: ['web1', 'web2'] })
    expect(await resolve('web1,nobody', 'list')).toEqual({
      total: 1,
      minions: ['web1'],
      missing: ['nobody'],
      problem: null,
    })
    expect(await resolve('role:db', 'grain')).toMatchObject({ minions: ['db1'] })
    expect(await resolve('G@role:web and not web2', 'compound')).toMatchObject({ minions: ['web1'] })
    expect(await resolve('both', 'nodegroup')).toMatchObject({ total: 3 })
    expect(await read('/v1/targets?target=*&limit=1')).toMatchObject({ total: 3, minions: ['db1'] })
  })

  it('that cannot be read have a problem', async () => {
    for (const [target, kind] of [
      ['(', 'pcre'],
      ['web1 or )', 'compound'],
      ['nothing', 'nodegroup'],
    ] as const) {
      expect(await resolve(target, kind)).toEqual({
        total: 0,
        minions: [],
        missing: [],
        problem: expect.stringMatching(/\S/),
      })
    }
  })

  it('do not reveal grains and pillar without the rights for them', async () => {
    const ask = (target: string, type: string) =>
      site.as('reader', 'GET', `/v1/targets?target=${encodeURIComponent(target)}&targetType=${type}`)
    expect((await ask('web*', 'glob')).body).toMatchObject({ total: 2 })
    expect((await ask('webs', 'nodegroup')).body).toMatchObject({ total: 2 })
    for (const [target, kind, right] of [
      ['role:db', 'grain', 'cache.grains'],
      ['10.0.0.0/8', 'ipcidr', 'cache.grains'],
      ['web:db_password:h*', 'pillar', 'cache.pillar'],
      ['web* and I@web:db_password:h*', 'compound', 'cache.pillar'],
      ['web* and I|@web|db_password|h*', 'compound', 'cache.pillar'],
      ['J;@web;db_password;h.*', 'compound', 'cache.pillar'],
      ['not G|@role|db', 'compound', 'cache.grains'],
    ] as const) {
      expect(await ask(target, kind)).toMatchObject({ status: 403, body: { detail: expect.stringContaining(right) } })
    }
    expect(await site.as('bob', 'GET', '/v1/targets?target=*')).toEqual(isRefused(403))
  })

  it('of the configuration are listed', async () => {
    expect(await read('/v1/nodegroups')).toEqual({
      items: [
        { name: 'webs', expression: 'web*', minions: 2 },
        { name: 'both', expression: 'N@webs or db1', minions: 3 },
        { name: 'broken', expression: 'web1 or )', minions: null },
      ],
      next: null,
    })
    expect(await site.as('bob', 'GET', '/v1/nodegroups')).toEqual(isRefused(403))
  })
})

describe('a minion', () => {
  it('has a pillar with the source of each value', async () => {
    const { masked, items } = await read('/v1/minions/web1/pillar?reveal=true')
    expect(masked).toBe(false)
    const rows = items.map(({ path, at, value }: { path: string; at: string; value: unknown }) => [
      path,
      at.split('/').at(-1),
      value,
    ])
    expect(rows.sort()).toEqual([
      ['list', 'common.sls:4', [1, 2]],
      ['web:db_password', 'common.sls:3', 'hunter2'],
      ['web:port', 'more.sls:3', 8443],
    ])
    for (const [user, query] of [
      ['admin', ''],
      ['reader', '?reveal=true'],
    ] as const) {
      const { body } = await site.as(user, 'GET', `/v1/minions/web1/pillar${query}`)
      expect(body.masked).toBe(true)
      expect(new Set(body.items.map(({ value }: { value: unknown }) => value))).toEqual(new Set(['**********']))
    }
  })

  it('has values in the mine', async () => {
    await finished({ target: 'web1', function: 'mine.send', args: ['test.ping'] })
    await finished({
      target: 'web1',
      function: 'mine.send',
      args: ['test.echo', 'shared'],
      kwargs: { allow_tgt: 'db1' },
    })
    await eventually(async () => {
      const { items } = await read('/v1/minions/web1/mine')
      expect(items).toContainEqual({ function: 'test.ping', value: true })
      expect(items).toContainEqual({ function: 'test.echo', value: 'shared' })
    })
    expect(await read('/v1/minions/db1/mine')).toEqual({ items: expect.any(Array) })
    expect(await admin('GET', '/v1/minions/nobody/mine')).toEqual(isRefused(404))
    expect(await site.as('reader', 'GET', '/v1/minions/web1/mine')).toEqual(isRefused(403))
  })

  it('has a list of the runs of states that it returned', async () => {
    const one = await finished({ target: 'db1', function: 'state.apply' })
    const two = await finished({ target: 'db1', function: 'state.sls', args: ['site'], kwargs: { test: true } })
    await finished({ target: 'db1', function: 'state.show_top' })
    const { items, next } = await read('/v1/minions/db1/highstates')
    expect(next).toBeNull()
    expect(items).toEqual([
      {
        jid: two,
        when: expect.any(String),
        function: 'state.sls',
        mods: ['site'],
        test: true,
        succeeded: 3,
        changed: 1,
        failed: 2,
        duration: expect.any(Number),
      },
      expect.objectContaining({ jid: one, function: 'state.apply', mods: [], test: false, changed: 1, failed: 2 }),
    ])
    const first = await read('/v1/minions/db1/highstates?limit=1')
    expect(first.items.map(({ jid }: { jid: string }) => jid)).toEqual([two])
    const rest = await read(`/v1/minions/db1/highstates?limit=1&cursor=${first.next}`)
    expect([rest.items.map(({ jid }: { jid: string }) => jid), rest.next]).toEqual([[one], null])
    expect(await site.as('bob', 'GET', '/v1/minions/db1/highstates')).toEqual(isRefused(403))
  })
})

describe('a job of states', () => {
  it('is a matrix of minions and states, with groups of the same results', async () => {
    const jid = await finished({ target: '*', function: 'state.apply' })
    const matrix = await read(`/v1/jobs/${jid}/matrix`)
    expect(matrix).toMatchObject({ jid, waiting: 0, more: false })
    const column = (id: string) => matrix.states.findIndex((state: { id: string }) => state.id === id)
    expect(ids(matrix.states).sort()).toEqual(['after', 'bad', 'good', 'new', 'own'])
    expect(matrix.states[column('bad')]).toMatchObject({
      key: 'test_|-bad_|-bad_|-fail_without_changes',
      function: 'test.fail_without_changes',
      sls: 'site',
      place: expect.stringMatching(/srv\/site\.sls:6$/),
    })
    const cell = (minion: string, id: string) =>
      matrix.rows.find((row: { minion: string }) => row.minion === minion).cells[column(id)] ?? '.'
    const row = (minion: string) => ['good', 'new', 'bad', 'after', 'own'].map((id) => cell(minion, id)).join('')
    expect(MINIONS.map(row)).toEqual(['scfks', 'sc..s', 'sc..s'])
    const { groups } = matrix
    expect(groups.map(({ minions }: { minions: number }) => minions).sort()).toEqual([1, 1, 1])
    const db = groups.find(({ sample }: { sample: string }) => sample === 'db1')
    expect(db).toMatchObject({ succeeded: false, changed: 1, failed: 2, text: expect.stringContaining('2 failed') })
    const web = groups.find(({ sample }: { sample: string }) => sample === 'web1')
    expect(web).toMatchObject({ succeeded: true, changed: 1, failed: 0, text: '1 changed' })
    expect(await site.as('bob', 'GET', `/v1/jobs/${jid}/matrix`)).toEqual(isRefused(403))
  })

  it('of which the minions did the same has one group', async () => {
    const jid = await finished({
      target: 'web*',
      function: 'state.single',
      args: ['cmd.run'],
      kwargs: { name: 'true' },
    })
    const { groups, rows, states } = await read(`/v1/jobs/${jid}/matrix`)
    expect(groups).toMatchObject([{ minions: 2, succeeded: true, changed: 1 }])
    expect(rows.map(({ cells, group }: { cells: string; group: number }) => [cells, group])).toEqual([
      ['c', 0],
      ['c', 0],
    ])
    expect(states[0]).toMatchObject({ function: 'cmd.run', place: null })
  })

  it('shows a dry run, and a return that is no result of states', async () => {
    const tried = await finished({ target: 'web1', function: 'state.apply', kwargs: { test: true } })
    const matrix = await read(`/v1/jobs/${tried}/matrix`)
    expect(matrix.rows[0].cells).toBe('sts')
    expect(matrix.groups[0]).toMatchObject({ changed: 1, failed: 0, text: '1 would change' })
    const broken = await finished({ target: 'web1', function: 'state.apply', args: ['broken'] })
    expect(await read(`/v1/jobs/${broken}/matrix`)).toMatchObject({
      states: [],
      rows: [{ minion: 'web1', cells: '!', group: 0 }],
      groups: [{ succeeded: false, text: expect.stringMatching(/\S/) }],
    })
  })

  it('gives the rows that came since', async () => {
    const jid = await finished({ target: '*', function: 'state.apply' })
    const first = await read(`/v1/jobs/${jid}/matrix?limit=2`)
    expect([first.rows.length, first.more]).toEqual([2, true])
    const rest = await read(`/v1/jobs/${jid}/matrix?after=${first.cursor}`)
    expect([rest.rows.length, rest.more]).toEqual([1, false])
    expect([...first.rows, ...rest.rows].map(({ minion }) => minion).sort()).toEqual([...MINIONS])
    const none = await read(`/v1/jobs/${jid}/matrix?after=${rest.cursor}`)
    expect([none.rows, none.cursor, none.groups]).toEqual([[], rest.cursor, rest.groups])
    expect(await admin('GET', `/v1/jobs/${jid}/matrix?after=eHh4`)).toEqual(isRefused(400))
  })

  it('shows minions that have not returned as waiting', async () => {
    site.putKey('minions', 'asleep')
    try {
      const { jid } = (await admin('POST', '/v1/jobs', { target: '*', function: 'state.apply' })).body
      await eventually(async () => expect((await read(`/v1/jobs/${jid}/matrix`)).rows).toHaveLength(3))
      expect(await read(`/v1/jobs/${jid}/matrix`)).toMatchObject({ waiting: 1, more: false })
      expect(await read(`/v1/jobs/${jid}`)).toMatchObject({ cancelable: true })
    } finally {
      await admin('POST', '/v1/keys/asleep', { action: 'delete' })
    }
  })
})

describe('a job of any function', () => {
  it('has groups of the same returns, with their value', async () => {
    const jid = await finished({ target: '*', function: 'grains.get', args: ['role'] })
    const { groups, waiting } = await read(`/v1/jobs/${jid}/groups`)
    expect(waiting).toBe(0)
    expect(groups).toMatchObject([
      { minions: 2, minionIds: ['web1', 'web2'], value: 'web', text: 'web', truncated: false, succeeded: true },
      { minions: 1, minionIds: ['db1'], value: 'db', sample: 'db1' },
    ])
    expect(await site.as('bob', 'GET', `/v1/jobs/${jid}/groups`)).toEqual(isRefused(403))
  })

  it('shows its returner and its metadata', async () => {
    const { access } = site.master.opened
    const options = new Map([['metadata', new Map([['ticket', 7]])]])
    const one = await access.publish({ tgt: 'web1', fun: 'test.ping', options })
    await eventually(async () =>
      expect(await read(`/v1/jobs/${one!.jid}`)).toMatchObject({
        metadata: { ticket: 7 },
        returner: null,
        cancelable: false,
      }),
    )
    const other = await access.publish({ tgt: 'web1', fun: 'test.ping', ret: 'local_cache' })
    expect(await read(`/v1/jobs/${other!.jid}`)).toMatchObject({ metadata: null, returner: 'local_cache' })
    const refused = await admin('POST', '/v1/jobs', { target: 'web1', function: 'test.ping', metadata: { ticket: 7 } })
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('@publish') } })
  })

  it('runs in batches under one job id', async () => {
    const { status, body } = await admin('POST', '/v1/jobs', { target: '*', function: 'test.ping', batch: '1' })
    expect([status, body]).toEqual([202, { jid: expect.any(String), minions: [...MINIONS] }])
    await eventually(async () => expect((await read(`/v1/jobs/${body.jid}`)).counts.returned).toBe(3))
    expect((await read(`/v1/jobs/${body.jid}/returns`)).items).toHaveLength(3)
    const bob = (job: Record<string, unknown>) => site.as('bob', 'POST', '/v1/jobs', { function: 'test.ping', ...job })
    expect((await bob({ target: 'web*', batch: '50%' })).status).toBe(202)
    expect(await bob({ target: '*', batch: '50%' })).toEqual(isRefused(403))
    expect(await bob({ target: 'none', batch: '1' })).toEqual(isRefused(422))
    for (const batch of ['0', 'all', '-1', '']) expect(await bob({ target: 'web1', batch })).toEqual(isRefused(400))
  })
})

describe('the state of the master', () => {
  it('has highstates, events and health', async () => {
    await finished({ target: 'db1', function: 'state.apply' })
    await eventually(async () => {
      const { highstates, busiest, health, history } = await read('/v1/status')
      expect(highstates.failed).toBe(1)
      expect(highstates.clean + highstates.changed + highstates.failed + highstates.never).toBe(3)
      const tags = busiest.map(({ tag }: { tag: string }) => tag)
      expect(tags).toContain('salt/job/*/ret')
      expect(tags.length).toBeLessThanOrEqual(8)
      expect(health).toMatchObject({ storage: 'ok', rssBytes: expect.any(Number), cpuPercent: expect.any(Number) })
      expect(health.openFiles).toBeGreaterThan(0)
      expect(history).toEqual(expect.any(Array))
    })
  })
})
