import { expect, test } from 'vitest'
import { type Dict, toPlain, type Value } from '../../../../data/mod.ts'
import type { FunctionContext, MasterReach, SshCall } from '../../../../sdk/mod.ts'
import { command, commandEach, runner, wheel } from './master.ts'

const logged: string[] = []

function beside(open: boolean): FunctionContext {
  const master = {
    parameters: async (_family: string, name: string) => (name === 'no.such' ? undefined : { names: ['match'], open }),
    call: async (_family: string, { kwargs }: { kwargs: Map<string, Value> }) => ({
      jid: '7',
      value: new Map<Value, Value>(kwargs),
      success: true,
    }),
    fire: async () => undefined,
    run: () => {
      throw new Error('published')
    },
  }
  return {
    master: master as unknown as MasterReach,
    opts: new Map(),
    log: (_level: string, text: string) => logged.push(text),
  } as unknown as FunctionContext
}

const call = (name: string, given: Record<string, Value>) => ({
  name,
  arg: [],
  kwarg: null,
  full_return: false,
  saltenv: 'base',
  jid: null,
  kwargs: new Map(Object.entries(given)),
})

test('A keyword that a runner or wheel function does not take keeps it from running', async () => {
  const problem = 'The following keyword arguments are not valid: a=1, b=x'
  const given = { match: '*', a: 1, b: 'x' }
  await expect(runner(beside(false), call('key.list', given))).rejects.toThrow(problem)
  await expect(wheel(beside(false), 'key.list', [], new Map(Object.entries(given)))).rejects.toThrow(problem)
  expect(toPlain(await runner(beside(true), call('test.arg', given)))).toMatchObject(given)
})

test.each([
  ['no.such', "'no.such'"],
  ['word', `"The key 'word' should contain a '.'"`],
])('There is no runner %s', async (name, problem) => {
  const context = beside(false)
  Object.assign(context.master!, { parameters: async () => undefined, names: () => ['manage.up'] })
  await expect(runner(context, call(name, {}))).rejects.toThrow(problem)
})

test('A job for salt-ssh runs only there', async () => {
  const kwargs = new Map<string, Value>([['roster', 'flat']])
  const calls: SshCall[] = []
  const context = beside(false)
  async function* ssh(call: SshCall) {
    calls.push(call)
    yield { id: 'web1', answer: new Map<Value, Value>([['return', true]]), retcode: 0 }
    yield { id: 'web2', answer: 'no route', retcode: 255 }
  }
  Object.assign(context.master!, { ssh })
  const asked = {
    tgt: 'web1',
    fun: 'test.ping',
    arg: [],
    timeout: null,
    tgt_type: 'glob',
    ret: '',
    kwarg: null,
    ssh: true,
    kwargs,
  }
  const answers: Dict = await command(context, asked)
  expect(toPlain(answers)).toEqual({ web1: { return: true }, web2: { return: 'no route', retcode: 255 } })
  expect(calls).toMatchObject([{ tgt: 'web1', fun: 'test.ping', options: new Map([['roster', 'flat']]) }])
  const batch = new Map(kwargs).set('batch', '2')
  await expect(command(context, { ...asked, kwargs: batch })).rejects.toThrow('salt-ssh has no batches')
})

test('saltutil.cmd_iter reports each return as it arrives, and returns all of them', async () => {
  const told: unknown[] = []
  const context = beside(false)
  async function* run() {
    for (const id of ['web1', 'web2']) {
      yield { id, data: new Map<Value, Value>([['return', true]]).set('retcode', 0).set('jid', '7') }
    }
    yield { id: 'web3', reason: 'missing' }
  }
  Object.assign(context.master!, { run })
  const progress = async (index: number, value: Value): Promise<Value> => told.push([index, toPlain(value)])
  const asked = { tgt: '*', fun: 'test.ping', arg: [], timeout: null, tgt_type: 'glob', ret: '', kwarg: null }
  const answer = { ret: true, retcode: 0, jid: '7' }
  const answers = await commandEach({ ...context, daemon: { progress } } as unknown as FunctionContext, {
    ...asked,
    kwargs: new Map(),
  })
  expect(toPlain(answers)).toEqual({ web1: answer, web2: answer, web3: { failed: true } })
  expect(told).toEqual([
    [0, { web1: answer }],
    [1, { web2: answer }],
    [2, { web3: { failed: true } }],
  ])
})

test.each(['runner', 'wheel'] as const)('For a missing %s, a similar one is suggested', async (family) => {
  const context = beside(false)
  Object.assign(context.master!, {
    parameters: async () => undefined,
    names: () => ['manage.up'],
    fire: async () => {},
  })
  const asked = family === 'runner' ? runner(context, call('mange.up', {})) : wheel(context, 'mange.up', [], new Map())
  await expect(asked).rejects.toMatchObject({ message: "'mange.up'", hint: "Did you mean 'manage.up'?" })
})
