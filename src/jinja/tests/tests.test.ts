import { expect, test } from 'vitest'
import { Float, OrderedDict, PySet, tuple, type Value } from '../../data/mod.ts'
import { builtinFilters } from '../filters/mod.ts'
import { fakeRuntime } from '../runtime/fake-runtime.test-support.ts'
import { Markup } from '../runtime/markup.ts'
import { StrictUndefined, Undefined } from '../runtime/undefined.ts'
import { builtinTests } from './mod.ts'

const missing = new StrictUndefined("'nope' is undefined")

const ask = (name: string, ...args: Value[]): unknown => builtinTests.get(name)!.invoke(fakeRuntime(), args)

test.each<[string, Value[], Value[]]>([
  ['defined', [1, null], [missing]],
  ['undefined', [missing], [1]],
  ['none', [null], [0, missing]],
  ['boolean', [true, false], [1, 0]],
  ['true', [true], [1]],
  ['false', [false], [0]],
  ['integer', [1, 2n ** 70n], [true, 1.5, new Float(1)]],
  ['float', [1.5, new Float(1), Number.NaN], [1]],
  ['number', [1, 1.5, true], ['1', null]],
  ['string', ['a', new Markup('a')], [1, missing]],
  ['lower', ['ab1'], ['Ab', '1']],
  ['upper', ['AB1'], ['Ab', '1']],
  ['mapping', [new Map(), new OrderedDict()], [[], 'a']],
  ['sequence', ['a', [], tuple([]), new Map(), new Undefined('x')], [1, new PySet(), missing]],
  ['iterable', ['a', [], new PySet(), new Undefined('x')], [1, null]],
  ['callable', [builtinFilters.get('upper')!, missing], ['a', 1]],
  ['escaped', [new Markup('<')], ['<', missing]],
  ['filter', ['upper'], ['nosuch', 5]],
  ['test', ['odd', '=='], ['nosuch']],
  ['odd', [3, -3, true], [2, new Float(4)]],
  ['even', [0, new Float(2)], [1, 2.5]],
])('%s holds for the right values only', (name, yes, no) => {
  expect(yes.map((value) => ask(name, value))).toEqual(yes.map(() => true))
  expect(no.map((value) => ask(name, value))).toEqual(no.map(() => false))
})

test.each<[string, Value, Value, boolean]>([
  ['divisibleby', 9, 3, true],
  ['eq', 1, new Float(1), true],
  ['!=', 'a', 'b', true],
  ['lessthan', 5, 3, false],
  ['ge', 'b', 'a', true],
  ['sameas', 1, new Float(1), false],
  ['sameas', true, 1, false],
  ['in', 'a', 'abc', true],
])('%s of %j and %j is %s', (name, value, other, result) => expect(ask(name, value, other)).toBe(result))

test.each<[string, Value[], string]>([
  ['iterable', [missing], "'nope' is undefined"],
  ['divisibleby', [null, 2], "unsupported operand type(s) for %: 'NoneType' and 'int'"],
  ['divisibleby', [1, 0], 'integer modulo by zero'],
  ['in', [1, 1], "argument of type 'int' is not iterable"],
  ['filter', [[]], "unhashable type: 'list'"],
  ['<=', [[1], ['a']], "'<=' not supported between instances of 'int' and 'str'"],
  ['eq', [1], 'eq expected 2 arguments, got 1'],
  ['callable', [1, 2], 'callable() takes exactly one argument (2 given)'],
  ['odd', [1, 2], 'test_odd() takes 1 positional argument but 2 were given'],
  ['filter', ['a', 2], 'test_filter() takes 2 positional arguments but 3 were given'],
])('%s of %j fails as in Python', (name, args, message) => expect(() => ask(name, ...args)).toThrow(message))
