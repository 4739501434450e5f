import { describe, expect, it } from 'vitest'
import { float, type Value } from '../value.ts'
import { jmespathSearch } from './search.ts'

const map = (entries: Record<string, Value>): Value => new Map<Value, Value>(Object.entries(entries))

const data = map({
  services: [map({ name: 'http', port: 80 }), map({ name: 'ssh', port: 22, tags: ['a', 'b'] })],
  meta: map({ owner: 'ops', 'dash-key': 1, none: null }),
  nested: [
    [1, 2],
    [3, [4]],
  ],
})

const message = (expression: string): string => {
  try {
    return `no error: ${jmespathSearch(expression, data)}`
  } catch (error) {
    return (error as Error).message
  }
}

describe('jmespathSearch', () => {
  it.each<[string, Value]>([
    ['services[].port', [80, 22]],
    ['services[?port > `30`].name | [0]', 'http'],
    ['services[*].tags[]', ['a', 'b']],
    ['meta."dash-key"', 1],
    ['nested[]', [1, 2, 3, [4]]],
    ['nested[0][1:2].x', null],
    ['sort_by(services, &port)[].name', ['ssh', 'http']],
    ['max_by(services, &port).name', 'http'],
    ['join(`,`, services[].name)', 'http,ssh'],
    ['not_null(meta.none, nope, meta.owner)', 'ops'],
    ['services[::-1].port', [22, 80]],
    ['[`1` == `true`, `1` == `1.0`, !`0`]', [false, true, false]],
    ['to_string(services[1].tags)', '["a","b"]'],
    ['avg(services[].port)', float(51)],
    ['foo || `bar`', 'bar'],
    ["'it\\'s'", "it's"],
  ])('%s', (expression, wanted) => {
    expect(jmespathSearch(expression, data)).toEqual(wanted)
  })

  it.each([
    ['', 'Invalid JMESPath expression: cannot be empty.'],
    ['services[', 'Invalid jmespath expression: Incomplete expression:\n"services["\n          ^'],
    [
      'a.1',
      "Expecting: ['quoted_identifier', 'unquoted_identifier', 'lbracket', 'lbrace'], got: number: Parse error at column 2, token \"1\" (NUMBER), for expression:\n\"a.1\"\n   ^",
    ],
    ['a = b', "Bad jmespath expression: Unknown token '=':\na = b\n  ^"],
    ['upper(meta.owner)', 'Unknown function: upper()'],
    ['abs(meta, meta)', 'Expected 1 argument for function abs(), received 2'],
    [
      'abs(meta.owner)',
      'In function abs(), invalid type for value: ops, expected one of: [\'number\'], received: "string"',
    ],
    ['`1` < `"a"`', "'<' not supported between instances of 'int' and 'str'"],
  ])('%s fails in the words of the Python library', (expression, wanted) => {
    expect(message(expression)).toBe(wanted)
  })

  it('does not overflow the stack', () => {
    expect(message('('.repeat(20000))).toBe('maximum recursion depth exceeded')
  })
})
