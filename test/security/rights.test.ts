// What limited users may do on minions: what their list permits, on the authorised minions, and nothing more by a
// field, a job id, a name or a spelling that the master reads differently from minions.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { newJid } from '../../src/base/mod.ts'
import { type Dict, isDict, type Value } from '../../src/data/mod.ts'
import cmd from '../../src/library/system/cmd/module.ts'
import { TargetResolver } from '../../src/master/target-resolver.ts'
import { match } from '../../src/match/mod.ts'
import { bind, bindPublished, signatureOf } from '../../src/sdk/mod.ts'
import { Besieged, dict } from './besieged.ts'

const MINIONS = ['web1', 'web2', 'db1']
const BASE = {
  external_auth: {
    auto: {
      joe: [{ 'web*': ['.*'] }],
      tina: ['test.*'],
      kim: [{ '*': [{ 'cmd.run': [{ kwargs: { runas: 'nobody$' } }] }] }],
      rita: ['test.*', { '@publish': ['ret', 'metadata'] }],
      alice: ['.*', '@publish'],
      dora: [{ 'web*': [{ 'cmd.run': [{ args: ['id$'] }] }] }, { 'db*': ['cmd.run'] }],
      nora: [{ 'N@web': ['test.ping'] }],
    },
  },
  nodegroups: { web: 'web*' },
  publisher_acl: { nobody: ['test.ping'], daemon: ['.*'] },
  token_expire_user_override: true,
}

let site: Besieged
let sent: Dict[]

async function open(options: Record<string, unknown> = {}): Promise<void> {
  site = await Besieged.start({ ...BASE, ...options })
  for (const id of MINIONS) await site.minion(id)
}

beforeEach(() => {
  sent = []
  vi.spyOn(site.parts.publications, 'publish').mockImplementation(async (load) => {
    sent.push(load)
    return { keyId: '', packet: new Uint8Array() }
  })
})
afterEach(() => vi.restoreAllMocks())

const login = (username: string, more: Record<string, unknown> = {}): Dict =>
  dict({ eauth: 'auto', username, password: 'x', ...more })

/** A request of the shape in which Salt's clients send it. */
const request = (load: Record<string, unknown>): Record<string, unknown> => ({
  ...{ cmd: 'publish', tgt: '*', tgt_type: 'glob', fun: 'test.ping', arg: [], ret: '', jid: '', user: 'x' },
  ...load,
})

const as = (user: string, load: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<Value> =>
  site.clear(request({ kwargs: login(user, more), ...load }))

const keyOf = (user: string): string => readFileSync(`${site.cachedir}/.${user}_key`, 'utf8')
const byOwner = (load: Record<string, unknown>): Promise<Value> =>
  site.clear(request({ user: 'root', key: keyOf('root'), ...load }))

const errorOf = (answer: Value): string => {
  const error = isDict(answer) ? answer.get('error') : undefined
  return error !== undefined && isDict(error) ? String(error.get('name')) : ''
}

/** The minions that would take the publications that went out. */
const takers = (): string[] =>
  MINIONS.filter((id) =>
    sent.some((load) => {
      const subject = { id, grains: dict({ id }), pillar: new Map(), opts: new Map() }
      return match(String(load.get('tgt_type')), load.get('tgt')!, subject) === true
    }),
  )

describe('a master', () => {
  beforeAll(() => open())
  afterAll(() => site.stop())

  describe('freezes the target of a limited user', () => {
    it.each([
      ['glob', '[!,web1,]*'],
      ['glob', 'web1,[!,x,]*'],
      ['compound', 'L@web1,db1 and not T@x:db1'],
      ['compound', 'L@web1,db1 and not M@db*'],
      ['compound', 'L@web1,db1 and not x,db1'],
      ['compound', 'web1 or ( db1'],
      ['compound', 'web* and not not db1'],
      ['list', 'web1,db1,'],
      ['pcre', 'web|db'],
    ])('%s %s', async (kind, tgt) => {
      const answer = await as('joe', { fun: 'cmd.run', arg: ['id'], tgt, tgt_type: kind })
      expect(takers()).not.toContain('db1')
      if (errorOf(answer) === '') expect(sent.every((load) => load.get('tgt_type') === 'list')).toBe(true)
    })

    it('to the ids that were judged, and tells the target as it was typed', async () => {
      const answer = (await as('joe', { fun: 'cmd.run', arg: ['id'], tgt: 'web?' })) as Dict
      const jid = String((answer.get('load') as Dict).get('jid'))
      expect(sent.map((load) => [load.get('tgt'), load.get('tgt_type')])).toEqual([[['web1', 'web2'], 'list']])
      expect(sent[0]!.get('typed')).toEqual(dict({ tgt: 'web?', tgt_type: 'glob' }))
      const told = site.events.find(({ tag }) => tag === `salt/job/${jid}/new`)!.data
      expect([told.get('tgt'), told.get('minions')]).toEqual(['web?', ['web1', 'web2']])
      const kept = site.parts.jobs.job(jid)!
      expect([kept.load.get('tgt'), kept.minions]).toEqual(['web?', ['web1', 'web2']])
    })

    it('also where all minions are meant, but not for the owner', async () => {
      await byOwner({ tgt: 'web?' })
      await as('tina', { tgt: '*' })
      expect(sent.map((load) => load.get('tgt'))).toEqual(['web?', site.parts.keys.list('minions')])
    })
  })

  it('answers that nobody is meant, whatever the rights', async () => {
    const answer = (await as('joe', { tgt: 'nosuch*', fun: 'cmd.run', arg: ['id'] })) as Dict
    expect((answer.get('load') as Dict).get('jid')).toBe(null)
    expect(sent).toEqual([])
  })

  describe('keeps fields of a publication for users with a right to them', () => {
    const fields: Array<[field: string, load: Record<string, unknown>, kwargs: Record<string, unknown>]> = [
      ['ret', { ret: 'rawfile_json' }, {}],
      ['ret', { ret: ['rawfile_json'] }, {}],
      ['ret_config', {}, { ret_config: 'other' }],
      ['ret_kwargs', { ret: '' }, { ret_kwargs: dict({ filename: '/root/.bashrc' }) }],
      ['metadata', {}, { metadata: 'ssh-ed25519 AAAA' }],
      ['module_executors', {}, { module_executors: ['sudo'] }],
      ['executor_opts', {}, { executor_opts: dict({ splaytime: 9999 }) }],
      ['id', {}, { id: 'web1' }],
      ['master_id', {}, { master_id: 'm' }],
      ['start_event', {}, { start_event: true }],
      ['nocache', {}, { nocache: true }],
    ]

    it.each(fields)('%s', async (field, load, kwargs) => {
      site.logs.splice(0)
      expect(errorOf(await as('tina', load, kwargs))).toBe('AuthorizationError')
      expect(sent).toEqual([])
      expect(site.logs.join('\n')).toContain(`field ${field} `)
      expect(errorOf(await as('alice', load, kwargs))).toBe('')
      expect(sent).toHaveLength(1)
    })

    it('by their names, where a list names some', async () => {
      expect(errorOf(await as('rita', { ret: 'smtp' }, { ret_config: 'x', metadata: 'm' }))).toBe('')
      expect(sent[0]!.get('ret_config')).toBe('x')
      expect(errorOf(await as('rita', {}, { start_event: true }))).toBe('AuthorizationError')
    })

    it('and takes what ordinary commands carry', async () => {
      const shown = {
        show_timeout: true,
        show_jid: false,
        delimiter: ':',
        metadata: '',
        ret_kwargs: dict({}),
        start_event: false,
      }
      expect(errorOf(await as('tina', { to: 10, ret: '', jid: null }, { ...shown, client: 'local', x: 'y' }))).toBe('')
      const published = [...sent[0]!.keys()].sort()
      expect(published).toEqual(['arg', 'fun', 'jid', 'ret', 'tgt', 'tgt_type', 'to', 'typed', 'user'])
    })

    it.each<[Record<string, unknown>, Record<string, unknown>]>([
      [{ to: 'soon' }, {}],
      [{ ret: dict({}).set('a', 1) }, {}],
      [{ arg: 'id' }, {}],
      [{ fun: ['test.ping', 'cmd.run'], arg: ['ok'] }, {}],
      [{ fun: dict({}).set('a', 1) }, {}],
      [{ fun: `test.${'x'.repeat(300)}` }, {}],
      [{ tgt: dict({}) }, {}],
      [{ tgt: null }, {}],
      [{}, { executor_opts: 'x' }],
      [{}, { id: '../web1' }],
    ])('whose shape is right: not %j %j', async (load, kwargs) => {
      const answer = await byOwner({ ...load, kwargs: dict(kwargs) })
      expect(errorOf(answer)).toBe('SaltInvocationError')
      expect(sent).toEqual([])
    })
  })

  describe('takes a job id that is one', () => {
    const BAD = ['../../../../tmp/x', 'x', '20300101120000000001/ret', 5, ['20300101120000000001']]

    it.each(BAD)('and not %j, of anybody', async (jid) => {
      expect(errorOf(await byOwner({ jid }))).toBe('SaltInvocationError')
      expect(errorOf(await as('alice', { jid }))).toBe('SaltInvocationError')
      const batch = { cmd: 'batch', minions: ['web1'], batch: '1', jid }
      expect(errorOf(await as('alice', batch))).toBe('SaltInvocationError')
      expect(errorOf(await byOwner(batch))).toBe('SaltInvocationError')
      expect(sent).toEqual([])
      expect(await site.clear({ cmd: 'ping' })).toBeDefined()
    })

    it('of a limited user only with the right to choose it', async () => {
      for (const jid of ['20990101000000000001', '20200101000000000001'])
        expect(errorOf(await as('tina', { jid }))).toBe('AuthorizationError')
      expect(errorOf(await as('tina', { cmd: 'batch', minions: ['web1'], batch: '1', jid: newJid() }))).toBe(
        'AuthorizationError',
      )
      expect(sent).toEqual([])
      for (const jid of [newJid(), '20990101000000000001']) expect(errorOf(await as('alice', { jid }))).toBe('')
    })

    it('of a limited user also where it is new, or of an own job of the same function', async () => {
      const [own, foreign, runner] = [newJid(), newJid(), newJid()]
      expect(errorOf(await as('tina', { jid: own }))).toBe('')
      expect(errorOf(await as('tina', { jid: own, tgt: 'web1' }))).toBe('')
      expect(sent.splice(0).map((load) => load.get('jid'))).toEqual([own, own])
      expect(errorOf(await as('tina', { jid: own, fun: 'test.echo', arg: ['x'] }))).toBe('AuthorizationError')
      await byOwner({ jid: foreign })
      sent.splice(0)
      expect(errorOf(await as('tina', { jid: foreign }))).toBe('AuthorizationError')
      mkdirSync(`${site.cachedir}/proc`, { recursive: true })
      writeFileSync(`${site.cachedir}/proc/${runner}`, '')
      expect(errorOf(await as('tina', { jid: runner }))).toBe('AuthorizationError')
      expect(sent).toEqual([])
    })

    it('of the master itself that no job has, whatever ids users chose', async () => {
      const looked = vi.spyOn(site.parts.jobs, 'job').mockReturnValueOnce({ jid: '', load: new Map(), minions: [] })
      await byOwner({})
      const [[taken], [free]] = looked.mock.calls as [[string], [string]]
      expect([taken === free, sent.pop()!.get('jid')]).toEqual([false, free])
    })

    it.each(['forged', '../x', 'a\nb', '20300101120000000001/ret/db1', ''])('in a return, and not %j', async (jid) => {
      const minion = await site.minion('web1')
      site.events.splice(0)
      await minion.send(dict({ cmd: '_return', id: 'web1', jid, fun: 'test.ping', return: true }))
      expect(site.events.map(({ tag }) => tag).filter((tag) => tag.includes('/ret/'))).toEqual([])
    })

    it('or a word in place of it, in a return', async () => {
      const minion = await site.minion('web1')
      site.events.splice(0)
      for (const jid of ['req', 'nocache', newJid()])
        await minion.send(dict({ cmd: '_return', id: 'web1', jid, fun: 'test.ping', fun_args: [], return: true }))
      expect(site.events.map(({ tag }) => tag).filter((tag) => tag.includes('/ret/'))).toHaveLength(3)
    })
  })

  describe('sends a batch to the minions that were judged', () => {
    const batch = (minions: unknown, more: Record<string, unknown> = {}): Record<string, unknown> => ({
      ...{ cmd: 'batch', minions, batch: '10', fun: 'cmd.run', arg: ['id'], tgt: '*' },
      ...more,
    })

    it('and leaves out ids that nobody has', async () => {
      expect(errorOf(await as('joe', batch(['web1', '../x', 'ghost', 'web1,db1'])))).toBe('')
      expect(sent.map((load) => load.get('tgt'))).toEqual([['web1']])
    })

    it.each([[['web1', 'db1']], ['web1,db1'], [['db1']]])('and not to %j', async (minions) => {
      expect(errorOf(await as('joe', batch(minions)))).toBe('AuthorizationError')
      expect(sent).toEqual([])
    })

    it.each([[['ghost']], [[]], [null], [dict({})]])('and begins none for %j', async (minions) => {
      expect(errorOf(await as('joe', batch(minions)))).toBe('SaltInvocationError')
    })

    it('with the fields that its user may set', async () => {
      expect(errorOf(await as('joe', batch(['web1'], { ret: 'smtp' })))).toBe('AuthorizationError')
      expect(errorOf(await as('joe', batch(['web1']), { metadata: 'x' }))).toBe('AuthorizationError')
    })

    it('and takes no number of a batch that there is', async () => {
      const jid = newJid()
      expect(errorOf(await as('alice', batch(['web1'], { jid })))).toBe('')
      expect(errorOf(await as('alice', batch(['db1'], { jid })))).toBe('SaltInvocationError')
      expect(errorOf(await as('joe', batch(['web1'], { jid })))).toBe('AuthorizationError')
    })

    it.each(['batch_wait', 'timeout', 'gather_job_timeout'])('whatever number %s is', async (name) => {
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300, 'x'])
        expect(errorOf(await as('joe', batch(['web1'], { [name]: value })))).toBe('')
      expect(await site.clear({ cmd: 'ping' })).toBeDefined()
    })
  })

  describe('knows a local user by the key', () => {
    const by = (holder: string, user: unknown, load: Record<string, unknown> = {}): Promise<Value> =>
      site.clear(request({ key: keyOf(holder), user, ...load }))

    it.each(['root', 'daemon', 'sudo_daemon', 'sudo_nobody', 'sudo_root', 'sudo_', '', 'x', ['daemon'], null])(
      'and gives nobody no rights of %j',
      async (user) => {
        expect(errorOf(await by('nobody', user, { fun: 'cmd.run', arg: ['id'] }))).not.toBe('')
        expect(errorOf(await by('nobody', user, { cmd: 'wheel', fun: 'key.list_all' }))).not.toBe('')
        expect(sent).toEqual([])
      },
    )

    it('and takes no name that is another user', async () => {
      expect(errorOf(await by('nobody', 'nobody'))).toBe('')
      for (const user of ['root', 'daemon', 'sudo_nobody'])
        expect(errorOf(await by('nobody', user))).toBe('AuthenticationError')
    })

    it('and lets the owner come by sudo', async () => {
      expect(errorOf(await by('root', 'sudo_nobody', { fun: 'cmd.run', arg: ['id'] }))).toBe('')
      expect(sent[0]!.get('user')).toBe('sudo_nobody')
    })
  })

  describe('judges keywords as minions read them', () => {
    const kim = (...arg: unknown[]): Promise<Value> => as('kim', { fun: 'cmd.run', tgt: 'db1', arg })
    const keywords = (mark: unknown, more: Record<string, unknown>): Dict => dict({ __kwarg__: mark, ...more })

    it.each<[string, unknown[]]>([
      ['a false mark', ['id', keywords(true, { runas: 'root' }), keywords(false, { runas: 'nobody' })]],
      ['text', ['id', '/tmp', 'runas=root', keywords(false, { runas: 'nobody' })]],
      ['text after it', ['id', keywords(true, { runas: 'nobody' }), 'runas=root']],
      ['another dict after it', ['id', keywords(true, { runas: 'nobody' }), keywords(true, { runas: 'root' })]],
      ['a mark that is merely true', ['id', keywords(1, { runas: 'nobody' })]],
      ['no keyword', ['id', '/tmp', null, 'root']],
    ])('and is not misled by %s', async (_name, arg) => {
      expect(errorOf(await kim(...arg))).toBe('AuthorizationError')
      expect(sent).toEqual([])
    })

    it('and a minion takes no parameter twice, by its position and by its name', () => {
      const run = cmd.functions['run']!
      const called = (...arg: Value[]): unknown => {
        const { args, kwargs } = bindPublished(signatureOf(run, 'run'), arg)
        return bind(run, 'run', args, kwargs)
      }
      expect(called('id', '/', null, 'root')).toMatchObject({ runas: 'root' })
      expect(() => called('id', '/', null, 'root', keywords(true, { runas: 'nobody' }))).toThrow(
        "got multiple values for argument 'runas'",
      )
    })

    it('and lets through what was granted', async () => {
      expect(errorOf(await kim('id', keywords(true, { runas: 'nobody', cwd: '/' })))).toBe('')
      expect(errorOf(await kim('id', 'runas=nobody'))).toBe('')
    })
  })

  describe('makes a token', () => {
    const made = (more: Record<string, unknown>): Promise<Value> =>
      site.clear({ cmd: 'mk_token', eauth: 'auto', username: 'tina', password: 'x', ...more })

    it.each([Number.NaN, Number.POSITIVE_INFINITY, -5, 0, 'x', [1]])(
      'for the usual time when asked for %j',
      async (expire) => {
        const token = (await made({ token_expire: expire })) as Dict
        const lives = Number(String(token.get('expire'))) - Number(String(token.get('start')))
        expect(Math.round(lives)).toBe(43_200)
      },
    )

    it.each(['x'.repeat(1000), 'a\nb', ['tina'], 5, null])('not for the user %j', async (username) => {
      expect(await made({ username })).toBe('')
    })

    it.each(['../auto', 'constructor', '__proto__', ['auto'], ''])('not by the system %j', async (eauth) => {
      expect(await made({ eauth })).toBe('')
    })

    it('with nothing but what its user is', async () => {
      const token = (await made({ groups: ['wheel'], name: 'alice', auth_list: ['.*'], uid: 0 })) as Dict
      expect([...token.keys()].sort()).toEqual(['eauth', 'expire', 'name', 'start', 'token'])
      expect(
        errorOf(
          await site.clear(request({ fun: 'cmd.run', arg: ['id'], kwargs: dict({ token: token.get('token') }) })),
        ),
      ).toBe('AuthorizationError')
    })
  })
})

describe('a master that refuses jobs', () => {
  beforeAll(() => open())
  afterAll(() => site.stop())

  it('tells little of them, whatever their size and depth', async () => {
    let deep: Value = []
    for (let level = 0; level < 400; level++) deep = [deep]
    const wide = Array.from({ length: 5000 }, () => 'x'.repeat(100))
    for (const load of [{ arg: wide }, { arg: deep }, { fun: 'y'.repeat(1e6) }, { more: dict({ a: wide }) }])
      await site.clear(request({ ...load, kwargs: login('ghost', { password: 'canary-71' }) }))
    const told = site.events.filter(({ tag }) => tag === 'salt/job/error')
    expect(told).toHaveLength(4)
    for (const { data } of told) {
      const text = inspect(data, { depth: 99, maxArrayLength: null, maxStringLength: null })
      expect(text.length).toBeLessThan(30_000)
      expect(data.get('error')).toBeDefined()
    }
    expect(site.tells('canary-71')).toBe(false)
  })
})

describe('a master of masters', () => {
  beforeAll(() => open({ order_masters: true }))
  afterAll(() => site.stop())

  it.each([
    ['tina', 'host-below', 'glob'],
    ['tina', '[!,x,]*', 'glob'],
    ['joe', '[!,x,]*', 'glob'],
    ['joe', 'web-below', 'glob'],
    ['ghost', '[!,x,]*', 'glob'],
    ['kim', 'nothing:known', 'grain'],
  ])('lets %s not run commands on unknown minions %s', async (user, tgt, kind) => {
    expect(errorOf(await as(user, { fun: 'cmd.run', arg: ['id'], tgt, tgt_type: kind }))).toBe('AuthorizationError')
    expect(sent).toEqual([])
  })

  it('passes on what a user may do everywhere', async () => {
    expect(errorOf(await as('tina', { tgt: 'host-below' }))).toBe('')
    expect(errorOf(await as('alice', { tgt: 'os:x', tgt_type: 'grain', fun: 'cmd.run', arg: ['id'] }))).toBe('')
    expect(sent.map((load) => load.get('tgt'))).toEqual(['host-below', 'os:x'])
  })

  it('freezes what a user may do somewhere', async () => {
    expect(errorOf(await as('joe', { tgt: 'web*', fun: 'cmd.run', arg: ['id'] }))).toBe('')
    expect(sent.map((load) => load.get('tgt'))).toEqual([['web1', 'web2']])
  })

  it("sends a limited user's rights along, and none with a job for chosen minions", async () => {
    expect(errorOf(await as('joe', { tgt: 'web*', fun: 'cmd.run', arg: ['id'] }))).toBe('')
    expect(errorOf(await as('tina', { tgt: 'host-below' }))).toBe('')
    expect(sent.map((load) => load.get('auth_list'))).toEqual([[dict({ 'web*': ['cmd\\.run$'] })], []])
    const job = { tgt: '*', fun: 'test.ping', arg: [] }
    await site.access.publishTo(job, ['web1'])
    expect(sent.at(-1)!.has('auth_list')).toBe(false)
  })

  it('sends no right along that a call of the same function has with other arguments, or that a nodegroup grants', async () => {
    const twice = { fun: ['cmd.run', 'cmd.run'], arg: [['id'], ['reboot']], tgt: 'db1' }
    expect(errorOf(await as('dora', twice))).toBe('')
    expect(errorOf(await as('nora', { tgt: 'web1' }))).toBe('')
    expect(sent.map((load) => load.get('auth_list'))).toEqual([[dict({ 'db*': ['cmd\\.run$'] })], ['@none']])
  })

  it('lets clients ask ids whether a job runs, and by no expression', async () => {
    const ask = { fun: 'saltutil.find_job', arg: [newJid()] }
    expect(errorOf(await as('ghost', { ...ask, tgt: ['below1'], tgt_type: 'list' }))).toBe('')
    expect(errorOf(await as('ghost', { ...ask, tgt: '(a+)+$', tgt_type: 'pcre' }))).toBe('AuthorizationError')
    expect(sent).toHaveLength(1)
  })
})

describe('a job from a master above', () => {
  beforeAll(() => open())
  afterAll(() => site.stop())

  const fromAbove = (list: unknown, load: Record<string, unknown>): Promise<Value> =>
    byOwner({ user: 'zoe', kwargs: dict({ auth_list: list }), jid: newJid(), ...load })
  const RIGHTS = [dict({ 'web*': ['test\\.ping$'] })]

  it('is judged by the rights that came along', async () => {
    expect(errorOf(await fromAbove(RIGHTS, { tgt: 'web*' }))).toBe('')
    expect(sent.map((load) => [load.get('tgt'), load.get('user')])).toEqual([[['web1', 'web2'], 'zoe']])
    for (const load of [{ tgt: '*' }, { tgt: 'db1' }, { tgt: 'web1', fun: 'cmd.run', arg: ['id'] }]) {
      expect(errorOf(await fromAbove(RIGHTS, load))).toBe('AuthorizationError')
    }
    for (const list of ['x', dict({ '*': ['.*'] }), [7], [dict({})]]) {
      expect(errorOf(await fromAbove(list, { tgt: 'web1' }))).toBe('AuthorizationError')
    }
    expect(sent).toHaveLength(1)
  })

  it('without rights is one that its caller may do everywhere', async () => {
    expect(errorOf(await fromAbove([], { tgt: 'db1', fun: 'cmd.run', arg: ['id'] }))).toBe('')
  })

  it('does not hold up this master by an expression that takes long to match', async () => {
    const tgt = '(\\w+\\d*)+$^'
    const foreign = vi.spyOn(TargetResolver.prototype, 'foreign')
    const trusted = vi.spyOn(TargetResolver.prototype, 'trusted')
    await fromAbove([], { tgt, tgt_type: 'pcre' })
    expect([foreign, trusted].map((spy) => spy.mock.calls.length)).toEqual([1, 0])
  })

  it('comes from the owner alone: others gain nothing by a list', async () => {
    const list = [dict({ '*': ['.*'] })]
    const kwargs = dict({ auth_list: list })
    const by = { user: 'nobody', key: keyOf('nobody'), kwargs, tgt: 'db1' }
    expect(errorOf(await site.clear(request({ ...by, fun: 'cmd.run', arg: ['id'] })))).toBe('AuthorizationError')
    expect(errorOf(await as('tina', { fun: 'cmd.run', arg: ['id'] }, { auth_list: list }))).toBe('AuthorizationError')
    expect(errorOf(await as('joe', { tgt: 'db1' }, { auth_list: [] }))).toBe('AuthorizationError')
  })
})

describe('with sudo_acl', () => {
  beforeAll(() => open({ sudo_acl: true }))
  afterAll(() => site.stop())

  it('a user who came by sudo has the rights of that user', async () => {
    const by = (user: string): Promise<Value> =>
      site.clear(request({ key: keyOf('root'), user, fun: 'cmd.run', arg: ['id'], tgt: 'web1' }))
    expect(errorOf(await by('sudo_nobody'))).toBe('AuthorizationError')
    expect(errorOf(await by('sudo_daemon'))).toBe('')
    expect(errorOf(await by('root'))).toBe('')
  })
})

describe('with an external job cache and a blacklist', () => {
  beforeAll(() =>
    open({ ext_job_cache: 'smtp', publisher_acl_blacklist: { users: ['alice'], modules: ['test.kwarg'] } }),
  )
  afterAll(() => site.stop())

  it("takes the cache's name, which Salt's clients send by themselves", async () => {
    vi.spyOn(site.parts.jobCaches, 'published').mockResolvedValue()
    expect(errorOf(await as('tina', { ret: 'smtp' }))).toBe('')
    expect(errorOf(await as('tina', { ret: '' }))).toBe('')
    expect(errorOf(await as('tina', { ret: 'smtp,redis' }))).toBe('AuthorizationError')
    expect(sent.map((load) => load.get('ret'))).toEqual(['smtp', 'smtp'])
  })

  it('refuses a user of the blacklist under whatever name', async () => {
    vi.spyOn(site.parts.jobCaches, 'published').mockResolvedValue()
    expect(errorOf(await as('alice', { user: 'root' }))).toBe('AuthorizationError')
    expect(errorOf(await as('tina', { user: 'alice' }))).toBe('AuthorizationError')
    expect(errorOf(await as('tina', { user: 'Alice' }))).toBe('AuthorizationError')
    expect(errorOf(await as('tina', { fun: 'test.kwarg' }))).toBe('AuthorizationError')
    expect(existsSync(site.cachedir)).toBe(true)
  })
})
