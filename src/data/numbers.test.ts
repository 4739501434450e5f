import { describe, expect, it } from 'vitest'
import { abs, add, div, floordiv, mod, mul, neg, pos, pow, sub } from './numbers.ts'
import { repr } from './repr.ts'
import { Float, tuple, type Value } from './value.ts'

const f = (n: number) => new Float(n)

describe('operators', () => {
  it.each<[(a: Value, b: Value) => Value, Value, Value, string]>([
    [add, 1, 2, '3'],
    [add, 2 ** 53 - 1, 1, '9007199254740992'],
    [sub, 9007199254740993n, 2, '9007199254740991'],
    [add, 1, f(1), '2.0'],
    [add, 0.5, 0.5, '1.0'],
    [add, true, true, '2'],
    [add, 'a', 'b', "'ab'"],
    [add, tuple([1]), tuple([2]), '(1, 2)'],
    [mul, 0, -5, '0'],
    [mul, 3, 'ab', "'ababab'"],
    [mul, [1], -1, '[]'],
    [mul, tuple([1]), true, '(1,)'],
    [mul, 2 ** 40, 2 ** 40, '1208925819614629174706176'],
    [div, 8, 2, '4.0'],
    [div, 10n ** 400n, 10n ** 399n, '10.0'],
    [floordiv, -7, 2, '-4'],
    [floordiv, -7, f(2), '-4.0'],
    [floordiv, -1, Number.POSITIVE_INFINITY, '-1.0'],
    [mod, -7, 3, '2'],
    [mod, f(7), -3, '-2.0'],
    [mod, 10n ** 20n, -7, '-5'],
    [pow, 2, 100, '1267650600228229401496703205376'],
    [pow, 10, -17, '1e-17'],
    [pow, 3.38, 3, '38.614472'],
    [pow, 2, 0.5, '1.4142135623730951'],
    [pow, -1, 10n ** 30n, '1'],
  ])('%o of %s and %s is %s', (op, a, b, expected) => {
    expect(repr(op(a, b))).toBe(expected)
  })

  it.each<[(a: Value, b: Value) => Value, Value, Value, string, string]>([
    [div, 1, 0, 'ZeroDivisionError', 'division by zero'],
    [div, f(1), 0, 'ZeroDivisionError', 'float division by zero'],
    [floordiv, 1, 0, 'ZeroDivisionError', 'integer division or modulo by zero'],
    [mod, 1, false, 'ZeroDivisionError', 'integer modulo by zero'],
    [mod, 1, f(0), 'ZeroDivisionError', 'float modulo'],
    [pow, 0, -1, 'ZeroDivisionError', '0.0 cannot be raised to a negative power'],
    [pow, f(10), 400, 'OverflowError', "(34, 'Numerical result out of range')"],
    [mul, 10n ** 400n, 1.5, 'OverflowError', 'int too large to convert to float'],
    [div, 10n ** 400n, 1, 'OverflowError', 'integer division result too large for a float'],
    [mul, 'a', 10n ** 30n, 'OverflowError', "cannot fit 'int' into an index-sized integer"],
    [mul, [1], 2 ** 50, 'MemoryError', ''],
    [pow, 10, 10 ** 9, 'MemoryError', ''],
    [add, 1, 'a', 'TypeError', "unsupported operand type(s) for +: 'int' and 'str'"],
    [add, 'a', 1, 'TypeError', 'can only concatenate str (not "int") to str'],
    [add, [1], tuple([1]), 'TypeError', 'can only concatenate list (not "tuple") to list'],
    [mul, 'a', 'b', 'TypeError', "can't multiply sequence by non-int of type 'str'"],
    [pow, 'a', 2, 'TypeError', "unsupported operand type(s) for ** or pow(): 'str' and 'int'"],
    [sub, null, 1, 'TypeError', "unsupported operand type(s) for -: 'NoneType' and 'int'"],
  ])('%o of %s and %s raises %s: %s', (op, a, b, code, message) => {
    expect(() => op(a, b)).toThrow(expect.objectContaining({ code, message }))
  })
})

describe('unary operators', () => {
  it('keep one zero for ints and two for floats', () => {
    expect(repr(neg(0))).toBe('0')
    expect(repr(neg(f(0)))).toBe('-0.0')
    expect(repr(neg(true))).toBe('-1')
    expect(repr(pos(false))).toBe('0')
    expect(repr(abs(-(10n ** 20n)))).toBe('100000000000000000000')
  })

  it('refuse what is not a number', () => {
    expect(() => neg('a')).toThrow("bad operand type for unary -: 'str'")
    expect(() => abs(null)).toThrow("bad operand type for abs(): 'NoneType'")
  })
})
