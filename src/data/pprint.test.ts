import { expect, test } from 'vitest'
import { pformat } from './pprint.ts'
import { PySet } from './set.ts'
import { OrderedDict, tuple, type Value } from './value.ts'

const long = (letter: string): string => letter.repeat(30)

test('pformat prints a value that fits on one line, dicts sorted by key', () => {
  const value = new Map<Value, Value>([
    ['b', 1],
    ['a', [1, null]],
    [2, tuple(['x'])],
  ])
  expect(pformat(value)).toBe("{2: ('x',), 'a': [1, None], 'b': 1}")
})

test('pformat puts the items of a long list below each other', () => {
  expect(pformat([long('a'), long('b'), long('c')])).toBe(`['${long('a')}',\n '${long('b')}',\n '${long('c')}']`)
})

test('pformat indents a nested value by the width of its key', () => {
  const value = new Map<Value, Value>([['key', [long('a'), long('b'), long('c')]]])
  expect(pformat(value)).toBe(`{'key': ['${long('a')}',\n         '${long('b')}',\n         '${long('c')}']}`)
})

test('pformat cuts long text at spaces, in parentheses at the outermost level', () => {
  const text = `${long('a')} ${long('b')} ${long('c')}`
  expect(pformat(text)).toBe(`('${long('a')} ${long('b')} '\n '${long('c')}')`)
  expect(pformat([text])).toBe(`['${long('a')} ${long('b')} '\n '${long('c')}']`)
})

test('pformat shows the type of an OrderedDict and keeps its order', () => {
  const value = new OrderedDict([
    ['b', long('x')],
    ['a', long('y')],
  ])
  expect(pformat(value)).toBe(`OrderedDict([('b', '${long('x')}'),\n             ('a', '${long('y')}')])`)
  expect(pformat(new OrderedDict())).toBe('OrderedDict()')
})

test('pformat sorts a set only when it spreads it', () => {
  expect(pformat(new PySet([1, 8]))).toBe('{8, 1}')
  expect(pformat(new PySet([long('b'), long('a'), long('c')]))).toBe(
    `{'${long('a')}',\n '${long('b')}',\n '${long('c')}'}`,
  )
})

test('pformat names a value that holds itself', () => {
  const list: Value[] = []
  list.push(list)
  expect(pformat(list)).toMatch(/^\[<Recursion on list with id=\d+>\]$/)
})

test('pformat indents each level by as many columns as asked', () => {
  const items = [long('a'), long('b'), long('c')]
  const value = new Map<Value, Value>([['k', items]])
  expect(pformat(value, 4)).toBe(
    `{   'k': [   '${long('a')}',\n             '${long('b')}',\n             '${long('c')}']}`,
  )
  expect(pformat(items, 0)).toBe(`['${long('a')}',\n'${long('b')}',\n'${long('c')}']`)
})
