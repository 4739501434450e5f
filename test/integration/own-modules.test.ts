// Users' own modules on their way from the file server to a master and a minion, and their effects there.
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { LocalClient } from '../../src/client/mod.ts'
import { clientConfig } from '../../src/config/mod.ts'
import { toPlain, type Value } from '../../src/data/mod.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster

const put = (path: string, text: string): void => {
  const file = join(site.root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const TICKER = `
import time

def start(tag, count):
    for n in range(count):
        __salt__["event.send"](tag, {"n": n, "id": __opts__["id"]})
    while True:
        time.sleep(0.05)
`
const HEAP = `
import json, os
from salt.exceptions import SaltInvocationError

def _read():
    path = os.path.join(__opts__["cachedir"], "heap")
    return json.load(open(path)) if os.path.exists(path) else []

def _write(items):
    with open(os.path.join(__opts__["cachedir"], "heap"), "w") as file:
        json.dump(items, file)

def insert(queue, items):
    _write(_read() + (items if isinstance(items, list) else [items]))
    return True

def list_items(queue):
    return _read()

def pop(queue, quantity=1, is_runner=False):
    if quantity != "all" and not isinstance(quantity, int):
        raise SaltInvocationError("how many?")
    items = _read()
    count = len(items) if quantity == "all" else quantity
    _write(items[count:])
    return items[:count]
`
const PROBE = `
import os, time

def hello():
    return "hello from " + __grains__["id"]

def pieces():
    yield {"a": 1}
    yield {"b": 2}

def words():
    yield "a"
    yield "b"

def tick(path):
    while True:
        with open(path, "a") as file:
            file.write("x")
        time.sleep(0.01)
`

beforeAll(async () => {
  site = await TestSite.open()
  put('srv/_modules/probe.py', PROBE)
  put('srv/_modules/other.py', 'def x():\n    return 1\n')
  put(
    'srv/_matchers/odd_match.py',
    'def match(tgt, opts=None, minion_id=None):\n    return __opts__["id"].endswith(tgt)\n',
  )
  put('srv/_outputters/loud.py', 'def output(data):\n    return str(data).upper()\n')
  put('srv/_tops/cmdb.py', 'def top(**kwargs):\n    return {"base": ["from_" + kwargs["opts"]["id"]]}\n')
  put('srv/_auth/door.py', 'def auth(username, password):\n    return password == "open" and __opts__["sesame"]\n')
  put('srv/_runners/fleet.py', 'def who():\n    return sorted(__salt__["manage.up"]())\n')
  put('srv/_queues/heap.py', HEAP)
  put('srv/_pillar/extra.py', 'def ext_pillar(minion_id, pillar, *args):\n    return {"extra": {minion_id: args}}\n')
  put('srv/top.sls', 'base:\n  "web1":\n    - match: odd\n    - one\n  "nine":\n    - match: odd\n    - nine\n')
  put('web1/var/cache/salt/minion/extmods/engines/ticker.py', TICKER)
  master = await site.master('master', '127.0.0.1', {
    sesame: true,
    master_tops: { cmdb: true },
    ext_pillar: [{ extra: ['a', 'b'] }],
    external_auth: { door: { joe: ['test.*'] } },
  })
  await master.run('saltutil.sync_all')
  await site.minion('web1', { engines: [{ ticker: { tag: 'own/tick', count: 2 } }] })
  await master.event(/^salt\/minion\/web1\/start$/)
})
afterAll(() => site?.close())

const ask = (fun: string, args: Value[] = []) => master.ask('web1', fun, args)

describe("modules of users' own", () => {
  test('start as engines of the minion', async () => {
    expect(toPlain((await master.event(/^own\/tick$/)).data)).toMatchObject({ data: { n: 0, id: 'web1' } })
  })

  test('come to the minion, serve there, and go when the file server no longer has them', async () => {
    expect(await ask('saltutil.sync_all', ['base'])).toMatchObject({
      modules: ['modules.other', 'modules.probe'],
      matchers: ['matchers.odd_match'],
      output: ['output.loud'],
    })
    expect(await ask('probe.hello')).toBe('hello from web1')
    rmSync(join(site.root, 'srv/_modules/other.py'))
    expect(await ask('saltutil.sync_modules', ['base'])).toEqual([])
    expect(await ask('other.x')).toBe("'other.x' is not available.")
    put('srv/_modules/probe.py', PROBE.replace('hello from', 'moin from'))
    expect(await ask('saltutil.sync_modules', ['base', true, null, new Map([['modules', ['probe']]])])).toEqual([])
    expect(await ask('saltutil.sync_modules', ['base'])).toEqual(['modules.probe'])
    expect(await ask('probe.hello')).toBe('moin from web1')
  })

  test('report their results as they arrive', async () => {
    expect(await ask('probe.words')).toEqual(['a', 'b'])
    expect(await ask('probe.pieces')).toEqual({ a: 1, b: 2 })
    const { data } = await master.event(/^salt\/job\/\d+\/prog\/web1\/1$/)
    expect(toPlain(data)).toMatchObject({ data: { return: 'b' }, id: 'web1' })
  })

  test('choose minions in top files, and the master names further states', async () => {
    expect(await ask('state.show_top')).toEqual({ base: ['one', 'from_web1'] })
  })

  test('give pillar, and run as runners', async () => {
    expect(await ask('pillar.keys', ['extra'])).toEqual(['web1'])
    expect(toPlain((await master.run('fleet.who')).value)).toEqual(['web1'])
  })

  test('hold queues', async () => {
    const asked: Array<[string, Value[]]> = [
      ['insert', ['deploys', ['web1', 'web2']]],
      ['list_items', ['deploys']],
      ['pop', ['deploys']],
      ['process_queue', ['deploys', 'all']],
      ['process_queue', ['deploys', 'some']],
      ['list_items', ['deploys']],
      ['insert_runner', ['fleet.who']],
      ['process_runner', []],
    ]
    const answers: unknown[] = []
    for (const [fun, args] of asked) {
      const kwargs = { backend: 'heap', ...(fun.endsWith('runner') && { queue: 'deploys' }) }
      answers.push(toPlain((await master.run(`queue.${fun}`, args, kwargs)).value))
    }
    const taken = { items: ['web2'], backend: 'heap', queue: 'deploys' }
    expect(answers).toEqual([true, ['web1', 'web2'], ['web1'], taken, false, [], true, null])
    expect(toPlain((await master.event(/^salt\/queue\/deploys\/process$/)).data)).toMatchObject(taken)
    const unknown = await master.run('queue.list_length', ['deploys'], { backend: 'heap' })
    expect(unknown.value).toMatch(/Function "heap.list_length" is not available/)
  })

  test.each([
    ['open', true],
    ['shut', false],
  ])('say whether a user is who they say, with the password %s', async (password, isKnown) => {
    const client = await LocalClient.open(await clientConfig({ path: join(master.config, 'master') }), silentLog)
    const load = { cmd: 'mk_token', eauth: 'door', username: 'joe', password }
    const answer = toPlain(await client.command(new Map<Value, Value>(Object.entries(load))))
    client.close()
    expect(JSON.stringify(answer).includes('"name":"joe"')).toBe(isKnown)
  })

  test('end with the job that called them', async () => {
    const path = join(site.root, 'ticks')
    const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
    const jid = await master.publish('web1', 'probe.tick', [path])
    await expect.poll(size).toBeGreaterThan(2)
    await ask('saltutil.kill_job', [jid])
    await master.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
    await ask('test.sleep', [0.2])
    const last = size()
    await ask('test.sleep', [0.2])
    expect(size()).toBe(last)
    expect(await ask('probe.hello')).toBe('moin from web1')
  })
})
