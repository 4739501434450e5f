// Engines beside a running master and minion, and queues that the reactor works off.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Plain, toPlain } from '../../src/data/mod.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster
let port: number

const put = (path: string, text: string): string => {
  const file = join(site.root, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** Return the result of a runner. */
const run = async (...args: Parameters<TestMaster['run']>): Promise<Plain> => toPlain((await master.run(...args)).value)

/** Wait for a condition; missing data is no failure. */
const comes = (what: string, holds: () => Promise<boolean>): Promise<void> =>
  until(what, () => holds().catch(() => false))

beforeAll(async () => {
  site = await TestSite.open()
  port = await freePort()
  const work = put(
    'reactor/work.sls',
    `
{% for minion in data['items'] %}
told_{{ minion }}:
  runner.event.send:
    - args:
      - tag: worked/{{ minion }}
      - data: {queue: {{ data['queue'] }}}
{% endfor %}
`,
  )
  const hook = put(
    'reactor/hook.sls',
    `
{% set body = data['body'] | load_json %}
enqueue:
  runner.queue.insert:
    - args:
      - queue: deploys
      - items: {{ body['minion'] }}
`,
  )
  put(
    'master/ext/engines/counter.ts',
    `
import { arg, defineEngine } from 'brine/sdk'
export default defineEngine({
  name: 'counter',
  doc: 'Counts.',
  args: { upto: arg.integer('Where it ends') },
  start: async (ctx, { upto }) => {
    for await (const { tag } of ctx.events((tag) => tag === 'count/me')) await ctx.fire('counted', new Map([['upto', upto], ['tag', tag]]))
  },
})
`,
  )
  master = await site.master('master', '127.0.0.1', {
    reactor: [{ 'salt/queue/*/process': [work] }, { 'salt/engines/hook/deploy': hook }],
    extension_modules: join(site.root, 'master/ext'),
    engines: [
      { webhook: { address: '127.0.0.1', port } },
      { count3: { engine_module: 'counter', upto: 3 } },
      { nothing: { port: 1 } },
    ],
  })
  await comes('an answer of the webhook', async () => (await fetch(`http://127.0.0.1:${port}/`)).status === 405)
  await comes('the engines', async () => {
    const { count3 } = (await run('engine.list')) as Record<string, { state?: string }>
    return count3?.state === 'running'
  })
})
afterAll(() => site?.close())

describe('a master with engines', () => {
  it('takes requests from outside, which the reactor puts into a queue that is worked off', async () => {
    const sent = await fetch(`http://127.0.0.1:${port}/deploy`, { method: 'POST', body: '{"minion": "web1"}' })
    expect(sent.status).toBe(200)
    const { data } = await master.event(/^salt\/engines\/hook\/deploy$/)
    expect(data.get('body')).toBe('{"minion": "web1"}')
    await comes('an item in the queue', async () => (await run('queue.list_length', ['deploys'])) === 1)
    const processed = await run('queue.process_queue', ['deploys', 'all'])
    expect(processed).toEqual({ items: ['web1'], backend: 'sqlite', queue: 'deploys' })
    expect(toPlain((await master.event(/^worked\/web1$/)).data)).toMatchObject({ queue: 'deploys' })
    expect(await run('queue.list_length', ['deploys'])).toBe(0)
  })

  it('fires nothing for a request whose path cannot be part of a tag', async () => {
    for (const path of ['a%0A%0A%C2%81', 'a%0Asalt/key', '%1b[2J', 'x'.repeat(1025)]) {
      expect((await fetch(`http://127.0.0.1:${port}/${path}`, { method: 'POST' })).status).toBe(400)
    }
    expect((await fetch(`http://127.0.0.1:${port}/../../salt/key`, { method: 'POST' })).status).toBe(200)
    expect(await master.event(/^salt\/engines\/hook\/salt\/key$/)).toBeTruthy()
    expect(master.seen.map(({ tag }) => tag).filter((tag) => /\p{Cc}/u.test(tag) || tag === 'salt/key')).toEqual([])
  })

  it("runs users' own, and reports the state of each", async () => {
    await master.run('event.send', ['count/me'])
    expect(toPlain((await master.event(/^counted$/)).data)).toMatchObject({ upto: 3, tag: 'count/me' })
    expect(await run('engine.list')).toMatchObject({
      webhook: { engine: 'webhook', state: 'running', starts: 1 },
      count3: { engine: 'counter', state: 'running' },
      nothing: { state: 'unavailable', error: "there is no engine 'nothing'" },
    })
  })
})

describe('queues', () => {
  it('answer like those of Salt', async () => {
    const answers: unknown[] = []
    for (const [fun, ...args] of [
      ['insert', 'q', 'a'],
      ['insert', 'q', 'a'],
      ['insert', 'q', ['b', 'c']],
      ['insert', 'q', ['d', 'b']],
      ['list_items', 'q'],
      ['delete', 'q', ['c', 'none']],
      ['pop', 'q'],
      ['pop', 'q', 'all'],
      ['pop', 'q', 'x'],
      ['list_queues'],
      ['insert', 'q', 'a', 'redis'],
    ] as const) {
      answers.push(
        (
          await master.run(
            `queue.${fun}`,
            args.map((one) => (Array.isArray(one) ? [...one] : String(one))),
          )
        ).value,
      )
    }
    expect(answers.slice(0, 8)).toEqual([
      true,
      'Item already exists in this queue. sqlite error: UNIQUE constraint failed: q.name',
      true,
      'One or more items already exists in this queue. sqlite error: UNIQUE constraint failed: q.name',
      ['a', 'b', 'c', 'd'],
      true,
      ['a'],
      ['b', 'd'],
    ])
    expect(answers[8]).toContain('Quantity must be an integer or "all".')
    expect(answers[9]).toContain('q')
    expect(answers[10]).toContain('Function "redis.insert" is not available')
  })

  it('keep calls of runners, which are made later', async () => {
    const later = { queue: 'runs', args: 'later', kwargs: new Map([['data', new Map([['it', "is 'quoted'"]])]]) }
    expect(await run('queue.insert_runner', ['event.send'], later)).toBe(true)
    await master.run('queue.insert_runner', ['test.no_such_thing'], { queue: 'runs' })
    await master.run('queue.insert_runner', ['event.send', 'last'], { queue: 'runs' })
    expect(await run('queue.process_runner', [1], { queue: 'runs' })).toBe(null)
    expect(toPlain((await master.event(/^later$/)).data)).toMatchObject({ it: "is 'quoted'" })
    const failed = await run('queue.process_runner', ['all'], { queue: 'runs' })
    expect(failed).toContain("KeyError: 'test.no_such_thing'")
    expect(await run('queue.list_items', ['runs'])).toEqual(["{'fun': 'event.send', 'args': ['last'], 'kwargs': {}}"])
  })
})

describe('a minion with engines', () => {
  it('sends their events to its master', async () => {
    const cmd = put('events.sh', `#!/bin/sh\necho '{"tag": "from/script", "data": {"n": 1}}'\n`)
    await site.minion('web1', { engines: { script: { cmd: `sh ${cmd}`, interval: 60 } } })
    const { data } = await master.event(/^from\/script$/)
    expect(toPlain(data)).toMatchObject({ data: { n: 1, id: 'web1' }, id: 'web1' })
    expect(await master.ask('web1', 'engine.list')).toMatchObject({ script: { state: 'running', starts: 1 } })
  })

  it('reacts to its own events with its own functions', async () => {
    const rule = put('reactor/own.sls', 'tell:\n  caller.event.send:\n    - args:\n      - reacted/{{ data.what }}\n')
    await site.minion('web2', { engines: [{ reactor: { worker_threads: 2 } }], reactor: [{ 'shop/*': [rule] }] })
    await comes('the reaction', async () => {
      await master.ask('web2', 'event.fire', [new Map([['what', 'here']]), 'shop/opened'])
      return master.seen.some(({ tag }) => tag === 'reacted/here')
    })
    expect(await master.ask('web2', 'engine.list')).toMatchObject({ reactor: { state: 'running', starts: 1 } })
  })
})

describe('a minion on the machine of its master', () => {
  it('calls runners, wheel functions and other minions', async () => {
    await site.minion('master')
    const runner = await master.ask('master', 'saltutil.runner', ['test.arg', ['baz'], new Map([['foo', 'bar']])])
    expect(runner).toEqual({ args: ['baz'], kwargs: { foo: 'bar' } })
    const wheel = await master.ask('master', 'saltutil.wheel', ['key.list', 'accepted'])
    expect(wheel).toMatchObject({
      fun: 'wheel.key.list',
      success: true,
      return: { minions: ['master', 'web1', 'web2'] },
    })
    const others = await master.ask('master', 'saltutil.cmd', ['web1', 'test.ping'])
    expect(others).toMatchObject({ web1: { ret: true, retcode: 0 } })
  })

  it('reports a missing master', async () => {
    expect(await master.ask('web1', 'saltutil.runner', ['test.arg'])).toContain(
      'This command can only be executed on a minion that is located on the master.',
    )
  })
})
