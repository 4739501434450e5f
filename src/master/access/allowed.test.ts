import { describe, expect, test } from 'vitest'
import type { Value } from '../../data/mod.ts'
import { judgedCalls, mayCall, mayPublish } from './allowed.ts'

const dict = (entries: Record<string, Value>): Value => new Map<Value, Value>(Object.entries(entries))
const call = (fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}) => ({
  fun,
  args,
  kwargs: new Map<Value, Value>(Object.entries(kwargs)),
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

describe('a published command', () => {
  test('has its keywords apart from its arguments', () => {
    const keywords = new Map<Value, Value>([
      ['__kwarg__', true],
      ['k', 'v'],
    ])
    expect(judgedCalls('test.arg', ['a', keywords])).toEqual([{ fun: 'test.arg', args: ['a'], kwargs: keywords }])
    expect(judgedCalls(['a.b', 'c.d'], [['x'], []]).map(({ fun, args }) => [fun, args])).toEqual([
      ['a.b', ['x']],
      ['c.d', []],
    ])
  })
})
