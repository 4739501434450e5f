import { describe, expect, test } from 'vitest'
import { repr, type Value } from '../../../data/mod.ts'
import { type Trial, toValue, tryFunction } from '../../../sdk/mod.ts'
import slsutil from './module.ts'

const call = (name: string, args: Value[], trial: Trial = {}) => tryFunction(slsutil, name, { args, ...trial })

const tree: Trial['others'] = {
  'cp.list_master': () => ['app/m.yaml', 'app/x/y', 'top.sls'],
  'cp.list_master_dirs': () => ['app', 'app/x'],
}

describe('slsutil', () => {
  test.each<[string, Value[], Record<string, Value>, string]>([
    ['merge', [toValue({ a: 1, n: { x: 1 } }), toValue({ n: { y: 2 } })], {}, "{'a': 1, 'n': {'x': 1, 'y': 2}}"],
    ['merge', [toValue({ a: [1] }), toValue({ a: [2] })], { merge_lists: true }, "{'a': [1, 2]}"],
    ['merge', [toValue({ a: 1 }), toValue({ a: 2 })], { strategy: 'list' }, "{'a': [1, 2]}"],
    ['merge', [toValue({ a: 1 }), toValue({ a: 2 })], { strategy: 'bogus' }, "{'a': 2}"],
    ['merge', [toValue({ a: [1] }), toValue({ a: [2] })], { strategy: null, merge_lists: true }, "{'a': [2]}"],
    ['merge_all', [[toValue({ a: 1 }), toValue({ b: 2 }), toValue({ a: { c: 3 } })]], {}, "{'a': {'c': 3}, 'b': 2}"],
    ['update', [toValue({ a: { x: 1 } }), toValue({ a: { y: 2 } }), false], {}, "{'a': {'y': 2}}"],
    ['boolstr', [1], {}, "'true'"],
    ['serialize', ['json', toValue({ a: [1] })], {}, `'{"a": [1]}'`],
    [
      'serialize',
      ['json', toValue({ b: 1, a: 'é' })],
      { sort_keys: true, indent: 1 },
      `'{\\n "a": "é",\\n "b": 1\\n}'`,
    ],
    ['serialize', ['yaml', toValue({ a: [1] })], { default_flow_style: false }, "'a:\\n- 1'"],
    ['serialize', ['toml', toValue({ a: 1 })], {}, "'a = 1\\n'"],
    ['serialize', ['configparser', toValue({ a: { b: 'c' } })], {}, "'[a]\\nb = c\\n\\n'"],
    ['deserialize', ['toml', 'a = 1'], {}, "{'a': 1}"],
    ['deserialize', ['configparser', '[a]\nb=c'], {}, "{'a': {'b': 'c'}}"],
    ['deserialize', ['configparser', '# x\n[a]\nb=c\n\n  d\n\n'], {}, "{'a': {'b': 'c\\n\\nd'}}"],
    ['serialize', ['msgpack', toValue({ a: 1 })], {}, "b'\\x81\\xa1a\\x01'"],
    ['deserialize', ['yaml', 'a: 1'], {}, "{'a': 1}"],
    ['deserialize', ['json', '{"a": 1.0}'], {}, "{'a': 1.0}"],
    ['boolstr', [0, 'yes', 'no'], {}, "'no'"],
  ])('.%s%j %j', async (name, args, kwargs, wanted) => {
    expect(repr(await call(name, args, { kwargs }))).toBe(wanted)
  })

  test.each<[string, Value[], Record<string, Value>, string, string]>([
    ['serialize', ['configparser', 'x'], {}, 'SerializationError', 'configparser can only serialize dictionaries'],
    ['serialize', ['yaml', 1], { zz: 1 }, 'SerializationError', "dump_all() got an unexpected keyword argument 'zz'"],
    ['deserialize', ['configparser', 'x'], {}, 'DeserializationError', "'<???>', line: 1\n'x'"],
    ['deserialize', ['configparser', '[a]\nb\n'], {}, 'DeserializationError', "[line  2]: 'b\\n'"],
    ['deserialize', ['configparser', '[a]\nb=1\nb=2'], {}, 'DeserializationError', "option 'b' in section 'a' already"],
    ['deserialize', ['msgpack', 'x'], {}, 'DeserializationError', "a bytes-like object is required, not 'str'"],
  ])('.%s%j %j is a %s', async (name, args, kwargs, type, message) => {
    const failure = await Promise.resolve(call(name, args, { kwargs })).catch((error: Error) => error)
    expect(failure).toMatchObject({ name: type, message: expect.stringContaining(message) })
  })

  test('.serialize refuses a format that does not exist', async () => {
    await expect(call('serialize', ['nope', 1])).rejects.toThrow("Serializer 'nope' not found.")
  })

  test('.update changes the dict itself', async () => {
    const dest = toValue({ a: 1 })
    await call('update', [dest, toValue({ b: 2 })])
    expect(repr(dest)).toBe("{'a': 1, 'b': 2}")
  })

  test.each<[string, Value[], unknown]>([
    ['file_exists', ['app/m.yaml'], true],
    ['file_exists', ['app'], false],
    ['dir_exists', ['app'], true],
    ['path_exists', ['nope'], false],
    ['findup', ['app/x/y', 'm.yaml'], 'app/m.yaml'],
    ['findup', ['./app/x/', ['nope', 'top.sls']], 'top.sls'],
    ['findup', ['', 'top.sls'], 'top.sls'],
    ['findup', [null, 'top.sls'], 'top.sls'],
  ])('.%s%j looks in the state tree', async (name, args, wanted) => {
    expect(await call(name, args, { others: tree })).toBe(wanted)
  })

  test.each<[Value[], string]>([
    [['nope', 'x'], 'Starting path not found in the state tree: nope'],
    [['app', 5], 'Filenames argument must be a string or list of strings'],
    [['app', 'nope'], 'File pattern(s) not found in path ancestry'],
  ])('.findup%j fails', async (args, message) => {
    await expect(call('findup', args, { others: tree })).rejects.toThrow(message)
  })

  test('.renderer takes text or a path, not both', async () => {
    const asked: unknown[] = []
    const context = {
      render: async (request: unknown) => {
        asked.push(request)
        return 'rendered'
      },
    }
    const kwargs = { string: 'Hi {{ name }}', default_renderer: 'jinja', name: 'you' }
    expect(await call('renderer', [], { kwargs, context })).toBe('rendered')
    expect(asked).toEqual([
      { renderer: 'jinja', saltenv: 'base', sls: '', context: new Map([['name', 'you']]), text: 'Hi {{ name }}' },
    ])
    await expect(call('renderer', [])).rejects.toThrow('Must pass path or string.')
    await expect(call('renderer', ['a', 'b'])).rejects.toThrow('Must not pass both path and string.')
  })

  test('.renderer gives nothing for a path that is no file', async () => {
    expect(await call('renderer', ['/no/such'])).toEqual(new Map())
  })

  test('.banner draws a comment block', async () => {
    expect(await call('banner', [])).toBe(
      [
        '########################################################################',
        '#                                                                      #',
        '#              THIS FILE IS MANAGED BY SALT - DO NOT EDIT              #',
        '#                                                                      #',
        '# The contents of this file are managed by Salt. Any changes to this   #',
        '# file may be overwritten automatically and without warning.           #',
        '########################################################################',
      ].join('\n'),
    )
    const slashes = { width: 21, commentchar: '// ', borderchar: '-=', title: 'odd t', text: '', newline: true }
    expect(await call('banner', [], { kwargs: slashes })).toBe(
      '// -----------------//\n//                // \n//      odd t      //\n//                // \n// -----------------//\n',
    )
    await expect(call('banner', [3])).rejects.toThrow('Width is too small to render banner')
  })
})
