import { describe, expect, test } from 'vitest'
import { type Dict, dictFrom, repr, type Value } from '../../../data/mod.ts'
import { MemoryHost, readOnlyHost } from '../../../host/mod.ts'
import { type Trial, tryFunction } from '../../../sdk/mod.ts'
import file from './module.ts'

const machine = (text = 'alpha\nbeta\ngamma\n') =>
  MemoryHost.with({
    files: {
      '/etc/conf': text,
      '/etc/link': { link: 'conf' },
      '/srv/a.txt': 'from the server\n',
      '/tmp/': '',
      '/var/log/a.log': 'x',
      '/var/log/deep/b.log': { text: 'yy', mode: 0o600 },
    },
  })

const opts = dictFrom({ file_roots: dictFrom({ base: ['/srv'] }), cachedir: '/cache', test: false })

const others: Trial['others'] = {
  'cp.cache_file': ([url]) => (url === 'salt://a.txt' ? '/srv/a.txt' : false),
  'cp.is_cached': () => '',
}

async function run(host: MemoryHost, name: string, args: Value[], kwargs: Record<string, Value> = {}) {
  return tryFunction(file, name, { args, kwargs, host, opts, others: others! })
}

const text = async (host: MemoryHost, path = '/etc/conf'): Promise<string> =>
  Buffer.from(await host.read(path)).toString()

describe('functions that edit files', () => {
  test('.blockreplace replaces a link by a file, and leaves the target of the link unchanged', async () => {
    const host = await machine()
    await run(host, 'blockreplace', ['/etc/link', '#S', '#E', 'in\n'], { append_if_not_found: true, backup: false })
    expect(await text(host)).toBe('alpha\nbeta\ngamma\n')
    expect((await host.lstat('/etc/link'))?.type).toBe('file')
    expect(await text(host, '/etc/link')).toBe('alpha\nbeta\ngamma\n#S\nin\n#E\n')
  })

  test.each<[string, Value[], Record<string, Value>, string]>([
    ['replace', ['/etc/conf', '^b(.*)$', 'B\\1'], {}, 'alpha\nBeta\ngamma\n'],
    ['replace', ['/etc/link', 'zz', 'new'], { append_if_not_found: true }, 'alpha\nbeta\ngamma\nnew\n'],
    ['replace', ['/etc/conf', 'a', 'X'], { count: 1, backup: false }, 'Xlpha\nbeta\ngamma\n'],
    ['line', ['/etc/conf', 'new'], { mode: 'ensure', after: 'alpha' }, 'alpha\nnew\nbeta\ngamma\n'],
    ['line', ['/etc/conf', ''], { mode: 'delete', match: 'beta' }, 'alpha\ngamma\n'],
    ['comment', ['/etc/conf', '^b'], {}, 'alpha\n#beta\ngamma\n'],
    ['blockreplace', ['/etc/conf', 'alpha', 'gamma', 'in\n'], {}, 'alpha\nin\ngamma\n'],
    ['append', ['/etc/conf', 'x', 'y'], {}, 'alpha\nbeta\ngamma\nx\ny\n'],
    ['prepend', ['/etc/conf', 'x'], {}, 'x\nalpha\nbeta\ngamma\n'],
    ['write', ['/etc/conf', 'x'], {}, 'x\n'],
  ])('.%s(%j, %j)', async (name, args, kwargs, wanted) => {
    const host = await machine()
    await run(host, name, args, kwargs)
    expect(await text(host)).toBe(wanted)
  })

  test('keep a copy, also of a link', async () => {
    const host = await machine()
    await run(host, 'replace', ['/etc/link', 'beta', 'x'])
    expect([await text(host, '/etc/conf.bak'), await host.readLink('/etc/link.bak')]).toEqual([
      'alpha\nbeta\ngamma\n',
      'conf.bak',
    ])
  })

  test.each<[string, Value[], Record<string, Value>, string]>([
    ['line', ['/etc/conf', 'x'], { mode: 'insert' }, 'On insert either "location"'],
    ['line', ['/etc/conf', 'x'], { mode: 'ensure', after: 'a', before: 'b' }, 'Found more than expected occurrences'],
    ['line', ['/etc/conf', ['x']], { mode: 'insert', location: 'end' }, "unhashable type: 'list': '['x']'"],
    ['line', ['/etc/conf', 5], { mode: 'delete' }, "first argument must be string or compiled pattern: '5'"],
    ['line', ['/etc/conf', 5], { mode: 'insert', after: 'alpha' }, "'int' object has no attribute 'rstrip'"],
    ['join', [], {}, "join() missing 1 required positional argument: 'a'"],
    ['join', ['/a', 1], {}, "join() argument must be str, bytes, or os.PathLike object, not 'int'"],
    ['dirname', [null], {}, 'expected str, bytes or os.PathLike object, not NoneType'],
    ['seek_write', ['/etc/conf', 'x', 0], {}, "a bytes-like object is required, not 'str'"],
    ['replace', ['/none', 'a', 'b'], {}, 'File not found: /none'],
    ['replace', ['/etc', 'a', 'b'], {}, 'Cannot perform string replacements on a binary file: /etc'],
    ['touch', ['/etc/conf/below'], {}, 'Not a directory'],
    ['blockreplace', ['/etc/conf', 'x', 'y'], {}, 'Markers were not found in file.'],
    ['blockreplace', ['/etc/conf', 'alpha', 'gamma', 5], {}, "'int' object has no attribute 'endswith'"],
    ['copy', ['/none', '/x'], {}, "No such file or directory '/none'"],
    ['copy', ['/etc/conf', '/etc/link'], {}, "Could not copy '/etc/conf' to '/etc/link'"],
    ['move', ['/var', '/var/log'], {}, 'into itself'],
    ['get_hash', ['/etc/conf', 'crc'], {}, 'Invalid hash type: crc'],
    ['stats', ['/none'], {}, 'Path not found: /none'],
  ])('.%s(%j, %j) fails', async (name, args, kwargs, message) => {
    await expect(run(await machine(), name, args, kwargs)).rejects.toThrow(message)
  })
})

describe('functions that search and return facts', () => {
  test.each<[string, Value[], Record<string, Value>, string]>([
    ['find', ['/var'], { name: '*.log', print: 'name,mode' }, "[['a.log', 420], ['b.log', 384]]"],
    ['find', ['/var/log'], { mindepth: 2 }, "['/var/log/deep/b.log']"],
    ['find', ['/var'], { size: 'x' }, `'error: invalid size: "x"'`],
    ['get_mode', ['/var/log/deep/b.log'], {}, "'0600'"],
    ['readlink', ['/etc/link'], {}, "'conf'"],
    ['normpath', ['/a/../b//c/.'], {}, "'/b/c'"],
    ['diskusage', ['/var'], {}, '3'],
    ['check_hash', ['/var/log/a.log', 'md5=9dd4e461268c8034f5c8564e155c67a6'], {}, 'True'],
    [
      'get_source_sum',
      ['/x', '', 'md5=9DD4E461268C8034F5C8564E155C67A6'],
      {},
      "{'hash_type': 'md5', 'hsum': '9dd4e461268c8034f5c8564e155c67a6'}",
    ],
    ['source_list', [['salt://none', 'salt://a.txt'], 'h', 'base'], {}, "('salt://a.txt', 'h')"],
    ['list_backups', ['/etc/conf'], {}, '{}'],
  ])('.%s(%j, %j)', async (name, args, kwargs, wanted) => {
    expect(repr(await run(await machine(), name, args, kwargs))).toBe(wanted)
  })
})

const manage = (host: MemoryHost, name: string, more: Record<string, Value>) =>
  run(
    host,
    'manage_file',
    [name, '', dictFrom({}), more['source'] ?? '', dictFrom({}), 'root', null, '0644', null, 'base', 'minion'],
    {
      skip_verify: true,
      ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== 'source')),
    },
  )

describe('manage_file', () => {
  test('makes a file, then leaves it alone', async () => {
    const host = await machine()
    const made = await manage(host, '/opt/new', { source: 'salt://a.txt', makedirs: true })
    expect(repr(made)).toBe(
      "{'name': '/opt/new', 'changes': {'diff': 'New file', 'mode': '0644'}, 'comment': 'File /opt/new updated', 'result': True}",
    )
    const again = await manage(host, '/opt/new', { source: 'salt://a.txt' })
    expect(repr((again as Dict).get('changes')!)).toBe('{}')
    expect((again as Dict).get('comment')).toBe('File /opt/new is in the correct state')
  })

  test('shows how content changes, and keeps a backup that can be restored', async () => {
    const host = await machine()
    const answer = (await manage(host, '/etc/conf', { contents: 'alpha\n' })) as Dict
    expect((answer.get('changes') as Dict).get('diff')).toBe('--- \n+++ \n@@ -1,3 +1 @@\n alpha\n-beta\n-gamma\n')
    expect(repr(await run(host, 'restore_backup', ['/etc/conf', 0]))).toContain("'result': True")
    expect(await text(host)).toBe('alpha\nbeta\ngamma\n')
    expect(await host.list('/tmp')).toEqual([])
  })

  test('refuses a file without a directory', async () => {
    const answer = (await manage(await machine(), '/no/dir', { contents: '' })) as Dict
    expect([answer.get('result'), answer.get('comment')]).toEqual([false, 'Parent directory not present'])
  })
})

test('checks of a file change nothing', async () => {
  const host = readOnlyHost(await machine())
  const args: Value[] = ['/etc/conf', 'salt://a.txt', '', null, 'root', null, '0600', null, null, null, null, 'base']
  const changes = await tryFunction(file, 'check_managed_changes', { args, host, opts, others: others! })
  expect([...(changes as Dict).keys()]).toEqual(['diff', 'mode'])
})

test('file.get_managed shows further keywords to the template, and no options of signatures', async () => {
  const seen: string[] = []
  const render = async ({ text, context }: { text: string; context: ReadonlyMap<string, Value> }) => {
    seen.push(...context.keys())
    return text
  }
  const facts = [
    '/etc/conf',
    'jinja',
    '/srv/a.txt',
    '',
    null,
    'root',
    'root',
    '0644',
    null,
    'base',
    dictFrom({ a: 1 }),
    null,
  ]
  const context = { render } as unknown as NonNullable<Trial['context']>
  const kwargs = { extra: 'x', keyring: '/ring' }
  await tryFunction(file, 'get_managed', { args: facts, kwargs, host: await machine(), opts, others: others!, context })
  expect(seen).toEqual(['name', 'source', 'user', 'group', 'mode', 'attrs', 'extra', 'a'])
})
