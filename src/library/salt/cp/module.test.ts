import { describe, expect, test } from 'vitest'
import { dictFrom, repr, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import cp from './module.ts'

const opts = dictFrom({ file_roots: dictFrom({ base: ['/srv'] }), cachedir: '/cache' })

const machine = () =>
  MemoryHost.with({
    files: {
      '/srv/a.txt': 'A\n',
      '/srv/web/init.sls': '{}',
      '/srv/web/db.sls': '{}',
      '/srv/web/none/': '',
      '/out/': '',
    },
  })

describe('cp', () => {
  test.each<[string, Value[], Record<string, Value>, string]>([
    ['get_file', ['salt://a.txt', '/out/x'], {}, "'/out/x'"],
    ['get_file', ['salt://a.txt', '/no/x'], {}, 'False'],
    ['get_file', ['salt://zz', '/out/x'], {}, "''"],
    ['get_file_str', ['salt://a.txt'], {}, "'A\\n'"],
    ['get_url', ['salt://a.txt', null], {}, "'A\\n'"],
    ['cache_file', ['salt://a.txt'], {}, "'/cache/files/base/a.txt'"],
    ['cache_file', ['/srv/a.txt'], {}, "'/srv/a.txt'"],
    ['cache_files', ['salt://a.txt,salt://zz'], {}, "['/cache/files/base/a.txt', False]"],
    ['cache_dir', ['salt://web'], { include_pat: 'E@db' }, "['/cache/files/base/web/db.sls']"],
    ['cache_dir', ['salt://web'], { include_empty: true, exclude_pat: '*.sls' }, "['/cache/files/base/web/none']"],
    ['get_dir', ['salt://web', '/out'], {}, "['/out/web/db.sls', '/out/web/init.sls', '/out/web/none']"],
    ['get_template', ['salt://a.txt', '/out/t'], {}, "'/out/t'"],
    ['get_template', ['salt://a.txt', ''], {}, "'/cache/extrn_files/base/a.txt'"],
    ['list_states', [], {}, "['web', 'web.db']"],
    ['list_master', [], { prefix: 'web' }, "['web/db.sls', 'web/init.sls']"],
    ['is_cached', ['salt://a.txt'], {}, "''"],
    ['hash_file', ['salt://zz'], {}, "''"],
    ['stat_file', ['salt://a.txt'], {}, "'0644'"],
    ['cache_dest', ['salt://a.txt?saltenv=dev'], {}, "'/cache/files/dev/a.txt'"],
    ['recv', [dictFrom({ x: 'y' }), '/out/r'], {}, "{'/out/r': True}"],
    ['recv', [dictFrom({ x: 'y' }), '/no/r'], {}, "'Destination unavailable'"],
  ])('.%s(%j, %j)', async (name, args, kwargs, wanted) => {
    expect(repr(await tryFunction(cp, name, { args, kwargs, opts, host: await machine() }))).toBe(wanted)
  })

  test('refuses directories of elsewhere', async () => {
    await expect(tryFunction(cp, 'cache_dir', { args: ['/etc'], opts, host: await machine() })).rejects.toThrow(
      'Unsupported path: /etc',
    )
  })
})
