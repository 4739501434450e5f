import { describe, expect, expectTypeOf, test } from 'vitest'
import { ownUser } from '../base/mod.ts'
import { type Dict, Float, fromPlain, type Value } from '../data/mod.ts'
import { option, rawOption } from './view.ts'

const opts = (plain: Record<string, unknown> = {}): Dict => fromPlain(plain) as Dict

describe('the typed view', () => {
  test('has the types that the tables declare', () => {
    expectTypeOf(option(opts(), 'cachedir')).toEqualTypeOf<string>()
    expectTypeOf(option(opts(), 'order_masters')).toEqualTypeOf<boolean>()
    expectTypeOf(option(opts(), 'acceptance_wait_time')).toEqualTypeOf<number>()
    expectTypeOf(option(opts(), 'foreign_target_timeout')).toEqualTypeOf<number>()
    expectTypeOf(option(opts(), 'file_roots')).toEqualTypeOf<Dict>()
    expectTypeOf(option(opts(), 'disable_modules')).toEqualTypeOf<Value[]>()
    expectTypeOf(option(opts(), 'saltenv')).toEqualTypeOf<string | null>()
    expectTypeOf(option(opts(), 'gpg_keydir')).toEqualTypeOf<string | undefined>()
    expectTypeOf(option(opts(), 'master')).toEqualTypeOf<Value>()
    expectTypeOf(option(opts(), 'timeout')).toEqualTypeOf<number>()
  })

  test('returns the default of the program that the options belong to', () => {
    expect(option(opts({ __role: 'master' }), 'cachedir')).toBe('/var/cache/salt/master')
    expect(option(opts({ __role: 'minion' }), 'cachedir')).toBe('/var/cache/salt/minion')
    expect(option(opts({ __role: 'minion' }), 'publish_port')).toBe(4505)
    // Salt's master merges such a pillar only if the option is set
    expect(option(opts({ __role: 'master' }), 'ssh_merge_pillar')).toBe(false)
    expect(option(opts(), 'reactor_max_depth')).toBe(20)
    expect(option(opts(), 'user')).toBe(ownUser())
    expect(option(opts(), 'gpg_keydir')).toBeUndefined()
  })

  test.each([
    ['order_masters', 1, true],
    ['order_masters', null, false],
    ['ret_port', '4600', 4600],
    ['ret_port', 'many', 4506],
    ['ret_port', null, 4506],
    ['http_connect_timeout', new Float(3), 3],
    ['hash_type', 256, '256'],
    ['hash_type', null, 'sha256'],
    ['saltenv', null, null],
    ['retry_dns_count', 2, 2],
    ['file_roots', ['/srv'], new Map([['base', ['/srv/salt', '/srv/spm/salt']]])],
    ['disable_modules', 'cmd', ['cmd']],
    ['disable_modules', 5, []],
    ['id_function', 'x', 'x'],
    ['return', null, ''],
    ['return', ['a', 'b'], ['a', 'b']],
    ['state_aggregate', null, null],
  ] as const)('reads %s: %j as %j', (name, value, read) => {
    expect(option(new Map([[name, value as Value]]), name)).toEqual(read)
  })

  test('lends no default to two callers', () => {
    option(opts(), 'file_roots').set('dev', [])
    expect([...option(opts(), 'file_roots').keys()]).toEqual(['base'])
  })

  test('gives a value as it is set on request', () => {
    expect(rawOption(opts({ engines: { x: null } }), 'engines')).toEqual(new Map([['x', null]]))
    expect(rawOption(opts({ extension_modules: null }), 'extension_modules')).toBeNull()
    expect(rawOption(opts(), 'engines')).toEqual([])
  })
})
