// The assertions of saltcheck about a result, as a table. The expected value is first converted to the type of the
// result, so that `expected_return: '3'` holds for 3.
import { lookup, recover } from '../../../../base/mod.ts'
import {
  compare,
  contains,
  type Dict,
  equals,
  floatFromText,
  intFromText,
  isDict,
  isNumeric,
  iterate,
  numberOf,
  type Ordering,
  PyError,
  str,
  textOf,
  traverse,
  truthy,
  tuple,
  typeError,
  typeName,
  type Value,
} from '../../../../data/mod.ts'

interface Compared {
  expected: Value
  returned: Value
  /** Whether a failure shows the return. */
  shown: boolean
}

interface Assertion {
  /** The text between the expected and the returned value. */
  sign: string
  /** Whether the expected value is converted to the type of the return. */
  casts?: true
  /** Whether the assertion needs no expected value. */
  alone?: true
  /** Return the error, or undefined. */
  fault(compared: Compared): string | undefined
}

/** `a ? nothing : complaint`, where the complaint is another one if the answer is to be hidden. */
const unless = (holds: boolean, complaint: string): string | undefined => (holds ? undefined : complaint)

const told = ({ expected, returned, shown }: Compared, words: string, hidden: string): string =>
  shown ? `${str(expected)} ${words} ${str(returned)}` : hidden

const ordered = (sign: Ordering): Assertion => ({
  sign,
  casts: true,
  fault: ({ expected, returned }) => unless(compare(sign, expected, returned), `${str(returned)} not False`),
})

function isFalse({ returned }: Compared): string | undefined {
  const value = textOf(returned) === undefined ? returned : truthy(returned)
  return unless(value === false, `${str(value)} not False`)
}

export const ASSERTIONS: Readonly<Record<string, Assertion>> = lookup({
  assertEqual: {
    sign: '==',
    casts: true,
    fault: (given) =>
      unless(equals(given.expected, given.returned), told(given, 'is not equal to', 'Result is not equal')),
  },
  assertNotEqual: {
    sign: '!=',
    casts: true,
    fault: (given) => unless(!equals(given.expected, given.returned), told(given, 'is equal to', 'Result is equal')),
  },
  assertTrue: {
    sign: 'True is',
    alone: true,
    fault: ({ returned }) => unless(returned === true, `${str(returned)} not True`),
  },
  assertFalse: { sign: 'False is', alone: true, fault: isFalse },
  assertIn: {
    sign: 'IN',
    fault: (given) => unless(contains(given.returned, given.expected), told(given, 'not found in', 'Result not found')),
  },
  assertNotIn: {
    sign: 'NOT IN',
    fault: (given) =>
      unless(!contains(given.returned, given.expected), told(given, 'was found in', 'Result was found')),
  },
  assertGreater: ordered('>'),
  assertGreaterEqual: ordered('>='),
  assertLess: ordered('<'),
  assertLessEqual: ordered('<='),
  assertEmpty: {
    sign: 'IS EMPTY',
    alone: true,
    fault: ({ returned }) => unless(!truthy(returned), `${str(returned)} is not empty`),
  },
  assertNotEmpty: {
    sign: 'IS NOT EMPTY',
    alone: true,
    fault: ({ returned }) => unless(truthy(returned), 'value is empty'),
  },
})

export const expectedOf = (asked: Dict): Value => asked.get('expected_return') ?? asked.get('expected-return') ?? null

const kinds: Readonly<Record<string, (expected: Value) => Value>> = lookup({
  bool: (expected) => (expected === 'False' ? false : truthy(expected)),
  str,
  int: (expected) => {
    const text = textOf(expected)
    if (text !== undefined) return intFromText(text)
    if (!isNumeric(expected)) throw typeError(unfit('int', 'a string, a bytes-like object or a real number', expected))
    return Math.trunc(numberOf(expected) ?? 0)
  },
  float: (expected) => {
    const text = textOf(expected)
    if (text !== undefined) return floatFromText(text)
    if (!isNumeric(expected)) throw typeError(unfit('float', 'a string or a real number', expected))
    return expected
  },
  list: (expected) => [...iterate(expected)],
  tuple: (expected) => tuple([...iterate(expected)]),
  dict: (expected) => {
    if (isDict(expected)) return expected
    if ([...iterate(expected)].length === 0) return new Map()
    throw new PyError('ValueError', 'dictionary update sequence element #0 has length 1; 2 is required')
  },
})

const unfit = (type: string, wanted: string, value: Value): string =>
  `${type}() argument must be ${wanted}, not '${typeName(value)}'`

/** Convert the expected value to the type of the return; return it unchanged if that is impossible. */
function cast(expected: Value, returned: Value): Value {
  return recover(
    (error) => error instanceof PyError && error.code === 'ValueError',
    expected,
    () => (returned === null ? expected : (kinds[typeName(returned)]?.(expected) ?? expected)),
  )
}

export interface Judgement {
  status: string
  /** `expected == returned`, for reports in detail. */
  text: string
  section: Value
}

/** One assertion about an answer. `print_result` of the test says whether the answer is shown. */
export function judge(assertion: string, asked: Dict, answer: Value, shown: boolean): Judgement {
  const section = asked.get('assertion_section') ?? null
  const delimiter = str(asked.get('assertion_section_delimiter') ?? ':')
  const returned = truthy(section) ? traverse(answer, section, { default: false, delimiter }) : answer
  const rule = ASSERTIONS[assertion]
  if (!rule) return { status: 'Fail - bad assertion', text: '', section }
  const expected = rule.casts ? cast(expectedOf(asked), returned) : expectedOf(asked)
  const fault = rule.fault({ expected, returned, shown })
  const before = expected === null ? '' : `${str(expected)} `
  return {
    status: fault === undefined ? 'Pass' : `Fail: ${fault}`,
    text: `${before}${rule.sign} ${shown ? str(returned) : 'hidden'}`,
    section,
  }
}
