export { compare, compareText, equals, type Ordering, order } from './compare.ts'
export { assertHashable, dictDelete, dictEntries, dictGet, dictHas, dictSet } from './dict.ts'
export { PyError, type PyErrorType, typeError, valueError } from './errors.ts'
export { abs, add, div, floordiv, mod, mul, neg, pos, pow, sub, toDouble } from './numbers.ts'
export { bitLength } from './power.ts'
export { contains, hasWideChars, isIterable, iterate, len, textLength, truthy } from './protocol.ts'
export { floatText, quote, repr, str } from './repr.ts'
export { PySet } from './set.ts'
export {
  type BinaryOp,
  type Dict,
  Float,
  float,
  int,
  isDict,
  isFloat,
  isInt,
  isList,
  isNumeric,
  numberOf,
  OrderedDict,
  PyObject,
  PyStr,
  Tuple,
  textOf,
  tuple,
  typeName,
  type Value,
} from './value.ts'
