import { describe, expect, test } from 'vitest'
import { type Dict, Float, repr, str, Tuple, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { toValue, tryFunction } from '../../../sdk/mod.ts'
import module from './module.ts'

describe('test', () => {
  test.each<[string, Value[], Record<string, Value>, string]>([
    ['ping', [], {}, 'True'],
    ['echo', [[1, null]], {}, '[1, None]'],
    ['arg', [1, 'a'], { k: new Float(2) }, "{'args': (1, 'a'), 'kwargs': {'k': 2.0}}"],
    ['kwarg', [], { a: 1 }, "{'a': 1}"],
    [
      'arg_type',
      [1, true, null, new Tuple()],
      { k: 's' },
      `{'args': ["<class 'int'>", "<class 'bool'>", "<class 'NoneType'>", "<class 'tuple'>"], 'kwargs': {'k': "<class 'str'>"}}`,
    ],
    ['arg_repr', [1, 'a'], { k: 2 }, `{'args': "(1, 'a')", 'kwargs': "{'k': 2}"}`],
    ['arg_clean', [1], { __pub_jid: 'x', k: 2 }, "{'args': (1,), 'kwargs': {'k': 2}}"],
    ['true', [], {}, 'True'],
    ['false', [], {}, 'False'],
    ['outputter', ['x'], {}, "'x'"],
    ['tty', ['a'], {}, "'ERROR: This function has been moved to cmd.tty'"],
    ['provider', ['test'], {}, "'test'"],
    ['provider', ['nope'], {}, "''"],
    ['raise_exception', ['NoSuchError'], {}, 'False'],
    ['opts_pkg', [], {}, "{'id': 'web1', 'hash_type': 'sha256', 'grains': {'os': 'Debian'}}"],
  ])('.%s%j %j', async (name, args, kwargs, wanted) => {
    const opts = toValue({ id: 'web1', hash_type: 'sha256' }) as Dict
    const grains = toValue({ os: 'Debian' }) as Dict
    expect(repr(await tryFunction(module, name, { args, kwargs, opts, grains }))).toBe(wanted)
  })

  test.each<[string, Value[], string]>([
    ['fib', [10], '55'],
    ['fib', ['7'], '13'],
    ['fib', [100], '354224848179261915075'],
    ['fib', [1], '1'],
    ['collatz', [6], '[6, 3.0, 10.0, 5.0, 16.0, 8.0, 4.0, 2.0]'],
  ])('.%s%j', async (name, args, wanted) => {
    const [result, seconds] = (await tryFunction(module, name, { args })) as Tuple
    expect(str(result!)).toBe(wanted)
    expect(str(seconds!)).toMatch(/^\d/)
  })

  test.each<[string, Value[], Record<string, Value>, string, string]>([
    ['exception', ['oh'], {}, 'Exception', 'oh'],
    ['assertion', [false], {}, 'AssertionError', ''],
    ['raise_exception', ['TypeError', 'An integer is required'], {}, 'TypeError', 'An integer is required'],
    ['raise_exception', ['KeyError', 'k'], {}, 'KeyError', "'k'"],
    ['raise_exception', ['salt.exceptions.CommandExecutionError', 'boo'], {}, 'CommandExecutionError', 'boo'],
    ['fib', [-1], {}, 'ValueError', 'Negative number is not allowed!'],
    ['collatz', ['x'], {}, 'ValueError', "invalid literal for int() with base 10: 'x'"],
    ['random_hash', [5, 'zz'], {}, 'AttributeError', "module 'hashlib' has no attribute 'zz'"],
    ['echo', [], {}, 'TypeError', "echo() missing 1 required positional argument: 'text'"],
    ['true', [1], {}, 'TypeError', 'true_() takes 0 positional arguments but 1 was given'],
  ])('.%s%j %j fails', async (name, args, kwargs, code, message) => {
    await expect(tryFunction(module, name, { args, kwargs })).rejects.toMatchObject({ code, message })
  })

  test('.try hides the failure of another function', async () => {
    const others = {
      'a.good': () => 1,
      'a.bad': () => {
        throw new Error('bad')
      },
    }
    expect(await tryFunction(module, 'try', { others, args: ['a.good'] })).toBe(1)
    expect(await tryFunction(module, 'try', { others, args: ['a.bad'] })).toBeNull()
    expect(await tryFunction(module, 'try', { others, args: ['a.bad', true] })).toBe('bad')
  })

  test('.sleep takes a part of a second', async () => {
    expect(await tryFunction(module, 'sleep', { args: [0.001] })).toBe(true)
  })

  test.each<[string, number]>([
    ['sleep', 0.001],
    ['rand_sleep', 0],
  ])('.%s lets a remote host read again', async (name, seconds) => {
    let asked = 0
    const host = Object.assign(await MemoryHost.with({ files: {} }), { forgetReads: () => void asked++ })
    expect(await tryFunction(module, name, { host, args: [seconds] })).toBe(true)
    expect(asked).toBe(1)
  })

  test('.random_hash uses the requested hash, or the configured one', async () => {
    expect(await tryFunction(module, 'random_hash', { kwargs: { hash_type: 'md5' } })).toMatch(/^[0-9a-f]{32}$/)
    expect(await tryFunction(module, 'rand_str', { opts: new Map([['hash_type', 'sha512']]) })).toMatch(
      /^[0-9a-f]{128}$/,
    )
  })

  test('.versions_report lists sections with aligned names', async () => {
    expect(await tryFunction(module, 'versions_report')).toMatch(
      /^Salt Version:\n +Salt: \d+\.\d+\n \nBrine Version:\n +Brine: \d+\.\d+\.\d+\n \nNode Version:\n/,
    )
  })
})
