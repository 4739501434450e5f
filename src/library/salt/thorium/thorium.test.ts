import { describe, expect, test } from 'vitest'
import { type Dict, fromPlain, isDict, iterate, PySet, str, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import {
  beginThorium,
  bind,
  type MasterReach,
  type StateContext,
  type StateDeclaration,
  thoriumOf,
} from '../../../sdk/mod.ts'
import calc from './calc.thorium.ts'
import check from './check.thorium.ts'
import file from './file.thorium.ts'
import key from './key.thorium.ts'
import local from './local.thorium.ts'
import reg from './reg.thorium.ts'
import runner from './runner.thorium.ts'
import status from './status.thorium.ts'
import timer from './timer.thorium.ts'

const MODULES: Record<string, StateDeclaration> = { calc, check, file, key, local, reg, runner, status, timer }

/** The time a test has reached. */
class Clock extends MemoryHost {
  at = 1000
  override now(): number {
    return this.at
  }
}

class Turns {
  readonly host = new Clock()
  readonly calls: unknown[] = []
  keys: string[] = []
  private readonly memory: Dict = new Map()
  private readonly give = beginThorium(this.memory)

  events(...events: Array<[tag: string, data: Record<string, unknown>]>): void {
    this.give(
      events.map(
        ([tag, data]) =>
          new Map<Value, Value>([
            ['tag', tag],
            ['data', fromPlain(data)],
          ]),
      ),
    )
  }

  async run(
    name: string,
    args: Record<string, unknown>,
  ): Promise<{ result: boolean; comment: string; changes: unknown }> {
    const [module, fun] = name.split('.') as [string, string]
    const declared = MODULES[module]!.functions[fun]!
    const ctx = { memory: this.memory, host: this.host, opts: new Map([['cachedir', '/cache']]), master: this.master() }
    const bound = bind(declared, fun, [], new Map(Object.entries(args).map(([key, value]) => [key, fromPlain(value)])))
    const ret = (await declared.run(ctx as unknown as StateContext, bound)) as unknown as Record<string, unknown>
    const changes = isDict(ret['changes'] as Value) ? toPlain(ret['changes'] as Value) : ret['changes']
    return { result: ret['result'] as boolean, comment: str(ret['comment'] as Value), changes }
  }

  get register(): Dict {
    return thoriumOf({ memory: this.memory }).register
  }

  value(name: string): Value {
    return (this.register.get(name) as Dict).get('val')!
  }

  private master(): MasterReach {
    return {
      publish: async (job: { fun: Value }) => {
        this.calls.push(job.fun)
        return { jid: '20260101', minions: [], missing: [] }
      },
      call: async (family: string, { name, args }: { name: string; args: Value[] }) => {
        if (name === 'key.list') return { value: new Map([['minions', this.keys]]), success: true }
        this.calls.push([family, name, ...args])
        return { value: true, success: true }
      },
    } as unknown as MasterReach
  }
}

describe('reg', () => {
  test('set keeps each value once, from turn to turn', async () => {
    const turns = new Turns()
    turns.events(['a/b', { data: { id: 'web1' } }], ['a/c', { id: 'web2' }], ['other', { id: 'web3' }])
    expect(await turns.run('reg.set', { name: 'seen', add: 'id', match: 'a/*' })).toMatchObject({
      result: true,
      changes: { id: 'web2' },
    })
    turns.events(['a/b', { data: { id: 'web1' } }], ['a/b', { data: {} }])
    await turns.run('reg.set', { name: 'seen', add: 'id', match: 'a/.' })
    expect([...iterate(turns.value('seen'))]).toEqual(['web1', 'web2', 'None'])
  })

  test('list keeps the values of the last events, with their times', async () => {
    const turns = new Turns()
    for (const n of [1, 2, 3]) {
      turns.events(['load', { data: { n, '1m': n / 2 }, _stamp: `t${n}` }])
      await turns.run('reg.list', { name: 'loads', add: 'n,1m', match: 'load', stamp: true, prune: 2 })
    }
    expect(toPlain(turns.value('loads'))).toEqual([
      { n: 2, '1m': 1, time: 't2' },
      { n: 3, '1m': 1.5, time: 't3' },
    ])
  })

  test('mean goes on over all numbers, and clear and delete forget them', async () => {
    const turns = new Turns()
    turns.events(['m', { x: 1 }], ['m', { x: '4' }], ['m', { x: 'none' }], ['m', {}])
    await turns.run('reg.mean', { name: 'mean', add: 'x', match: 'm' })
    expect(toPlain(turns.value('mean'))).toBe(2.5)
    await turns.run('reg.clear', { name: 'mean' })
    expect(await turns.run('check.gt', { name: 'mean', value: 0 })).toMatchObject({ result: false })
    await turns.run('reg.delete', { name: 'mean' })
    expect(turns.register.size).toBe(0)
  })
})

describe('check', () => {
  test.each([
    ['gt', 2, 1, true],
    ['gt', 2, 2, false],
    ['gte', 2, 2, true],
    ['lt', 1, 2, true],
    ['lte', 3, 2, false],
    ['eq', 'a', 'a', true],
    ['ne', 'a', 'a', false],
    ['len_gt', [1, 2], 1, true],
    ['len_gte', [1, 2], 3, false],
    ['len_lt', [1], 2, true],
    ['len_lte', [1], 0, false],
    ['len_eq', [1, 2], 2, true],
    ['len_ne', [1, 2], 2, false],
    ['contains', ['a', 'b'], 'b', true],
    ['contains', 'munition', 'itni', false],
    ['contains', 'munition', 'unit', true],
    ['contains', 5, 5, false],
  ])('%s of %j and %j is %s', async (fun, kept, value, result) => {
    const turns = new Turns()
    turns.register.set('x', new Map([['val', fromPlain(kept)]]))
    expect(await turns.run(`check.${fun}`, { name: 'x', value })).toMatchObject({ result })
  })

  test.each([
    [{ count_gte: 2 }, true],
    [{ count_lt: 2 }, false],
    [{ count_eq: 2, count_ne: 3 }, true],
    [{ count_gt: 1, count_lte: 1 }, false],
  ])('contains counts with %j', async (counts, result) => {
    const turns = new Turns()
    turns.register.set('x', new Map([['val', ['a', 'b', 'a']]]))
    expect(await turns.run('check.contains', { name: 'x', value: 'a', ...counts })).toMatchObject({ result })
  })

  test('fails for a name that is not in the register, and reads the events of the turn', async () => {
    const turns = new Turns()
    expect(await turns.run('check.eq', { name: 'none', value: 1 })).toMatchObject({
      result: false,
      comment: 'Value none not in register',
    })
    turns.events(['salt/foo/1/bar', {}])
    expect((await turns.run('check.event', { name: 'salt/foo/*/bar' })).result).toBe(true)
    turns.events()
    expect((await turns.run('check.event', { name: 'salt/foo/*/bar' })).result).toBe(false)
  })

  test('finds members of sets', async () => {
    const turns = new Turns()
    turns.register.set('x', new Map([['val', new PySet(['a'])]]))
    expect((await turns.run('check.contains', { name: 'x', value: 'a' })).result).toBe(true)
  })
})

describe('calc', () => {
  test.each([
    ['add', 6],
    ['mul', 6],
    ['mean', 2],
    ['median', 2],
    ['median_low', 2],
    ['median_high', 2],
    ['median_grouped', 2],
    ['mode', 3],
  ])('%s of the last three values', async (oper, answer) => {
    const turns = new Turns()
    turns.register.set('x', new Map([['val', fromPlain([100, 1, 2, 3].map((load) => ({ load })))]]))
    const { result, changes } = await turns.run(`calc.${oper}`, { name: 'x', num: 3, ref: 'load' })
    expect([result, changes]).toEqual([true, { 'Number of values': 3, Operator: oper, Answer: answer }])
    expect(toPlain(turns.value('x'))).toHaveLength(4)
  })

  test.each([
    [{ minimum: 4 }, false],
    [{ minimum: 2 }, true],
    [{ maximum: 2 }, false],
    [{ maximum: 9 }, true],
  ])('holds the answer to limits %j', async (limits, result) => {
    const turns = new Turns()
    turns.register.set('x', new Map([['val', [3, 3]]]))
    expect(await turns.run('calc.mean', { name: 'x', num: 5, ...limits })).toMatchObject({ result })
  })

  test('fails where there is nothing to calculate with', async () => {
    const turns = new Turns()
    expect((await turns.run('calc.mean', { name: 'x', num: 5 })).comment).toBe('x not found in register')
  })
})

test('timer.hold succeeds once the time has passed, and begins anew', async () => {
  const turns = new Turns()
  const results: boolean[] = []
  for (const at of [1000, 1030, 1031, 1032, 1062]) {
    turns.host.at = at
    results.push((await turns.run('timer.hold', { name: 'wait', seconds: 30 })).result)
  }
  expect(results).toEqual([false, false, true, false, true])
})

test('key.timeout rejects and deletes keys of minions that have gone silent', async () => {
  const turns = new Turns()
  turns.keys = ['alive', 'silent', 'never']
  const beacon = (id: string): [string, Record<string, unknown>] => [
    `salt/beacon/${id}/status/2026`,
    { id, data: { loadavg: 1, id } },
  ]
  turns.events(beacon('alive'), beacon('silent'))
  expect((await turns.run('status.reg', { name: 'status' })).changes).toEqual({ alive: true, silent: true })
  expect(toPlain(turns.value('status'))).toMatchObject({ alive: { recv_time: 1000, loadavg: 1 } })
  await turns.run('key.timeout', { name: 'clean', delete: 300, reject: 100 })
  expect(turns.calls).toEqual([])
  turns.host.at = 1150
  turns.events(beacon('alive'))
  await turns.run('status.reg', { name: 'status' })
  await turns.run('key.timeout', { name: 'clean', delete: 300, reject: 100 })
  expect(turns.calls).toEqual([
    ['wheel', 'key.reject', 'silent'],
    ['wheel', 'key.reject', 'never'],
  ])
  expect(Object.keys(toPlain(turns.value('status')) as object)).toEqual(['alive'])
})

test('status.reg counts for the proven minion in the tag, whatever the data claim', async () => {
  const turns = new Turns()
  turns.events(['salt/beacon/web1/status/2026', { id: 'db1', data: { loadavg: 1, id: 'db1' } }])
  expect((await turns.run('status.reg', { name: 'status' })).changes).toEqual({ web1: true })
})

test('file.save writes the register as JSON', async () => {
  const turns = new Turns()
  turns.register.set('seen', new Map([['val', new PySet(['a'])]]))
  await turns.run('file.save', { name: 'look', filter: true })
  await turns.run('file.save', { name: '/tmp/whole.json' })
  for (const path of ['/cache/thorium/saves/look', '/tmp/whole.json']) {
    expect(Buffer.from(await turns.host.read(path)).toString()).toBe('{"seen": {"val": ["a"]}}')
  }
})

test('local.cmd and runner.cmd start the named functions', async () => {
  const turns = new Turns()
  expect((await turns.run('local.cmd', { name: 'x', tgt: '*', func: 'test.ping' })).changes).toEqual({
    jid: '20260101',
  })
  await turns.run('runner.cmd', { name: 'x', func: 'state.orchestrate', arg: ['orch.deploy'], pillar: { a: 1 } })
  await turns.run('runner.cmd', { name: 'test.stdout_print' })
  expect(turns.calls).toEqual([
    'test.ping',
    ['runner', 'state.orchestrate', 'orch.deploy'],
    ['runner', 'test.stdout_print'],
  ])
})
