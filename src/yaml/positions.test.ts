import { describe, expect, test } from 'vitest'
import type { Dict, Value } from '../data/mod.ts'
import { load } from './load.ts'
import { inheritPositions, originOf, originsIn, positionOf, positionOfKey } from './positions.ts'
import { renderYaml } from './render.ts'

const TEXT = `nginx:
  pkg.installed:
    - name: nginx
    - require:
      - file: /etc
5: {a: &x {b: 1}, c: *x}
`

const at = (value: Value, ...path: Value[]): Value =>
  path.reduce((inner, key) => (Array.isArray(inner) ? inner[key as number]! : (inner as Dict).get(key)!), value)

describe('positionOf', () => {
  const value = renderYaml(TEXT, { positions: true })

  test.each<[string, Value[], Value | undefined, number, number]>([
    ['the document', [], undefined, 1, 1],
    ['a key', [], 'nginx', 1, 1],
    ['a nested key', ['nginx'], 'pkg.installed', 2, 3],
    ['a list', ['nginx', 'pkg.installed'], undefined, 3, 5],
    ['an item', ['nginx', 'pkg.installed'], 1, 4, 7],
    ['a key in an item', ['nginx', 'pkg.installed', 1], 'require', 4, 7],
    ['a key that is an int', [], 5, 6, 1],
    ['an anchored map', [5, 'a'], undefined, 6, 8],
    ['an alias, which is its anchor', [5, 'c'], 'b', 6, 12],
  ])('knows the place of %s', (_, path, key, line, column) => {
    expect(positionOf(at(value, ...path), key)).toEqual({ line, column })
  })

  test('has no positions for other keys, other values and values loaded without positions', () => {
    expect(positionOf(value, 'apache')).toBeUndefined()
    expect(positionOf(at(value, 'nginx', 'pkg.installed'), 7)).toBeUndefined()
    expect(positionOf('nginx')).toBeUndefined()
    expect(positionOf(load(TEXT))).toBeUndefined()
  })

  test('leaves no trace on the values', () => {
    expect(load(TEXT, { positions: true })).toEqual(load(TEXT))
    expect(Reflect.ownKeys(value as object)).toEqual([])
  })

  test('follows to a copy that inherits', () => {
    const copy: Dict = new Map(value as Dict)
    inheritPositions(value as object, copy)
    expect(positionOf(copy, 'nginx')).toEqual({ line: 1, column: 1 })
  })
})

test('all collections of a text are found once, though one holds itself', () => {
  const root = load('a: &x [1, *x]\nb: {c: {d: 1}}\n', { positions: true }) as Map<string, object>
  const origins = [...originsIn(root)]
  expect(origins).toHaveLength(4)
  expect(new Set(origins)).toContain(originOf(root.get('a')!))
})

test('a key is found by a test', () => {
  const body = load('x: 1\nfile.managed: []\n', { positions: true })
  expect(positionOfKey(body, (key) => String(key).startsWith('file.'))).toEqual({ line: 2, column: 1 })
  expect(positionOfKey(body, (key) => key === 'y')).toBeUndefined()
})
