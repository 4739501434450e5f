import { describe, expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Keywords, tryState } from '../../../sdk/mod.ts'
import file from './state.ts'

const valuesOf = (options: Record<string, Plain>): Record<string, Value> =>
  Object.fromEntries(Object.entries(options).map(([key, value]) => [key, fromPlain(value)]))

const textOf = async (host: MemoryHost, path: string): Promise<string> => Buffer.from(await host.read(path)).toString()

describe('file.keyvalue', () => {
  const settings = 'a=1\n#b=2\nd=4\nd=5\n'
  const apply = async (options: Record<string, Plain>, test = false) => {
    const host = await MemoryHost.with({ files: { '/f': settings } })
    const report = await tryState(file, 'keyvalue', { kwargs: valuesOf({ name: '/f', ...options }), host, test })
    return { report: toPlain(report) as Record<string, Plain>, text: await textOf(host, '/f') }
  }

  test.each<[string, Record<string, Plain>, string]>([
    ['changes a value', { key: 'a', value: '2' }, 'a=2\n#b=2\nd=4\nd=5\n'],
    ['uncomments', { key: 'b', value: '2', uncomment: '#' }, 'a=1\nb=2\nd=4\nd=5\n'],
    ['drops what comes too often', { key: 'd', value: '4' }, 'a=1\n#b=2\nd=4\n'],
    ['appends what is missing', { key: 'z', value: 1, append_if_not_found: true }, `${settings}z=1\n`],
    ['prepends what is missing', { key: 'z', value: 1, prepend_if_not_found: true }, `z=1\n${settings}`],
    ['prefers a key to more of them', { key: 'a', value: '2', key_values: { d: 1 } }, 'a=2\n#b=2\nd=4\nd=5\n'],
    ['prunes all else', { key: 'a', value: '1', prune: true }, 'a=1\n'],
  ])('%s', async (_what, options, wanted) => {
    expect((await apply(options)).text).toBe(wanted)
  })

  test('predicts in a dry run what the real run does', async () => {
    const predicted = await apply({ key: 'a', value: '2' }, true)
    expect(predicted.text).toBe(settings)
    expect(predicted.report['result']).toBeNull()
    expect(predicted.report['changes']).toEqual((await apply({ key: 'a', value: '2' })).report['changes'])
  })
})

describe('file.prepend', () => {
  test('expects in a dry run that a header is added, even if it exists', async () => {
    const apply = async (test: boolean) => {
      const host = await MemoryHost.with({ files: { '/f': 'a\nb\n' } })
      const kwargs = valuesOf({ name: '/f', text: 'a', header: true })
      return toPlain(await tryState(file, 'prepend', { kwargs, host, test }))
    }
    expect(await apply(false)).toMatchObject({ result: true, changes: {}, comment: 'File /f is in correct state' })
    expect(await apply(true)).toMatchObject({ result: null, comment: 'File /f is set to be updated' })
  })
})

describe('file.serialize', () => {
  const apply = async (options: Record<string, Plain>) => {
    const host = await MemoryHost.with({ files: { '/f': '[a]\ny = 2\n' } })
    const others = { 'file.manage_file': () => new Map([['changes', new Map()]]) }
    return toPlain(await tryState(file, 'serialize', { kwargs: valuesOf({ name: '/f', ...options }), host, others }))
  }

  test('merges into TOML', async () => {
    const report = await apply({ serializer: 'toml', merge_if_exists: true, dataset: { a: { x: 1 } } })
    expect(report).toMatchObject({ changes: { diff: { a: { x: { new: 1, old: '<_null_>' } } } } })
  })

  test('refuses options that JSON has not', async () => {
    const wanted = { serializer: 'json', dataset: { a: 1 }, serializer_opts: [{ nope: 1 }] }
    await expect(apply(wanted)).rejects.toThrow("JSONEncoder.__init__() got an unexpected keyword argument 'nope'")
  })
})

describe('file.managed', () => {
  test.each<[Plain, string]>([
    [5, "'int' object is not iterable"],
    [['salt://a', 5], "'int' object has no attribute 'lower'"],
  ])('refuses the source %j', async (source, message) => {
    await expect(tryState(file, 'managed', { kwargs: valuesOf({ name: '/f', source }) })).rejects.toThrow(message)
  })
})

describe('file.absent', () => {
  test('refuses the root directory, and reports what it removes', async () => {
    const host = await MemoryHost.with({ files: { '/d/f': 'x' } })
    const others = { 'file.remove': () => true }
    const comment = async (name: string) =>
      (await tryState(file, 'absent', { kwargs: { name }, host, others })).get('comment')
    expect(await comment('/')).toBe('Refusing to make "/" absent')
    expect(await comment('/d')).toBe('Removed directory /d')
    expect(await comment('/d/f')).toBe('Removed file /d/f')
    expect(await comment('/none')).toBe('File /none is not present')
  })
})

describe('file.tidied', () => {
  test('judges by age and size', async () => {
    const host = await MemoryHost.with({ files: { '/d/a.log': 'long text', '/d/b.txt': 'x' }, now: () => 0 })
    const kwargs = valuesOf({ name: '/d', size: 3, age: 9, age_size_logical_operator: 'AND', age_size_only: 'size' })
    const report = await tryState(file, 'tidied', { kwargs, host, test: true })
    expect(toPlain(report.get('changes')!)).toEqual({ removed: ['/d/a.log'] })
  })
})

describe('file.accumulated', () => {
  test('needs a file that wants it', async () => {
    const low = new Map<Value, Value>([
      ['__id__', 'a'],
      ['__sls__', 't'],
    ])
    const report = await tryState(file, 'accumulated', { kwargs: { name: 'n', filename: '/f', text: 'x' }, low })
    expect(report.get('comment')).toBe('Orphaned accumulator n in t:a')
  })
})

describe('the request of file.managed', () => {
  /**
   * Functions of the `file` module as a user would replace them: each call is recorded, with its positional arguments.
   */
  function replaced() {
    const calls: [string, Plain[], Record<string, Plain>][] = []
    const noted =
      (name: string, answer: (args: readonly Value[]) => Value) => (args: readonly Value[], kwargs: Keywords) => {
        const named = kwargs instanceof Map ? [...kwargs] : Object.entries(kwargs)
        calls.push([name, args.map(toPlain), Object.fromEntries(named.map(([key, value]) => [key, toPlain(value)]))])
        return answer(args)
      }
    const others = {
      'file.source_list': noted('source_list', ([source, hash]) => [source!, hash!]),
      'file.get_managed': noted('get_managed', () => ['/cache/f', new Map([['hsum', 'abc']]), '']),
      'file.check_managed_changes': noted('check_managed_changes', () => new Map([['newfile', '/f']])),
      'file.manage_file': noted('manage_file', (args) => args[2]!),
      'file.user_to_uid': () => 0,
      'file.group_to_gid': () => 0,
    }
    return { calls, others }
  }
  const options = { name: '/f', source: 'salt://f', user: 'ann', group: 7, mode: 644, template: 'jinja', extra: 'x' }

  test('hands its request to functions that users replaced, by position as in Salt', async () => {
    const { calls, others } = replaced()
    await tryState(file, 'managed', { kwargs: valuesOf({ ...options, context: { a: 1 }, makedirs: true }), others })
    const [chosen, fetched, placed] = calls
    expect(chosen).toEqual(['source_list', ['salt://f', '', 'base'], {}])
    const owner = ['ann', 7, '0644', null]
    const source = ['salt://f', '', null]
    expect(fetched?.[1]).toEqual(['/f', 'jinja', ...source, ...owner, 'base', { a: 1 }, null, false])
    expect(fetched?.[2]).toMatchObject({ verify_ssl: true, sig_backend: 'gpg', extra: 'x' })
    const report = { name: '/f', changes: {}, result: true, comment: '' }
    const content = ['/f', '/cache/f', report, 'salt://f', { hsum: 'abc' }]
    const placing = ['base', '', true, 'jinja', true, null, null, true, false, false]
    expect(placed?.[1]).toEqual([...content, ...owner, ...placing])
    expect(placed?.[2]).toMatchObject({ encoding_errors: 'strict', seuser: null, ignore_ordering: false, extra: 'x' })
  })

  test('calls the replacement function of a user for the changes of a dry run', async () => {
    const { calls, others } = replaced()
    const report = await tryState(file, 'managed', {
      kwargs: valuesOf({ ...options, mode: 'keep' }),
      others,
      test: true,
    })
    expect(toPlain(report.get('changes')!)).toEqual({ newfile: '/f' })
    const rendering = ['jinja', {}, null, 'base', null, false, true]
    expect(calls).toMatchObject([
      ['check_managed_changes', ['/f', 'salt://f', '', null, 'ann', 7, null, null, ...rendering], { extra: 'x' }],
    ])
  })

  test('gets keywords that file.recurse does not know', async () => {
    const { calls, others } = replaced()
    const server = {
      'cp.list_master_dirs': () => ['d'],
      'cp.list_master': () => ['d/f'],
      'cp.list_master_symlinks': () => new Map(),
      'file.makedirs_perms': () => null,
      'file.stats': () => new Map<Value, Value>([['mode', '0755']]),
      'file.mkdir': () => true,
      'file.check_perms': (args: readonly Value[]) => [args[1]!, new Map()],
    }
    const host = await MemoryHost.with({ files: { '/t/': '' } })
    const kwargs = valuesOf({ name: '/t', source: 'salt://d', show_changes: false, extra: 'x' })
    await tryState(file, 'recurse', { kwargs, host, others: { ...others, ...server } })
    const placed = calls.find(([name]) => name === 'manage_file')
    expect(placed?.[1].slice(0, 1)).toEqual(['/t/f'])
    expect(placed?.[2]).toMatchObject({ extra: 'x' })
  })
})
