// Property tests: everything that is dumped like libyaml, in any style, can be loaded again (PyYAML's own emitter has
// bugs there), and loading any text raises only YAML errors.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BrineError } from '../base/mod.ts'
import { float, int, type Value } from '../data/mod.ts'
import { type DumpOptions, dump } from './dump/dump.ts'
import { load } from './load.ts'

const TRICKY = [
  ...[
    'yes',
    'null',
    '~',
    '0755',
    '1:30',
    '0x1f',
    '1.5',
    '.inf',
    '---',
    '...',
    '<<',
    '=',
    '- a',
    'a: b',
    'a #b',
    '#',
    '{',
    '[',
  ],
  ...[
    ' a',
    'a ',
    '\n',
    'a\n',
    '\n\na',
    'a\n\n b',
    'a\t',
    '"',
    "'",
    '\\',
    '%',
    '@',
    '!x',
    '&x',
    '*x',
    '|',
    '> ',
    '? ',
    ': ',
  ],
  ...['é', '😀', '\x85', '\u2028', '\xa0', '\ufeff', '\0', '\x07', '\x7f', '\r', 'word '.repeat(30), '2020-01-02'],
]

const text = fc.oneof(
  fc.constantFrom(...TRICKY),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.array(fc.constantFrom(...TRICKY), { maxLength: 6 }).map((parts) => parts.join(' ')),
)

const scalar: fc.Arbitrary<Value> = fc.oneof(
  text,
  fc.constantFrom(null, true, false),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(int),
  fc.integer(),
  fc.double().map(float),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Uint8Array.from(bytes)),
)

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(text, tie('value')), { maxLength: 4, selector: ([key]) => key })
      .map((pairs) => new Map<Value, Value>(pairs)),
  ),
}))

/** libyaml breaks long lines of folded blocks even where they are indented, and then they are read differently. */
const unbroken = (options: DumpOptions): DumpOptions =>
  options.default_style === '>' ? { ...options, width: -1 } : options

const options: fc.Arbitrary<DumpOptions> = fc.record(
  {
    default_style: fc.constantFrom(null, '"', "'", '|', '>'),
    default_flow_style: fc.constantFrom(null, true, false),
    canonical: fc.boolean(),
    indent: fc.integer({ min: 0, max: 12 }),
    width: fc.constantFrom(-1, 0, 10, 40, 80, 1000),
    allow_unicode: fc.boolean(),
    line_break: fc.constantFrom('\n', '\r', '\r\n'),
    explicit_start: fc.boolean(),
    explicit_end: fc.boolean(),
    version: fc.constant([1, 1] as [number, number]),
    sort_keys: fc.constant(false),
    dumper: fc.constantFrom('SafeOrderedDumper' as const, 'OrderedDumper' as const, 'serializer' as const),
  },
  { requiredKeys: ['sort_keys'] },
)

describe('YAML', () => {
  test('loads what was dumped, in every style', () => {
    fc.assert(
      fc.property(value, options, (data, choice) => {
        expect(load(dump(data, unbroken(choice)))).toEqual(data)
      }),
      { numRuns: 600 },
    )
  })

  const fragment = fc.constantFrom(
    ...[
      ...TRICKY,
      'a',
      'b: ',
      '- ',
      '? ',
      ', ',
      ']',
      '}',
      '|\n',
      '>-\n',
      '  ',
      '\n  ',
      '&a ',
      '*a',
      '!!str ',
      '!!int ',
      '%YAML 1.1\n',
    ],
  )

  test('fails only with a YAML error, for any text', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(fragment, { maxLength: 25 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(anything, (input) => {
        try {
          load(input, { positions: true })
        } catch (error) {
          expect(error).toBeInstanceOf(BrineError)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('fails only with a YAML error, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          load(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(BrineError)
        }
      }),
    )
  })
})
