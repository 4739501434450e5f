import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../test/until.ts'
import { EventBus, minionOrigin, originDict } from '../bus/mod.ts'
import { type Dict, dictFrom, dumpJson, loadJson, orderProof, Packed, str, type Value } from '../data/mod.ts'
import { type MasterFunction, masterFn } from '../sdk/mod.ts'
import { ReactionStore } from '../store/mod.ts'
import { load } from '../yaml/mod.ts'
import { Reactor, type ReactorContext, type ReactorParts } from './mod.ts'
import type { MasterRun } from './perform.ts'

const anything: MasterFunction = masterFn({ doc: 'Anything.', args: {}, run: () => null })

class Trial {
  readonly folder = mkdtempSync(join(tmpdir(), 'reactor-'))
  readonly bus = new EventBus()
  readonly done: string[] = []
  readonly log: string[] = []
  readonly store = new ReactionStore(join(this.folder, 'reactions.db'))
  /** Returns that the job store has, by job. */
  readonly returns = new Map<string, Map<string, Dict>>()
  /** The result of runner functions by name. */
  readonly runs = new Map<string, () => Promise<boolean>>()
  reactor: Reactor | undefined
  /** Whether the reactor is one of a minion, which has no master to call. */
  isMinion = false

  start(rules: Record<string, string>, options: Dict = new Map(), conditions: Value[] = []): void {
    const list: Value[] = Object.entries(rules).map(([pattern, sls], index) => {
      const file = join(this.folder, `${index}.sls`)
      writeFileSync(file, sls)
      return new Map<Value, Value>([[pattern, [...conditions, file]]])
    })
    const opts: Dict = new Map<Value, Value>([['reactor', list], ['id', 'm_master'], ...options])
    const context = {
      opts,
      log: (level: string, text: string) => this.log.push(`${level}: ${text}`),
      render: async ({ text, context }: { text: string; context: Map<string, Value> }) =>
        load(text.replaceAll('TAG', str(context.get('tag')!)).replaceAll('WHO', dumpJson(context.get('origin')!))),
    } as unknown as ReactorContext
    const master = {
      publish: async ({ tgt, fun, arg = [] }: { tgt: Value; fun: Value; arg?: Value[] }) => {
        this.done.push([str(fun), str(tgt), ...arg.map(str)].join(' '))
        return { jid: '1', minions: ['web1'], missing: [] }
      },
      jobs: { returns: (jid: string) => this.returns.get(jid) ?? new Map(), job: () => undefined },
      orchestrations: () => ({ run: (jid: string) => (jid === '77' ? { jid } : undefined) }),
      targets: () => ({ minions: ['web1'], missing: [] }),
      run: async function* ({ fun }: { fun: Value }) {
        if (fun === 'saltutil.find_job') yield { id: 'web1', data: new Map([['return', new Map()]]) }
      },
      call: async ({ fun, args, kwargs, jid, caused }: MasterRun) => {
        this.done.push(['run', fun, ...args.map(str)].join(' '))
        if (fun === 'event.send') caused.firing(() => this.bus.fire(str(kwargs.get('tag')!), new Map()))
        const success = (await this.runs.get(fun)?.()) ?? true
        return { jid, value: success, success, retcode: success ? 0 : 1 }
      },
    } as unknown as NonNullable<ReactorParts['master']>
    this.reactor = new Reactor({
      context,
      ...(this.isMinion ? {} : { master }),
      bus: this.bus,
      store: this.store,
      declared: async (_kind, fun) => (fun === 'no.such' ? undefined : { declaration: anything, isBuiltIn: true }),
      masterKey: () => 'secret',
    })
    this.reactor.start()
  }

  /** Wait until at most `unended` reactions are open and their events have arrived. */
  async settled(unended = 0): Promise<void> {
    const round = (): Promise<unknown> => new Promise((done) => setTimeout(done, 2))
    for (let rounds = 0; rounds < 60; rounds++) await round()
    await until('the reactions have ended', () => this.store.open().length === unended)
    for (let rounds = 0; rounds < 10; rounds++) await round()
  }

  async close(): Promise<void> {
    await this.reactor?.close()
    this.store.close()
    rmSync(this.folder, { recursive: true })
  }
}

describe('the reactor', () => {
  let trial: Trial
  beforeEach(() => {
    trial = new Trial()
  })
  afterEach(() => trial.close())

  it('reads nothing of a return that no rule matches', () => {
    trial.start({ 'a/*': 'hello:\n  runner.test.arg: []\n' })
    const returned = new Packed(Buffer.from([0x90]), () => [], 0)
    const fired = (tag: string): Value =>
      trial.bus.fire(tag, new Map<Value, Value>([['return', returned]])).fields.get('return')!
    const [unread, read] = [fired('salt/job/1/ret/web1'), fired('a/1')]
    expect([unread, read]).toEqual([returned, []])
  })

  it('answers events that match, and no others', async () => {
    trial.start({ 'a/*': 'x:\n  local.test.echo:\n    - tgt: web1\n    - arg: [TAG]\n' })
    trial.bus.fire('b/1', new Map())
    trial.bus.fire('a/1', new Map())
    trial.bus.fire('a/2', new Map<Value, Value>([['user', 'Reactor']]))
    await trial.settled()
    expect(trial.done).toEqual(['test.echo web1 a/1'])
  })

  it('refuses jobs and functions of a master on a minion', async () => {
    trial.isMinion = true
    trial.start({ a: 'x:\n  local.test.ping:\n    - tgt: web1\ny:\n  runner.jobs.active: []\n' })
    trial.bus.fire('a', new Map())
    await trial.settled()
    expect(trial.done).toEqual([])
    const refusals = trial.log.filter((line) => line.startsWith('error') && line.includes('A minion can only call'))
    expect(refusals).toHaveLength(2)
  })

  it('answers only origins in a rule, and files see the origin', async () => {
    const condition = new Map<Value, Value>([['origin', ['minion:build*', 'master']]])
    trial.start({ 'a/*': 'x:\n  local.test.echo:\n    - tgt: web1\n    - arg: [TAG, WHO]\n' }, new Map(), [condition])
    for (const id of ['web1', 'build1']) trial.bus.fireFrom(minionOrigin(id), `a/${id}`, new Map([['id', 'build1']]))
    trial.bus.fireFrom({ kind: 'user', name: 'root', proof: 'socket' }, 'a/user', new Map())
    trial.bus.fire('a/own', new Map())
    await trial.settled()
    expect(trial.done).toEqual([
      "test.echo web1 a/build1 {'kind': 'minion', 'name': 'build1', 'proof': 'session'}",
      "test.echo web1 a/own {'kind': 'master', 'name': 'master', 'proof': 'process'}",
    ])
    const [, first] = trial.store.last(2)
    expect(first!.record.get('origin')).toEqual(originDict(minionOrigin('build1')))
  })

  it.each([
    [
      { origin: 'minon:web1' },
      "'minon:web1' is no origin: write one of master, minion, syndic, user, external, unknown",
    ],
    [{ origin: ['minion', 7] }, "'7' is no origin"],
    [{ orgin: 'minion:web1' }, "'orgin' is no condition, only origin is"],
  ])('answers no event if the condition is %j, and reports it once', async (condition, reason) => {
    trial.start({ a: 'x:\n  local.f.x:\n    - tgt: w\n' }, new Map(), [dictFrom(condition)])
    for (let times = 0; times < 2; times++) trial.bus.fireFrom(minionOrigin('web1'), 'a', new Map())
    await trial.settled()
    expect(trial.done).toEqual([])
    expect(trial.log).toEqual([expect.stringContaining(`error: The reactor for 'a' answers nothing: ${reason}`)])
  })

  it('is not passed by the name under which its own functions run', async () => {
    trial.start({ a: 'x:\n  local.f.x:\n    - tgt: w\n' })
    trial.bus.fireFrom(minionOrigin('web1'), 'a', new Map([['user', 'Reactor']]))
    await trial.settled()
    expect(trial.done).toEqual(['f.x w'])
  })

  it('is managed by the master and its own user only, even with the key', async () => {
    trial.start({})
    const tag = 'x/salt/reactors/manage/list'
    const asked = (): Dict => {
      const data: Dict = new Map()
      return data.set('key', orderProof('secret', tag, data))
    }
    const answers: string[] = []
    trial.bus.listen(
      (event) => answers.push(event.tag),
      (own) => own === 'salt/reactors/manage/list-results',
    )
    trial.bus.fireFrom(minionOrigin('web1'), tag, asked())
    expect(trial.log).toEqual([expect.stringContaining('without matching master_key')])
    expect(answers).toEqual([])
    trial.bus.fireFrom({ kind: 'user', name: 'root', proof: 'socket' }, tag, asked())
    await until('the reactor answers', () => answers.length === 1)
  })

  it('orders reactions by `order` and name, whatever order they are written in', async () => {
    const one = (id: string, more = ''): string => `${id}:\n  local.f.${id}:\n    - tgt: w\n${more}`
    trial.start({ a: `${one('m')}${one('b')}${one('z', '    - order: 1\n')}${one('c', '    - order: last\n')}` })
    trial.bus.fire('a', new Map())
    await trial.settled()
    expect(trial.done).toEqual(['f.z w', 'f.b w', 'f.m w', 'f.c w'])
  })

  it('waits for required calls, and skips a call after a failed one', async () => {
    const sls =
      'accept:\n  wheel.x.accept: []\nafter:\n  local.test.ping:\n    - tgt: w\n    - require:\n      - wheel: accept\n'
    trial.runs.set('x.accept', async () => {
      await new Promise((done) => setTimeout(done, 10))
      trial.done.push('accepted')
      return trial.done.length < 3
    })
    trial.start({ a: sls })
    trial.bus.fire('a', new Map())
    await trial.settled()
    expect(trial.done).toEqual(['run x.accept', 'accepted', 'test.ping w'])
    trial.bus.fire('a', new Map())
    await trial.settled()
    expect(trial.done.filter((one) => one.startsWith('test.ping'))).toHaveLength(1)
  })

  it('cuts a loop and reports it', async () => {
    trial.start(
      { again: 'x:\n  runner.event.send:\n    - args:\n        tag: again\n' },
      new Map([['reactor_max_depth', 3]]),
    )
    const loops: Dict[] = []
    trial.bus.listen(
      ({ data }) => loops.push(data),
      (tag) => tag === 'salt/reactor/loop',
    )
    trial.bus.fire('again', new Map())
    await trial.settled()
    expect(trial.done).toHaveLength(3)
    expect(loops.map((data) => data.get('depth'))).toEqual([3])
  })

  it('goes on after a file that cannot be rendered', async () => {
    trial.start({ 'a*': 'x: [unclosed\n', a: 'y:\n  local.test.ping:\n    - tgt: w\n' })
    trial.bus.fire('a', new Map())
    await trial.settled()
    expect(trial.done).toEqual(['test.ping w'])
    expect(trial.log[0]).toMatch(/^error: Failed to render ".*0\.sls": \nTraceback/)
  })

  it('records its reactions', async () => {
    trial.start({ a: 'x:\n  local.test.ping:\n    - tgt: w\ny:\n  runner.no.such:\n    - args: {n: 1}\n' })
    trial.bus.fire('a', loadJson('{"n": 1}') as Dict)
    await trial.settled()
    const { record } = trial.store.last(1)[0]!
    const calls = record.get('calls') as Dict[]
    expect(record.get('rules')).toEqual(['a'])
    expect(calls.map((call) => [call.get('id'), call.get('state')])).toEqual([
      ['x', 'done'],
      ['y', 'failed'],
    ])
    expect(trial.store.open()).toEqual([])
  })

  it('completes work that the last run of the master did not finish', async () => {
    const record = loadJson('{"tag": "a", "data": {"n": 1}, "rules": ["a"], "depth": 1, "calls": null}') as Dict
    const id = trial.store.begin('a', record)
    trial.start({ a: 'x:\n  local.test.ping:\n    - tgt: w\n' })
    await trial.settled()
    expect(trial.done).toEqual(['test.ping w'])
    expect(trial.store.open()).toEqual([])
    expect(trial.store.one(id)!.record.get('interruptions')).toBe(1)
  })

  const runner = (more: string): string => `{"id": "x", "type": "runner", "args": [], "kwargs": {}, ${more}}`
  const INTERRUPTED: Array<[what: string, calls: string, options: string, done: string[], states: string[]]> = [
    [
      'makes the calls that it had not begun, and not those that had ended',
      `${runner('"fun": "f.a", "state": "done", "jid": "1"')}, ${runner('"fun": "f.b", "state": "waiting"')}`,
      '{}',
      ['run f.b'],
      ['done', 'done'],
    ],
    ['runs a function again', runner('"fun": "f.a", "state": "running", "jid": "1"'), '{}', ['run f.a'], ['done']],
    [
      'runs no function again that broke off too often',
      runner('"fun": "f.a", "state": "running", "jid": "1", "attempts": 3'),
      '{}',
      [],
      ['failed'],
    ],
    [
      'runs no function again when it is told not to',
      runner('"fun": "f.a", "state": "running", "jid": "1"'),
      '{"reactor_repeat_interrupted": false}',
      [],
      ['failed'],
    ],
    [
      'knows how a function ended from the store of jobs',
      runner('"fun": "f.a", "state": "running", "jid": "55"'),
      '{}',
      [],
      ['done'],
    ],
    [
      'goes on with an orchestration',
      runner('"fun": "state.orchestrate", "state": "running", "jid": "77"'),
      '{}',
      ['run state.orchestrate_resume 77'],
      ['done'],
    ],
    [
      'publishes a job to who did not hear of it',
      '{"id": "x", "type": "local", "fun": "f.a", "args": [], "kwargs": {}, "tgt": "w", "state": "running", "jid": "9"}',
      '{}',
      ['f.a w'],
      ['done'],
    ],
  ]

  it.each(INTERRUPTED)('after a crash %s', async (_what, calls, options, done, states) => {
    const told: Dict[] = []
    trial.bus.listen(
      ({ data }) => told.push(data),
      (tag) => tag === 'salt/reactor/interrupted',
    )
    trial.returns.set('55', new Map([['m_master', loadJson('{"success": true, "return": 1}') as Dict]]))
    const kept = `{"tag": "a", "data": {}, "rules": ["a"], "depth": 1, "errors": [], "calls": [${calls}]}`
    const id = trial.store.begin('a', loadJson(kept) as Dict)
    trial.start({}, loadJson(options) as Dict)
    await trial.settled()
    expect(trial.done).toEqual(done)
    const after = trial.store.one(id)!.record.get('calls') as Dict[]
    expect(after.map((call) => call.get('state'))).toEqual(states)
    expect(trial.store.open()).toEqual([])
    const brokeOff = /"(waiting|local)"|"55"/.test(calls) ? [] : [states[0] === 'done']
    expect(told.map((data) => data.get('again'))).toEqual(brokeOff)
  })

  it('fails a call that requires itself', async () => {
    const one = (id: string, other: string): string =>
      `${id}:\n  runner.f.${id}:\n    - args: {n: 1}\n    - require:\n      - runner: ${other}\n`
    trial.start({ a: `${one('x', 'y')}${one('y', 'x')}` })
    trial.bus.fire('a', new Map())
    await trial.settled()
    expect(trial.done).toEqual([])
    expect(trial.store.open()).toEqual([])
  })

  it('publishes a job that requires another when that one has returned, and keeps their order', async () => {
    const one = (id: string, more = ''): string => `${id}:\n  local.f.${id}:\n    - tgt: w\n${more}`
    trial.start({ a: `${one('x')}${one('y', '    - require:\n      - local: x\n')}${one('z')}` })
    trial.bus.fire('a', new Map())
    await trial.settled(1)
    expect(trial.done).toEqual(['f.x w'])
    const jid = str((trial.store.last(1)[0]!.record.get('calls') as Dict[])[0]!.get('jid')!)
    trial.returns.set(jid, new Map([['web1', loadJson('{"success": true, "retcode": 0}') as Dict]]))
    trial.bus.fire(`salt/job/${jid}/ret/web1`, new Map())
    await trial.settled()
    expect(trial.done).toEqual(['f.x w', 'f.y w', 'f.z w'])
  })

  it('answers nothing while it is not the leader, and takes orders only with the key', async () => {
    trial.start({ a: 'x:\n  local.test.ping:\n    - tgt: w\n' })
    const order = (key: string): Dict =>
      new Map<Value, Value>([
        ['key', key],
        ['id', 'm_master'],
        ['value', false],
      ])
    trial.bus.fire('salt/run/1/salt/reactors/manage/set_leader', order('wrong'))
    trial.bus.fire('a', new Map())
    await trial.settled()
    expect(trial.done).toHaveLength(1)
    trial.bus.fire('salt/run/1/salt/reactors/manage/set_leader', order('secret'))
    trial.bus.fire('a', new Map())
    await trial.settled()
    expect(trial.done).toHaveLength(1)
  })

  it('answers no more than the limits allow', async () => {
    const limits = loadJson('{"reactor_limits": {"a*": {"rate": 2, "per": 60}, "b": {"dedup": 60}}}') as Dict
    trial.start({ '*': 'x:\n  local.test.ping:\n    - tgt: TAG\n' }, limits)
    for (const tag of ['a1', 'a2', 'a3', 'b', 'b']) trial.bus.fire(tag, new Map())
    await trial.settled()
    expect(trial.done).toEqual(['test.ping a1', 'test.ping a2', 'test.ping b'])
  })
})
