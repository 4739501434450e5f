import { describe, expect, it } from 'vitest'
import { type Dict, loadJson } from '../data/mod.ts'
import { arg, type MasterFunction, masterFn } from '../sdk/mod.ts'
import { reactionCall, requirements } from './calls.ts'

const greet: MasterFunction = masterFn({
  doc: 'Greets.',
  args: { who: arg.any('Whom'), n: arg.any('How often', { default: 1 }) },
  run: () => null,
})

const open: MasterFunction = masterFn({ doc: 'All.', args: { kwargs: arg.open('Anything') }, run: () => null })

const declared = async (_kind: string, fun: string) => {
  const declaration = { 'hello.greet': greet, 'hello.all': open }[fun]
  return declaration && { declaration, isBuiltIn: true }
}

const chunk = (json: string): Dict => new Map([['__id__', 'x'], ...(loadJson(json) as Dict)])

async function read(json: string): Promise<{ call: unknown; log: string[] }> {
  const log: string[] = []
  const call = await reactionCall(chunk(json), declared, (level, text) => log.push(`${level}: ${text}`))
  return { call: call && { args: call.args, kwargs: Object.fromEntries(call.kwargs) }, log }
}

describe('a reaction', () => {
  it.each([
    ['new form', '{"state": "local", "fun": "test.arg", "tgt": "*", "args": [{"a": 1}, {"b": 2}]}', [], { a: 1, b: 2 }],
    ['new form as a dict', '{"state": "local", "fun": "test.arg", "tgt": "*", "args": {"a": 1}}', [], { a: 1 }],
    ['plain words', '{"state": "runner", "fun": "x.y", "args": ["just"]}', [], { just: null }],
    ['old form', '{"state": "cmd", "fun": "test.arg", "tgt": "*", "arg": [1], "kwarg": {"k": 2}}', [1], { k: 2 }],
    ['keywords of the function', '{"state": "runner", "fun": "hello.greet", "who": "me"}', ['me'], { n: 1 }],
    ['old form without kwarg', '{"state": "runner", "fun": "hello.all", "arg": [1], "b": 2}', [1], { arg: [1], b: 2 }],
    ['old form without arg', '{"state": "runner", "fun": "hello.all", "kwarg": {"a": 1}, "b": 2}', [], { a: 1 }],
    ['positional of a caller', '{"state": "caller", "fun": "test.arg", "args": ["one"]}', ['one'], {}],
  ])('in the %s is read', async (_name, json, args, kwargs) => {
    expect((await read(json)).call).toEqual({ args, kwargs })
  })

  it('with both forms uses the new one, and reports what it ignores', async () => {
    const { call, log } = await read('{"state": "local", "fun": "f", "tgt": "*", "arg": [1], "args": [{"a": 1}]}')
    expect(call).toEqual({ args: [], kwargs: { a: 1 } })
    expect(log[0]).toMatch(/^warning: Reactor 'x' is ignoring 'arg' param \[1\] due to presence of 'args' param/)
  })

  it('of a missing function is refused', async () => {
    const { call, log } = await read('{"state": "runner", "fun": "no.such", "n": 1}')
    expect(call).toBeUndefined()
    expect(log).toEqual(["error: Reactor 'x' failed to execute runner 'no.such': function not available"])
  })

  it.each([
    ['{"state": "local", "fun": "test.ping"}', 'local takes at least 2 arguments (1 given)'],
    ['{"state": "runner", "fun": "hello.greet"}', 'greet takes at least 1 argument (0 given)'],
    ['{"state": "runner", "fun": "hello.greet", "who": 1, "zz": 2}', /'zz' is an invalid keyword argument for/],
  ])('%s fails', async (json, text) => {
    await expect(read(json)).rejects.toThrow(text)
  })

  it('lists its requisites', () => {
    expect(requirements(chunk('{"state": "local", "require": [{"wheel": "accept"}, {"cmd": "a"}]}'))).toEqual([
      'wheel/accept',
      'local/a',
    ])
  })
})
