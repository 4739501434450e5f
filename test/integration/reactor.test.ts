// The reactor on real daemons: rules and reactions as the documents of test/seeds print them, reactions that are waited for,
// and the bounds of loops and floods.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { configure, plant } from './seeds.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

const at = (...path: string[]): string => join(site.root, ...path)

function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}

const lines = (path: string): string[] =>
  existsSync(at(path)) ? readFileSync(at(path), 'utf8').trim().split('\n') : []

/** A master with the reactor of a document. */
async function masterOf(document: string, more: Record<string, unknown> = {}): Promise<TestMaster> {
  plant(site.root, document)
  mkdirSync(at('master/etc/master.d'), { recursive: true })
  configure(site.root, document, 'etc/salt/master.d/reactor.conf', at('master/etc/master.d'))
  return site.master('master', '127.0.0.1', { file_roots: { base: [at('srv/salt')] }, ...more })
}

interface Reaction {
  calls: Array<{ id: string; state: string; jid?: string; error?: Plain }>
}

async function reactions(master: TestMaster, tag: string): Promise<Reaction[]> {
  return toPlain((await master.run('reactor.trace', [tag])).value) as unknown as Reaction[]
}

const data = (value: Record<string, Plain>): Value => fromPlain(value)

test('Invalid input to its functions is reported at once, and so is a missing master', async () => {
  write('react/broken.sls', '{% if %}\n')
  const master = await site.master('master', '127.0.0.1', { reactor: [{ 'my/bad': [at('react/broken.sls')] }] })
  const preview = toPlain((await master.run('reactor.test', ['my/bad'])).value)
  expect(preview).toMatchObject({ calls: [], errors: [expect.stringContaining('broken.sls:1: ')] })
  const wrong: Array<[string, Value[], Record<string, Value>, string]> = [
    ['reactor.test', ['my/bad', 'text'], {}, "data='text' is no mapping"],
    ['reactor.trace', [99], {}, 'There is no reaction 99'],
    ['reactor.trace', [], { limit: 'x' }, "limit='x' is no number"],
    ['reactor.wait', ['abc'], {}, "reaction='abc' is no number"],
    ['reactor.fire', ['my/bad'], { timeout: 'x' }, "timeout='x' is no number"],
    ['state.event', [], { count: 'abc' }, "count='abc' is no number"],
    ['state.event', [], { since: 99_999_999 }, "since='99999999': there is no such event yet"],
    ['state.event', [], { since: 'nonsense' }, "since='nonsense' is no number of an event"],
    ['event.list', [], { limit: 'abc' }, "limit='abc' is no number"],
    ['event.show', ['abc'], {}, "number='abc' is no number"],
    ['state.orchestrate_show', ['abc'], {}, "There is no record of an orchestration 'abc'"],
    ['state.orchestrate_resume', ['abc'], {}, "There is no record of an orchestration 'abc'"],
    ['state.orchestrate_runs', [], { count: 'x' }, "count='x' is no number"],
    ['trace.show', [20_200_101], {}, 'There is no event 20200101 in the journal'],
  ]
  for (const [fun, args, kwargs, problem] of wrong) {
    expect((await master.run(fun, args, kwargs)).value, fun).toContain(problem)
  }
  await master.stop()
  for (const fun of ['reactor.list', 'reactor.is_leader']) {
    expect((await master.run(fun)).value).toContain('The salt master could not be contacted')
  }
})

describe('rules of the documents', () => {
  test('accept a minion by its name, then apply its highstate beside that of its start', async () => {
    const master = await masterOf('orchestration', { auto_accept: false })
    write('srv/salt/top.sls', "base:\n  '*':\n    - mark\n")
    write('srv/salt/mark.sls', `note:\n  cmd.run:\n    - name: echo applied >> ${at('applied')}\n`)
    await site.minion('web-asg-7')
    await expect.poll(() => lines('applied')).toEqual(['applied', 'applied'])
    const isAnswered = ({ calls }: Reaction): boolean => calls.length === 2
    await expect.poll(async () => (await reactions(master, 'salt/auth')).some(isAnswered)).toBe(true)
    const answered = (await reactions(master, 'salt/auth')).filter(isAnswered)
    expect(answered.map(({ calls }) => calls.map(({ id, state }) => `${id} ${state}`))).toEqual([
      ['accept_minion done', 'apply_state done'],
    ])
    const returns = master.seen.filter(({ tag }) => /^salt\/job\/\d+\/ret\/web-asg-7$/.test(tag))
    const highstates = returns.filter((event) => event.data.get('fun') === 'state.highstate')
    expect(highstates.map((event) => event.data.get('success'))).toEqual([true, true])
  })

  test('react to events of states and commands', async () => {
    const master = await masterOf('orchestration')
    write('srv/salt/top.sls', 'base: {}\n')
    await site.minion('web01')
    const sent = data({ version: '1.4.2', status: 'ok' })
    expect(await master.ask('web01', 'event.send', ['myapp/deploy/complete', sent])).toBe(true)
    const { data: told } = await master.event(/^myapp\/deploy\/complete$/)
    expect([told.get('id'), (told.get('data') as Dict).get('version')]).toEqual(['web01', '1.4.2'])
    master.seen.splice(0)
    const pillar = new Map<Value, Value>([['__kwarg__', true]])
      .set('pillar', data({ app_version: '1.5' }))
      .set('queue', true)
    expect(JSON.stringify(await master.ask('web01', 'state.apply', ['notify', pillar]))).toContain('"result":true')
    const again = (await master.event(/^myapp\/deploy\/complete$/)).data.get('data') as Dict
    expect([String(again.get('version')), again.get('status')]).toEqual(['1.5', 'ok'])
  })

  test('greet a minion, roll a deployment back and warn of full disks', async () => {
    plant(site.root, 'orchestration')
    const master = await masterOf('python')
    const note = (name: string, text: string): string => `      - echo ${text} >> ${at(name)}\n`
    write('srv/salt/top.sls', "base:\n  '*':\n    - mark\n")
    write('srv/salt/mark.sls', `note:\n  cmd.run:\n    - name: echo applied >> ${at('applied')}\n`)
    const rollback = note('rolled', "{{ pillar['app_name'] }} {{ pillar['failed_version'] }}")
    write(
      'srv/salt/orchestration/rollback.sls',
      `back:\n  salt.function:\n    - name: cmd.run\n    - tgt: web1\n    - arg:\n${rollback}`,
    )
    const alert = note('alerts', "{{ data['id'] }} {{ data['diskusage'] }}")
    write('srv/reactor/disk_alert.sls', `alert:\n  local.cmd.run:\n    - tgt: {{ data['id'] }}\n    - arg:\n${alert}`)
    await site.minion('web1', { beacons: { diskusage: [{ '/': '0%' }, { interval: 1 }] } })
    await expect.poll(() => lines('applied')[0]).toBe('applied')
    await expect.poll(() => lines('alerts')[0]).toMatch(/^web1 \d/)
    await master.run('event.send', ['myapp/deployment/failed', data({ app_name: 'shop', version: '2.0' })])
    await expect.poll(() => lines('rolled')).toEqual(['shop 2.0'])
  })
})

describe('a reaction', () => {
  const rule = (name: string): Record<string, string> => ({ [`${name}/*`]: at(`reactor/${name}.sls`) })

  test('can be waited for, with what minions returned', async () => {
    write('reactor/echo.sls', "say:\n  local.test.echo:\n    - tgt: web1\n    - arg: [{{ data['word'] }}]\n")
    write('reactor/fail.sls', 'end:\n  local.cmd.run:\n    - tgt: web1\n    - arg: ["exit 3"]\n')
    const master = await site.master('master', '127.0.0.1', { reactor: [rule('echo'), rule('fail')] })
    await site.minion('web1')
    await master.event(/^salt\/minion\/web1\/start$/)
    const fired = await master.run('reactor.fire', ['echo/1', data({ word: 'hello' })])
    expect(toPlain(fired.value)).toMatchObject({
      ended: true,
      success: true,
      calls: [{ id: 'say', call: 'local.test.echo', returns: { web1: 'hello' } }],
    })
    expect(toPlain((await master.run('reactor.fire', ['fail/1'])).value)).toMatchObject({ ended: true, success: false })
    const last = (toPlain(fired.value) as { reaction: number }).reaction
    expect(toPlain((await master.run('reactor.wait', [last])).value)).toMatchObject({ ended: true, tag: 'echo/1' })
    expect(String((await master.run('reactor.fire', ['nobody/hears', data({}), 1])).value)).toContain('did not answer')
  })

  test('reaches the minions of a nodegroup, also within an orchestration', async () => {
    write(
      'reactor/direct.sls',
      'say:\n  local.test.echo:\n    - tgt: web\n    - tgt_type: nodegroup\n    - arg: [hello]\n',
    )
    write('reactor/orch.sls', 'go:\n  runner.state.orchestrate:\n    - args:\n        mods: orch\n')
    write('srv/salt/orch.sls', 'apply:\n  salt.state:\n    - tgt: web\n    - tgt_type: nodegroup\n    - sls: one\n')
    write('srv/salt/one.sls', 'nothing:\n  test.nop\n')
    const master = await site.master('master', '127.0.0.1', {
      reactor: [rule('direct'), rule('orch')],
      nodegroups: { web: 'L@web1' },
      file_roots: { base: [at('srv/salt')] },
    })
    await site.minion('web1')
    await master.event(/^salt\/minion\/web1\/start$/)
    const direct = await master.run('reactor.fire', ['direct/1'])
    expect(toPlain(direct.value)).toMatchObject({ success: true, calls: [{ returns: { web1: 'hello' } }] })
    const orchestrated = await master.run('reactor.fire', ['orch/1'])
    expect(toPlain(orchestrated.value)).toMatchObject({ success: true })
    expect([direct.retcode, orchestrated.retcode]).toEqual([0, 0])
  })

  test.each([
    ['an orchestration with a failed state', 'runner.state.orchestrate', 'mods: orch'],
    ['a runner that raises an error', 'runner.jobs.lookup_jid', 'jid: 1\n        ext_source: nowhere'],
    ['a runner with wrong arguments', 'runner.jobs.lookup_jid', 'no_such_argument: 1'],
    ['a runner that does not exist', 'runner.no.such', 'a: 1'],
    ['a wheel function with wrong arguments', 'wheel.key.accept', 'no_such_argument: 1'],
  ])('fails with %s, and so does reactor.fire', async (_, fun, args) => {
    write('reactor/bad.sls', `go:\n  ${fun}:\n    - args:\n        ${args}\n`)
    write('srv/salt/orch.sls', 'fail:\n  test.fail_without_changes\n')
    const master = await site.master('master', '127.0.0.1', {
      reactor: [rule('bad')],
      file_roots: { base: [at('srv/salt')] },
    })
    const { value, retcode } = await master.run('reactor.fire', ['bad/1'])
    expect(toPlain(value)).toMatchObject({ ended: true, success: false, calls: [{ state: 'failed' }] })
    expect(retcode).toBe(1)
  })

  test('that causes itself is cut off at a depth, which an event tells', async () => {
    write('reactor/loop.sls', 'again:\n  runner.event.send:\n    - args:\n        tag: loop/again\n')
    const master = await site.master('master', '127.0.0.1', { reactor: [rule('loop')], reactor_max_depth: 4 })
    await master.run('event.send', ['loop/1'])
    const { data: told } = await master.event(/^salt\/reactor\/loop$/)
    expect([told.get('tag'), told.get('depth'), told.get('rules')]).toEqual(['loop/again', 4, ['loop/*']])
    expect(await reactions(master, 'loop/*')).toHaveLength(4)
  })

  test('is left out beyond its rate, and for the same event again', async () => {
    for (const name of ['often', 'same']) write(`reactor/${name}.sls`, 'see:\n  runner.test.arg:\n    - args: {n: 1}\n')
    const limits = { 'often/*': { rate: 2, per: 3600 }, 'same/*': { dedup: 3600 } }
    const master = await site.master('master', '127.0.0.1', {
      reactor: [rule('often'), rule('same')],
      reactor_limits: limits,
    })
    for (const n of [1, 2, 3, 4]) await master.run('event.send', ['often/1', data({ n })])
    for (const n of [1, 1, 2, 1]) await master.run('event.send', ['same/1', data({ n })])
    await master.run('event.send', ['same/last'])
    await expect.poll(async () => (await reactions(master, 'same/last')).length).toBe(1)
    expect([await reactions(master, 'often/*'), await reactions(master, 'same/1')].map(({ length }) => length)).toEqual(
      [2, 2],
    )
  })
})
