import { describe, expect, test } from 'vitest'
import { Float, PyError, SaltError, tuple, type Value } from '../data/mod.ts'
import { arg } from './arg.ts'
import { bind } from './bind.ts'
import { reads } from './declare.ts'

const declaration = reads({
  doc: 'Anything.',
  args: {
    name: arg.string('A name'),
    count: arg.integer('How many', { default: 1 }),
    force: arg.boolean('Whether', { default: false }),
    items: arg.list('Some', { optional: true }),
    value: arg.any('Whatever', { default: 'x' }),
  },
  run: () => null,
})

const bound = (args: Value[], kwargs: Record<string, Value> = {}) =>
  bind(declaration, 'mod', args, new Map(Object.entries(kwargs)))

const lenient = reads({
  doc: 'Anything.',
  args: {
    user: arg.text('A name', { optional: true }),
    label: arg.text('A label', { default: 'none' }),
    force: arg.flag('Whether', { default: true }),
    quiet: arg.flag('Whether', { optional: true }),
    refresh: arg.isTrue('Whether', { default: true }),
    names: arg.words('Names', { optional: true }),
    times: arg.count('How many', { default: 3 }),
    owner: arg.textOrNumber('An owner', { optional: true }),
    tgt: arg.textOrList('A target', { default: '*' }),
    env: arg.textListOrDict('Variables', { optional: true }),
  },
  run: () => null,
})

describe('Binding to lenient parameters', () => {
  const given = (parameter: string, value: Value): unknown =>
    bind(lenient, 'mod', [], new Map([[parameter, value]]))[parameter]

  test.each<[string, Value, unknown]>([
    ['user', 1000, '1000'],
    ['user', 0, '0'],
    ['user', true, 'True'],
    ['user', ['a'], "['a']"],
    ['user', '', ''],
    ['user', null, null],
    ['user', false, null],
    ['user', [], null],
    ['label', new Map(), ''],
    ['force', 'no', true],
    ['force', '', false],
    ['force', null, false],
    ['quiet', null, null],
    ['quiet', 0, false],
    ['refresh', 'no', false],
    ['refresh', 'True', true],
    ['refresh', '2', true],
    ['refresh', null, false],
    ['names', 'a,b', ['a', 'b']],
    ['names', [1, 'b'], ['1', 'b']],
    ['names', false, null],
    ['times', ' 7 ', 7],
    ['times', new Float(2.5), 2],
    ['times', true, 1],
    ['times', null, 3],
    ['owner', 0, 0],
    ['owner', '0', '0'],
    ['owner', false, null],
    ['owner', ['a'], "['a']"],
    ['tgt', ['a', 1], ['a', 1]],
    ['tgt', [], []],
    ['tgt', tuple(['a']), ['a']],
    ['tgt', 5, '5'],
    ['tgt', null, ''],
    ['tgt', new Map(), ''],
    ['owner', [], null],
    ['env', new Map([['a', 1]]), new Map([['a', 1]])],
    ['env', new Map(), new Map()],
    ['env', [], []],
    ['env', tuple(['a']), ['a']],
    ['env', 5, '5'],
    ['env', false, null],
  ])('reads %s as its type: %j', (parameter, value, wanted) => {
    expect(given(parameter, value)).toEqual(wanted)
  })

  test('refuses a text that is no number', () => {
    const message = "mod() argument 'times' is a str, not a whole number"
    expect(() => given('times', 'many')).toThrow(new SaltError('SaltInvocationError', message))
  })
})

describe('binding to a declaration', () => {
  test('fills in the defaults', () => {
    expect(bound(['n'])).toEqual({ name: 'n', count: 1, force: false, items: null, value: 'x' })
  })

  test.each<[string, Value, unknown]>([
    ['name', 8080, '8080'],
    ['name', new Float(1), '1.0'],
    ['count', '7', 7],
    ['count', true, 1],
    ['count', null, 1],
    ['force', 'no', true],
    ['force', 0, false],
    ['items', tuple([1]), [1]],
    ['items', null, null],
    ['value', null, null],
  ])('gives %s its declared form: %j', (parameter, given, wanted) => {
    const { [parameter]: got } = bound(parameter === 'name' ? [] : ['n'], { [parameter]: given })
    expect(got).toEqual(wanted)
  })

  test.each<[string, Value, string]>([
    ['name', [1], "mod() argument 'name' is a list, not text"],
    ['name', null, "mod() argument 'name' is a NoneType, not text"],
    ['count', 'many', "mod() argument 'count' is a str, not an integer"],
    ['items', 'a,b', "mod() argument 'items' is a str, not a list"],
  ])('refuses what %s cannot be: %j', (parameter, given, message) => {
    const call = () => bound(parameter === 'name' ? [] : ['n'], { [parameter]: given })
    expect(call).toThrow(new SaltError('SaltInvocationError', message))
  })

  test('refuses a path that is no text with the error of os.path', () => {
    const path = { args: { path: arg.path('A path') } }
    expect(bind(path, 'mod', ['/x'], new Map())).toEqual({ path: '/x' })
    const message = 'expected str, bytes or os.PathLike object, not NoneType'
    expect(() => bind(path, 'mod', [null], new Map())).toThrow(new PyError('TypeError', message))
  })

  test('answers an unknown keyword with the nearest parameter', () => {
    try {
      bound(['n'], { forse: true })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(PyError)
      expect((error as PyError).message).toBe("mod() got an unexpected keyword argument 'forse'")
      expect((error as PyError).hint).toBe("Did you mean 'force'?")
    }
  })

  test('makes parameters after the gathered ones keyword-only', () => {
    const gathering = reads({
      doc: 'Anything.',
      args: { args: arg.rest('All'), last: arg.any('One'), more: arg.open('Further') },
      run: () => null,
    })
    expect(
      bind(
        gathering,
        'g',
        [1, 2],
        new Map<string, Value>([
          ['last', 3],
          ['x', 4],
        ]),
      ),
    ).toEqual({
      args: [1, 2],
      last: 3,
      more: new Map([['x', 4]]),
    })
    expect(() => bind(gathering, 'g', [1, 2], new Map())).toThrow(
      "g() missing 1 required keyword-only argument: 'last'",
    )
  })
})
