import { describe, expect, test } from 'vitest'
import { type Dict, repr, str, type Value } from '../data/mod.ts'
import { testMinion } from './state-tree.test-support.ts'

async function apply(sls: string, kwargs: Record<string, Value> = {}): Promise<Value> {
  const { functions } = await testMinion({ 't.sls': sls })
  return functions.call('state.apply', ['t'], kwargs)
}

/** `id: result comment` in the order of the run. */
function lines(ret: Value): string[] {
  const shown = (value: Value): string => (value instanceof Map ? one(value) : str(value))
  const one = (result: Dict): string =>
    `${str(result.get('__id__') ?? null)}: ${str(result.get('result')!)} ${str(result.get('comment')!)}`
  return ret instanceof Map ? [...ret.values()].map(shown) : (ret as Value[]).map(shown)
}

const state = (id: string, fun: string, ...args: string[]): string =>
  `${id}:\n  test.${fun}:\n    - name: ${id}\n${args.map((arg) => `    - ${arg}\n`).join('')}`

const CHANGES = state('src', 'succeed_with_changes')
const SAME = state('src', 'succeed_without_changes')
const FAILS = state('src', 'fail_without_changes')

describe('a state run', () => {
  test.each<[string, string, string, string]>([
    ['require', SAME, 'require: [{test: src}]', 'dst: True Success!'],
    ['require', FAILS, 'require: [src]', 'dst: False One or more requisite failed: t.src'],
    ['watch', CHANGES, 'watch: [{test: src}]', 'dst: True Watch statement fired.'],
    ['onchanges', SAME, 'onchanges: [src]', 'dst: True State was not run because none of the onchanges reqs changed'],
    ['onfail', SAME, 'onfail: [src]', 'dst: True State was not run because onfail req did not change'],
    ['onfail', FAILS, 'onfail: [src]', 'dst: True Success!'],
    ['onlyif', SAME, 'onlyif: [{fun: test.false}]', 'dst: True onlyif condition is false'],
    ['unless', SAME, 'unless: [{fun: test.true}]', 'dst: True unless condition is true'],
    ['creates', SAME, 'creates: /srv/salt/t.sls', 'dst: True /srv/salt/t.sls exists'],
    ['slots', SAME, "comment: '__slot__:salt:test.echo(hi) ~ _you'", 'dst: True hi_you'],
    ['parallel', SAME, 'parallel: true', 'dst: True Success!'],
    ['umask', SAME, 'umask: abc', 'None: False Invalid umask: abc\n'],
  ])('honours %s', async (_name, source, requisite, wanted) => {
    const ret = await apply(source + state('dst', 'succeed_without_changes', requisite))
    expect(lines(ret)[1]).toBe(wanted)
  })

  test('runs listeners at the end, and reports missing ones', async () => {
    const ret = await apply(state('dst', 'nop', 'listen: [{test: src}, {test: none}]') + CHANGES)
    expect(lines(ret)).toEqual([
      'dst: True Success!',
      'src: True Success!',
      'listener_dst: True Watch statement fired.',
      'None: False Referenced state test: none does not exist',
    ])
  })

  test('tries what waits on prereq, and does not run it for nothing', async () => {
    const ret = await apply(SAME + state('dst', 'nop', 'prereq: [{test: src}]'))
    expect(lines(ret)).toEqual(['dst: True No changes detected', 'src: True Success!'])
  })

  test('tries again until the wanted result comes', async () => {
    const ret = await apply(state('a', 'fail_without_changes', 'retry: {attempts: 2, interval: 0}'))
    expect(lines(ret)).toEqual([
      'a: False Attempt 1: Returned a result of "False", with the following comment: "Failure!"\nFailure!',
    ])
  })

  test('ends at a failure that is to end it', async () => {
    const ret = await apply(state('a', 'fail_without_changes', 'failhard: true') + state('b', 'nop'))
    expect(lines(ret)).toEqual(['a: False Failure!'])
  })

  test('predicts in a dry run', async () => {
    expect(lines(await apply(CHANGES, { test: true }))).toEqual([
      "src: None If we weren't testing, this would be successful with changes",
    ])
  })

  test('fails a state that throws, and says where it was written', async () => {
    const [line] = lines(await apply(state('a', 'show_notification')))
    expect(line).toBe(
      'a: False An exception occurred in this state: Traceback (most recent call last):\n' +
        '  File "/srv/salt/t.sls", line 2, in test.show_notification\n' +
        'salt.exceptions.SaltInvocationError: Missing required argument text.\n',
    )
  })

  test('ends with arguments that no function takes', async () => {
    await expect(apply(state('a', 'configurable_test_state', 'foo: 1', 'bar: 2'))).rejects.toThrow(
      "'foo' and 'bar' are invalid keyword arguments for 'test.configurable_test_state'",
    )
  })
})

describe('an option that a state passes over', () => {
  test('is reported if its name is similar to a known one, and only then', async () => {
    const sls = '/srv/salt/a:\n  file.managed:\n    - contentz: hi\n    - mode: "0644"\n    - team: web\n'
    const { functions, warnings } = await testMinion({ 't.sls': sls })
    expect(lines(await functions.call('state.apply', ['t']))).toEqual(['/srv/salt/a: True Empty file'])
    expect(warnings).toEqual([
      "/srv/salt/t.sls:3: file.managed has no option 'contentz'; ignored. Did you mean 'contents'?",
    ])
  })
})

describe('state.explain', () => {
  test('describes the requisites of an ID, and where it is written', async () => {
    const { functions } = await testMinion({ 't.sls': FAILS + state('dst', 'nop', 'require: [src]') })
    const [told] = (await functions.call('state.explain', ['dst', 't'])) as Dict[]
    expect(repr(told!)).toBe(
      "{'state': 'test.nop', 'name': 'dst', 'written': '/srv/salt/t.sls:5', 'decision': 'not run: a requisite failed', " +
        "'requisites': [{'requisite': 'require', 'of': 'test: src', 'result': False, 'changed': False}], " +
        "'result': False, 'comment': 'One or more requisite failed: t.src'}",
    )
  })
})

describe('a fault in the tree', () => {
  test.each<[string, Record<string, string>, string, string]>([
    ['wrong YAML', { 't.sls': 'a:\n  b: c: d\n' }, 't.sls:2', 'mapping values are not allowed'],
    ['wrong Jinja', { 't.sls': 'a: test.nop\n{% if %}\n' }, 't.sls:2', 'Jinja syntax error'],
    [
      'no list',
      { 't.sls': '{% set x = 1 %}\na:\n  test: nop\n' },
      't.sls:3',
      "State 'a' in SLS 't' is not formed as a list",
    ],
    ['an unknown include', { 't.sls': 'include:\n  - qa: u\n' }, 't.sls:2', "Nonexistent saltenv 'qa'"],
    [
      'a conflict',
      { 't.sls': 'include: [u]\na: test.nop\n', 'u.sls': '\na:\n  test.nop: []\n' },
      'u.sls:3',
      'conflicting IDs',
    ],
    [
      'an unknown requisite',
      { 't.sls': 'b: test.nop\na:\n  test.nop:\n    - require: [zz]\n' },
      't.sls:4',
      'does not exist',
    ],
    [
      'an extension of nothing',
      { 't.sls': 'extend:\n  zz:\n    test:\n      - nop\n' },
      't.sls:2',
      "Cannot extend ID 'zz'",
    ],
  ])('is reported with its place: %s', async (_name, files, place, text) => {
    const { functions, log } = await testMinion(files)
    const ret = await functions.call('state.apply', ['t'])
    expect(Array.isArray(ret) && str(ret[0]!)).toContain(text)
    expect(log[0]).toContain(text)
    expect(log[0]).toContain(`/srv/salt/${place}:`)
  })
})

test("A missing grain is reported with Salt's wrapper class", async () => {
  const ret = await apply('a: {{ grains.zz }}\n')
  expect(str((ret as Value[])[0]!)).toContain("'salt.utils.optsdict.DictProxy object' has no attribute 'zz'")
})

test.each([
  ['5\n', "argument of type 'int' is not iterable"],
  [`exclude: [5]\n${state('a', 'nop')}${state('b', 'nop', 'require_in: [a]')}`, "'int' object has no attribute 'get'"],
])('An error that Python would raise ends the run: %j', async (sls, message) => {
  await expect(apply(sls)).rejects.toThrow(message)
})

test('A keyword that is no text is refused when the function is called', async () => {
  expect(lines(await apply(state('a', 'nop', '5: x')))[0]).toContain('TypeError: keywords must be strings')
})

test('An extension that is a dict replaces the function by its keys', async () => {
  const ret = await apply(`extend:\n  a:\n    test: {zz: 1}\n${state('a', 'nop')}`)
  expect(lines(ret)[0]).toContain("State 'test.zz' was not found in SLS 't'")
})

test('A terse run is judged by what it shows', async () => {
  const { functions } = await testMinion({ 't.sls': SAME })
  expect(repr(await functions.call('state.apply', ['t'], { terse: true }))).toBe('{}')
  expect(functions.ctx.memory.get('retcode')).toBe(2)
})

test('High data that is no mapping is refused', async () => {
  const { functions } = await testMinion({})
  expect(await functions.call('state.high', ['x'])).toEqual(['High data is not a dictionary and is invalid'])
})

test('A top file without targets matches nothing', async () => {
  const { functions } = await testMinion({ 'top.sls': 'base: []\n' })
  expect(repr(await functions.call('state.show_top', []))).toBe('{}')
})

test('A cache that is not there has nothing to clear', async () => {
  const { functions } = await testMinion({})
  expect(await functions.call('state.clear_cache', [])).toEqual([])
})
