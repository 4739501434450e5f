import { describe, expect, test } from 'vitest'
import { type Dict, repr, type Value } from '../../../data/mod.ts'
import { toValue, tryFunction } from '../../../sdk/mod.ts'
import config from './module.ts'

const opts = toValue({ id: 'web1', custom: { a: 1 }, 'mysql.host': 'h', backup_mode: '' }) as Dict
const grains = toValue({ os: 'Debian', custom: { c: [1] } }) as Dict
const pillar = toValue({ custom: { b: 2 }, site: 'north', master: { 'mysql.port': 1, late: 'm' } }) as Dict

describe('config', () => {
  test.each<[string, Value[], Record<string, Value>, string]>([
    ['get', ['id'], {}, "'web1'"],
    ['get', ['os'], {}, "'Debian'"],
    ['get', ['site'], {}, "'north'"],
    ['get', ['late'], {}, "'m'"],
    ['get', ['mongo.db'], {}, "'salt'"],
    ['get', ['nope'], {}, "''"],
    ['get', ['custom:a'], {}, '1'],
    ['get', ['custom'], { omit_opts: true }, "{'c': [1]}"],
    ['get', ['custom', 5], { omit_opts: true, omit_grains: true, omit_pillar: true }, '5'],
    ['get', ['custom'], { merge: 'recurse' }, "{'b': 2, 'c': [1], 'a': 1}"],
    ['get', ['custom'], { merge: 'overwrite' }, "{'a': 1}"],
    ['get', ['custom'], { merge: 'unheard of' }, "{'b': 2, 'c': [1], 'a': 1}"],
    ['option', ['site'], {}, "'north'"],
    ['option', ['nope'], {}, "''"],
    ['option', ['nope'], { wildcard: true }, '{}'],
    ['option', ['mysql.*'], { wildcard: true }, "{'mysql.port': 1, 'mysql.host': 'h'}"],
    [
      'option',
      ['mongo*'],
      { wildcard: true, omit_all: true },
      "{'mongo.db': 'salt', 'mongo.password': '', 'mongo.port': 27017, 'mongo.user': ''}",
    ],
    ['merge', ['custom'], {}, "{'b': 2, 'a': 1}"],
    ['merge', ['id'], {}, "'web1'"],
    ['dot_vals', ['mysql'], {}, "{'mysql.port': 1, 'mysql.host': 'h'}"],
    ['manage_mode', [644], {}, "'0644'"],
    ['manage_mode', ['0o755'], {}, "'0755'"],
    ['manage_mode', ['"01777"'], {}, "'1777'"],
    ['manage_mode', ['keep'], {}, "'keep'"],
    ['manage_mode', [null], {}, 'None'],
    ['valid_fileproto', ['salt://x'], {}, 'True'],
    ['valid_fileproto', ['/x'], {}, 'False'],
    ['backup_mode', [], {}, "''"],
    ['backup_mode', ['minion'], {}, "'minion'"],
  ])('.%s%j %j', async (name, args, kwargs, wanted) => {
    expect(repr(await tryFunction(config, name, { opts, grains, pillar, args, kwargs }))).toBe(wanted)
  })

  test('.get leaves the options as they were when it merges', async () => {
    await tryFunction(config, 'get', { opts, grains, pillar, args: ['custom'], kwargs: { merge: 'recurse' } })
    expect(repr(opts.get('custom')!)).toBe("{'a': 1}")
  })

  test('.get fetches a value that names a secret elsewhere', async () => {
    const secret = new Map<Value, Value>([['password', 'sdb://vault/db']])
    const others = { 'sdb.get': ([uri]: readonly Value[]) => `secret of ${uri}` }
    expect(await tryFunction(config, 'get', { opts: secret, others, args: ['password'] })).toBe(
      'secret of sdb://vault/db',
    )
  })
})
