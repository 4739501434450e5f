import { describe, expect, test } from 'vitest'
import { dictFrom, type Value } from '../../data/mod.ts'
import { judgedCalls, mayCall, mayPublish, mayPublishAnywhere, maySetField } from './allowed.ts'

const dict = (entries: Record<string, Value>): Value => dictFrom(entries)
const call = (fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}) => ({
  fun,
  args,
  kwargs: dictFrom(kwargs),
})
const onWeb = (target: string): boolean => target === 'web*' || target === '*'

describe('an access list', () => {
  test.each<[list: Value[], fun: string, allowed: boolean]>([
    [['test.*', 'grains.item'], 'test.ping', true],
    [['test.*', 'grains.item'], 'grains.items', true],
    [['test.*', 'grains.item'], 'cmd.run', false],
    [['test.*'], 'xtest.ping', false],
    [['grains.items'], 'grains.item', false],
    [[dict({ 'web*': ['test.echo'] })], 'test.echo', true],
    [[dict({ db1: ['test.echo'] })], 'test.echo', false],
    [['@runner'], 'test.echo', false],
    [['('], 'test.echo', false],
    [[], 'saltutil.find_job', true],
  ])('%j judges %s as %s', (list, fun, allowed) => {
    expect(mayPublish(list, [call(fun)], onWeb)).toBe(allowed)
  })

  test('must allow every function of a command', () => {
    expect(mayPublish(['test.*'], [call('test.ping'), call('cmd.run')], onWeb)).toBe(false)
    expect(mayPublish(['test.*', 'cmd.run'], [call('test.ping'), call('cmd.run')], onWeb)).toBe(true)
  })

  test('limits arguments, and leaves further ones free', () => {
    const list = [dict({ '*': [dict({ 'test.arg': dict({ args: ['a.*', 'b.*'], kwargs: dict({ k: 'v.*' }) }) })] })]
    const judge = (args: Value[], kwargs: Record<string, Value>) =>
      mayPublish(list, [call('test.arg', args, kwargs)], onWeb)
    expect(judge(['abc', 'bcd'], { k: 'vv' })).toBe(true)
    expect(judge(['abc', 'bcd', 'extra'], { k: 'v', more: 1 })).toBe(true)
    expect(judge(['abc', 'bcd'], { k: 'zz' })).toBe(false)
    expect(judge(['abc', 'bcd'], {})).toBe(false)
    expect(judge(['abc'], { k: 'v' })).toBe(false)
  })

  test.each<[list: Value[], family: 'runner' | 'wheel', fun: string, allowed: boolean]>([
    [['@runner'], 'runner', 'manage.up', true],
    [['@runner'], 'wheel', 'key.list_all', false],
    [['.*'], 'runner', 'manage.up', false],
    [['@jobs'], 'runner', 'jobs.active', true],
    [['@jobs'], 'runner', 'test.arg', false],
    [[dict({ '@runner': ['jobs.*'] })], 'runner', 'jobs.active', true],
    [[dict({ '@runner': ['jobs.*'] })], 'runner', 'manage.up', false],
    [[dict({ '@wheel': ['key.list.*'] })], 'wheel', 'key.list_all', true],
    [['@runner'], 'runner', 'nodot', false],
  ])('%j judges the %s %s as %s', (list, family, fun, allowed) => {
    expect(mayCall(list, family, call(fun))).toBe(allowed)
  })
})

describe('a list with conditions on keywords', () => {
  const list = [dict({ '*': [dict({ 'cmd.run': dict({ kwargs: dict({ runas: 'nobody$' }) }) })] })]
  const marked = (mark: Value, entries: Record<string, Value>): Value => dict({ __kwarg__: mark, ...entries })
  const judge = (...arg: Value[]): boolean => mayPublish(list, judgedCalls('cmd.run', arg), () => true)

  test('reads keywords as a minion does: marked dicts in any place, and text with an equals sign', () => {
    expect(judge('id', marked(true, { runas: 'nobody' }))).toBe(true)
    expect(judge(marked(true, { runas: 'nobody' }), 'id')).toBe(true)
    expect(judge('id', 'runas=nobody')).toBe(true)
    expect(judge('id', marked(true, { runas: 'root' }))).toBe(false)
    expect(judge('id', 'runas=root')).toBe(false)
  })

  test('takes no dict for keywords whose mark is not True', () => {
    for (const mark of [false, 1, 'True', null]) expect(judge('id', marked(mark, { runas: 'nobody' }))).toBe(false)
  })

  test('counts the last of several keywords of one name, as a minion does', () => {
    const [nobody, root] = [marked(true, { runas: 'nobody' }), marked(true, { runas: 'root' })]
    expect(judge('id', nobody, root)).toBe(false)
    expect(judge('id', root, nobody)).toBe(true)
    expect(judge('id', nobody, 'runas=root')).toBe(false)
    expect(judge('id', 'runas=root', marked(false, { runas: 'nobody' }))).toBe(false)
  })
})

describe('fields of a publication', () => {
  test.each<[list: Value[], names: string[], granted: boolean]>([
    [['.*', '@runner', '@publisher'], ['ret'], false],
    [['@publish'], ['ret'], true],
    [[dict({ '@publish': ['metadata'] })], ['ret'], false],
    [[dict({ '@publish': ['ret'] })], ['ret_kwargs', 'ret'], true],
    [[dict({ '@publish': 'ret' })], ['ret'], true],
    [[dict({ '*': ['@publish'] })], ['ret'], false],
  ])('%j grants %j: %s', (list, names, granted) => {
    expect(maySetField(list, names)).toBe(granted)
  })

  test('are no functions', () => {
    expect(mayPublish(['@publish', dict({ '@publish': ['.*'] })], [call('test.ping')], () => true)).toBe(false)
  })
})

test('Rights that depend on known minions hold for no unknown one', () => {
  const may = (list: Value[], fun: string): boolean => mayPublishAnywhere(list, [call(fun)])
  expect(may(['test.*'], 'test.ping')).toBe(true)
  expect(may([dict({ '*': ['test.*'] })], 'test.ping')).toBe(true)
  expect(may([dict({ 'web*': ['test.*'] })], 'test.ping')).toBe(false)
  expect(may([dict({ '**': ['test.*'] })], 'test.ping')).toBe(false)
  expect(may([], 'saltutil.find_job')).toBe(false)
})

describe('a published command', () => {
  test('has its keywords apart from its arguments', () => {
    const keywords = dict({ __kwarg__: true, k: 'v' })
    expect(judgedCalls('test.arg', ['a', keywords])).toEqual([
      { fun: 'test.arg', args: ['a'], kwargs: dict({ k: 'v' }) },
    ])
    expect(judgedCalls(['a.b', 'c.d'], [['x'], []]).map(({ fun, args }) => [fun, args])).toEqual([
      ['a.b', ['x']],
      ['c.d', []],
    ])
  })

  test('has no arguments where a minion sees none', () => {
    expect(judgedCalls(['a.b'], 'ok').map(({ args }) => args)).toEqual([[]])
    expect(judgedCalls(['a.b'], ['ok']).map(({ args }) => args)).toEqual([[]])
  })
})
