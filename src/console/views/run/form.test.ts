import { describe, expect, it } from 'vitest'
import { commandLine, parseCommand } from './command.ts'
import { type Argument, callOf, canTest, type Description, textsOf, withoutSecrets } from './form.ts'

const argument = (name: string, kind: string, more: Partial<Argument> = {}): Argument => ({
  name,
  kind,
  doc: '',
  required: false,
  secret: false,
  ...more,
})

const described = (...all: Argument[]): Description => ({
  family: 'execution',
  name: 'user.add',
  module: 'user',
  doc: '',
  changes: true,
  arguments: all,
  argumentsSchema: {},
  resultSchema: {},
  result: null,
  examples: [],
})

const ADD = described(
  argument('name', 'string', { required: true }),
  argument('uid', 'integer', { default: null }),
  argument('groups', 'list', { default: null }),
  argument('password', 'text', { default: null, secret: true }),
  argument('system', 'boolean', { default: false }),
)
const RUN = described(
  argument('fun', 'string', { required: true }),
  argument('wait', 'boolean', { default: true }),
  argument('arg', 'rest'),
  argument('kwargs', 'open'),
)

const texts = (named: Record<string, string>, rest = '', more = '') => ({ named, rest, more })

describe('a form', () => {
  it('gives required arguments by place and the others by name', () => {
    const call = callOf(ADD, texts({ name: '5', uid: '1001', groups: 'wheel\nweb', system: 'True' }))
    expect(call).toEqual({
      args: ['5'],
      kwargs: { uid: 1001, groups: ['wheel', 'web'], system: true },
      wrong: {},
      missing: [],
    })
  })

  it('reports missing and invalid arguments', () => {
    const call = callOf(ADD, texts({ uid: 'many' }))
    expect([call.missing, Object.keys(call.wrong)]).toEqual([['name'], ['uid']])
  })

  it('puts all before the rest by place', () => {
    expect(callOf(RUN, texts({ fun: 'a.b' }, '1\n[x, y]', 'k = {a: 1}'))).toMatchObject({
      args: ['a.b', true, 1, ['x', 'y']],
      kwargs: { k: { a: 1 } },
    })
    expect(callOf(RUN, texts({ fun: 'a.b' }, '', 'no keyword')).wrong).toHaveProperty('*more')
  })

  it('is filled from arguments and means them again', () => {
    for (const [description, args, kwargs] of [
      [ADD, ['ann'], { uid: 7, groups: ['a'], system: false }],
      [RUN, ['x', false, 'two words', 3], { extra: '5' }],
      [undefined, ['a', true], { k: null }],
    ] as const) {
      expect(callOf(description, textsOf(description, args, kwargs))).toMatchObject({ args, kwargs })
    }
  })

  it('keeps secrets out of addresses and command lines', () => {
    const { args, kwargs } = callOf(ADD, texts({ name: 'ann', password: 'x y' }))
    expect(withoutSecrets(ADD, kwargs)).toEqual({})
    const line = commandLine({
      family: 'execution',
      function: 'user.add',
      target: '*',
      args,
      kwargs,
      secrets: ['password'],
    })
    expect(line).toBe("salt '*' user.add ann password='…'")
  })

  it('recognises functions that support a dry run', () => {
    expect(canTest(described(argument('test', 'any')))).toBe(true)
    expect(canTest({ ...described(argument('kwargs', 'open')), name: 'state.apply' })).toBe(true)
    expect(canTest(ADD)).toBe(false)
  })
})

describe('a command line', () => {
  it('has the option of the target and values that are read as the same', () => {
    const command = {
      family: 'execution',
      function: 'test.arg',
      args: ['5', 5, 'a=b'],
      kwargs: { x: [1], y: 'it is' },
    } as const
    expect(commandLine({ ...command, target: 'G@os:x and not db*', targetType: 'compound', batch: '10%' })).toBe(
      `salt -b 10% -C 'G@os:x and not db*' test.arg '"5"' 5 '"a=b"' x='[1]' y='it is'`,
    )
    expect(commandLine({ ...command, args: [], kwargs: {}, target: ['a', 'b'] })).toBe("salt -L 'a,b' test.arg")
    expect(commandLine({ family: 'runner', function: 'jobs.active', args: [], kwargs: {} })).toBe(
      'salt-run jobs.active',
    )
  })

  it('is read from a template', () => {
    expect(parseCommand(`test.arg 5 'a b' num=10`)).toEqual({
      family: 'execution',
      function: 'test.arg',
      args: [5, 'a b'],
      kwargs: { num: 10 },
    })
    expect(parseCommand('runners.jobs.last_run')).toMatchObject({ family: 'runner', function: 'jobs.last_run' })
  })
})
