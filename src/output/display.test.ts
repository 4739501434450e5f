import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { type Dict, dictFrom, EncodedDict, EncodedEntry, Float, OrderedDict, tuple, type Value } from '../data/mod.ts'
import { display, displayHtml, displayPieces, displayPlain } from './display.ts'

const dict = (entries: Record<string, Value>) => dictFrom(entries)

test('display shows data nested if the requested outputter cannot show it', () => {
  expect(display('key', dict({ zzz: 1 }), dict({ transport: 'zeromq' }))).toBe('zzz:\n    1')
  expect(display('highstate', ['a'])).toBe('- a')
})

test('display leaves an outputter that does not exist to nested, and says so', () => {
  const lines: string[] = []
  const log = (level: string, text: string) => lines.push(`${level}: ${text}`)
  expect(display('nosuch', 'x', new Map(), { log })).toBe('x')
  expect(display('grains', 'x', new Map(), { log })).toBe('x')
  expect(lines).toEqual(['error: Invalid outputter nosuch specified, fall back to nested'])
})

test('display falls back to raw when nested fails too', () => {
  expect(display('nested', [1], dict({ nested_indent: 'x' }))).toBe('[1]')
})

test('display strips trailing space, and an ordered dict has no order of its own', () => {
  expect(display('raw', 'text \n\u2003\n')).toBe('text')
  expect(
    display(
      'nested',
      new OrderedDict([
        ['b', 1],
        ['a', 2],
      ]),
    ),
  ).toBe('a:\n    2\nb:\n    1')
})

test('display does not change the data, though a state run is completed while it is shown', () => {
  const state = dict({ name: 'x', changes: new Map(), result: true, comment: null, __run_num__: 0 })
  const data = dict({ m1: dict({ 'test_|-x_|-x_|-nop': state }) })
  expect(display('highstate', data, dict({ state_verbose: true }))).toContain('Comment: None')
  expect([...state.keys()]).toEqual(['name', 'changes', 'result', 'comment', '__run_num__'])
  expect(state.get('comment')).toBe(null)
})

test('display survives data that holds itself where the outputter does', () => {
  const list: Value[] = ['a']
  list.push(list)
  expect(display('raw', list)).toBe("['a', ['a', [...]]]")
})

test('display takes colours from a theme, and without one it can read from Salt', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-theme-'))
  const file = join(root, 'theme.yml')
  const lines: string[] = []
  const shown = () => {
    const opts = dict({ color: true, color_theme: file })
    return display('nested', 'x', opts, { log: (level, text) => lines.push(`${level}: ${text}`) })
  }
  try {
    expect(shown()).toBe('\x1b[0;32mx\x1b[0;0m')
    writeFileSync(file, '- GREEN\n')
    expect(shown()).toBe('\x1b[0;32mx\x1b[0;0m')
    writeFileSync(file, "GREEN: '38;5;2'\n")
    expect(shown()).toBe('\x1b[38;5;2mx\x1b[0;0m')
  } finally {
    rmSync(root, { recursive: true })
  }
  expect(lines).toEqual([
    `warning: Failed to read the color theme ${file}`,
    `warning: The theme file ${file} is not a dict`,
  ])
})

test('displayPlain and displayHtml have no colours', () => {
  const data = dict({ a: ['b c'] })
  expect(displayPlain('nested', data, dict({ color: true }))).toBe('a:\n    - b c')
  expect(displayHtml('nested', data, dict({ color: true }))).toBe('a:<br />&nbsp;&nbsp;&nbsp;&nbsp;-&nbsp;b&nbsp;c')
})

test('an encoded dict is shown like the dict, by every outputter', () => {
  const value = (): Value =>
    dict({ b: ['x', dict({ y: 'two\nlines' })], a: new OrderedDict([['z', '\x1b[1m']]), c: '' })
  for (const keys of [[], ['1', '2'], ['2', '1'], ['é', 'b']]) {
    const encoded = new EncodedDict(keys.map((key) => new EncodedEntry(key, value)))
    const plain = new Map<Value, Value>(keys.map((key) => [key, value()]))
    for (const out of ['nested', 'json', 'yaml', 'raw', 'pprint', 'key', 'highstate', 'quiet'])
      for (const indent of [0, 4]) {
        const call = { kwargs: new Map<Value, Value>([['nested_indent', indent]]), isLast: true }
        expect(display(out, encoded, new Map(), call)).toBe(display(out, plain, new Map(), call))
      }
  }
})

describe('an encoded dict, shown nested, is the same text as the dict', () => {
  const LONG = 'x'.repeat(300)
  const plain: Record<string, Value> = { Function: 'test.ping', Arguments: ['a', LONG], Target: '*', Empty: [] }
  const entries: Record<string, Value> = {
    plain: dict(plain),
    again: dict({ ...plain, Arguments: [] }),
    'another order': dict(Object.fromEntries(Object.entries(plain).reverse())),
    'fewer keys': dict({ Target: '' }),
    'keys that begin alike': dict({ Targe: 'x', Target: 'y', Ta: 'z' }),
    'no keys': dict({}),
    'many keys': dict(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key ${i}`, `value ${i}`]))),
    'text beyond ASCII': dict({ ...plain, Target: 'é' }),
    'an item beyond ASCII': dict({ ...plain, Arguments: ['a', 'é\nb'] }),
    'a key beyond ASCII': dict({ ...plain, é: 'a' }),
    'a key with a control character': dict({ ...plain, '\x1b': 'a', 'a\0b': 'c' }),
    'two lines': dict({ ...plain, Target: 'a\nb' }),
    'a control character': dict({ ...plain, User: '\x1b[1m\x7f' }),
    'a dict in a list': dict({ ...plain, Arguments: ['a', dict({ b: 1 })] }),
    'a list in a list': dict({ ...plain, Arguments: [['a'], []] }),
    'a dict in a dict': dict({ ...plain, Metadata: dict({ b: dict({ c: true }), a: null }) }),
    'a tuple': dict({ ...plain, Arguments: tuple(['a', 'b']) }),
    'a bare tuple': tuple(['a']),
    'an ordered dict': new OrderedDict([
      ['b', 'c'],
      ['a', 'd'],
    ]),
    numbers: dict({ ...plain, Target: 5, User: new Float(1.5), Function: 2n ** 60n, Other: -7 }),
    bytes: dict({ ...plain, Target: Uint8Array.of(0x61), User: Uint8Array.of(0xff) }),
    'a key that is a number': new Map<Value, Value>([[1, 'a']]),
    none: null,
    text: 'a\nb',
    'empty text': '',
    'a list': ['a', 'b'],
    'a long text': LONG.repeat(8000),
  }
  const styles: Array<Record<string, Value>> = [{}, { color: true }, { color: true, color_theme: '' }]

  it.each(Object.keys(entries))('%s', (name) => {
    const made = ['1', '2', '3'].map((key) => [key, key === '2' ? entries[name]! : dict(plain)] as const)
    for (const style of styles)
      for (const indent of [0, 3])
        for (const [_retcode, keys] of [
          [0, made],
          [1, [...made].reverse()],
          [0, [...made, ['\x1b', 'x'] as const]],
          [0, [...made, ['', 'x'] as const]],
          [1, []],
        ] as const) {
          const call = { kwargs: dict({ nested_indent: indent, _retcode }), isLast: true }
          const encoded = new EncodedDict(keys.map(([key, value]) => new EncodedEntry(key, () => value)))
          const expected = display('nested', new Map<Value, Value>(keys), dict(style), { ...call, isLast: false })
          expect(display('nested', encoded, dict(style), call)).toBe(expected)
        }
  })

  it('many entries', () => {
    const keys = Array.from({ length: 9000 }, (_, index) => String(index).padStart(5, '0'))
    const encoded = new EncodedDict(keys.map((key, index) => new EncodedEntry(key, () => jobOf(index))))
    const all = new Map<Value, Value>(keys.map((key, index) => [key, jobOf(index)]))
    expect(display('nested', encoded)).toBe(display('nested', all))
  })

  const jobOf = (index: number): Value =>
    dict({ ...plain, Target: 'x'.repeat(index % 400), ...(index % 10 === 0 && { Metadata: index }) })
})

describe('pieces of an encoded dict', () => {
  const entry = (key: string, value: Value): EncodedEntry => new EncodedEntry(key, () => value)
  const job = (fun: Value, arg: Value[] = []): Dict => dictFrom({ Function: fun, Arguments: arg, User: 'root' })
  const many = (count: number): EncodedEntry[] =>
    Array.from({ length: count }, (_, i) => entry(String(100_000 + i), job('test.ping', [`argument ${i}`, 'é', i])))

  test.each([
    ['one plain entry', [entry('a', job('test.ping'))]],
    ['values that are not plain', [entry('a', job('é')), entry('b', 5), entry('c', job('x', [1]))]],
    ['more than a piece', many(20_000)],
  ])('are the displayed text and a line end: %s', (_what, entries) => {
    const dict = new EncodedDict(entries)
    for (const color of [true, false]) {
      const opts = new Map<Value, Value>([['color', color]])
      const pieces = displayPieces(null, dict, opts, {})!
      expect(Buffer.concat(pieces).toString()).toBe(`${display(null, dict, opts, {})}\n`)
      expect(pieces.every((piece) => piece.at(-1) === 0x0a)).toBe(true)
    }
  })

  test.each([
    ['an empty dict', [], new Map()],
    ['keys out of order', [entry('b', 1), entry('a', 1)], new Map()],
    ['blanks at the end', [entry('a', dictFrom({ User: 'root ' }))], new Map()],
    ['another outputter', [entry('a', 1)], new Map([['output', 'json']])],
    ['an indent', [entry('a', 1)], new Map([['nested_indent', 4]])],
  ])('are not made of %s', (_what, entries, opts: Map<Value, Value>) => {
    expect(displayPieces(null, new EncodedDict(entries), new Map([...opts, ['color', false]]), {})).toBeUndefined()
  })
})
