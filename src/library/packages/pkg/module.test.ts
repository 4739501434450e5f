import { describe, expect, it } from 'vitest'
import type { Dict, Value } from '../../../data/mod.ts'
import { type Trial, tryFunction } from '../../../sdk/mod.ts'
import resource from './module.ts'

const grains: Dict = new Map([['os', 'Debian']])
const call = (name: string, trial: Trial) => tryFunction(resource, name, { grains, ...trial })

describe('parse_targets', () => {
  it.each<[string, Trial, Value]>([
    [
      'names with commas',
      { args: ['a,b'], kwargs: { version: '1' } },
      [
        new Map([
          ['a', '1'],
          ['b', '1'],
        ]),
        'repository',
      ],
    ],
    [
      'a list with versions',
      { args: [null, ['a', new Map<Value, Value>([['b', 2]])]] },
      [
        new Map<Value, Value>([
          ['a', null],
          ['b', '2'],
        ]),
        'repository',
      ],
    ],
    ['nothing', {}, [null, null]],
  ])('understands %s', async (_what, trial, targets) => {
    expect(await call('parse_targets', trial)).toEqual(targets)
  })

  it('refuses names that come twice', async () => {
    const twice = call('parse_targets', { args: [null, ['a', 'a']] })
    await expect(twice).rejects.toThrow("contains duplicated packages names: ['a', 'a']")
  })

  it('refuses a file that is neither absolute nor from somewhere', async () => {
    const others = { 'config.valid_fileproto': () => false }
    const relative = call('parse_targets', { args: [null, null, [new Map([['a', 'a.deb']])]], others })
    await expect(relative).rejects.toThrow('Path a.deb for package a is either not absolute or an invalid protocol')
  })
})

describe('version', () => {
  const others = {
    'pkg.list_pkgs': () =>
      new Map([
        ['bash', ['5.2']],
        ['base-files', ['12', '13']],
      ]),
  }

  it.each<[Value[], Value]>([
    [['bash'], '5.2'],
    [['base-files'], '12,13'],
    [['sl'], ''],
    [
      ['bash', 'sl'],
      new Map([
        ['bash', '5.2'],
        ['sl', ''],
      ]),
    ],
    [['ba*h'], new Map([['bash', '5.2']])],
  ])('of %j is what is installed', async (args, versions) => {
    expect(await call('version', { args, others })).toEqual(versions)
  })
})

it('version_compare can leave epochs out', async () => {
  expect(await call('version_compare', { args: ['1:1.0', '<', '2.0'] })).toBe(true)
  expect(await call('version_compare', { args: ['2:1.0', '>', '1:2.0'], kwargs: { ignore_epoch: true } })).toBe(false)
})
