// Resolves the type of a plain scalar from its text. Like PyYAML, patterns are selected by the first character, and the
// first match counts. Python's `$` also matches before a final line feed, so one is allowed.
import { BOOL, FLOAT, INT, MERGE, NULL, RESERVED, STR, TIMESTAMP, VALUE_TAG } from './tags.ts'

const WORDS: ReadonlyMap<string, string> = new Map([
  ...['yes', 'no', 'true', 'false', 'on', 'off'].flatMap((word) => cased(word).map((w) => [w, BOOL] as const)),
  ...cased('null').map((w) => [w, NULL] as const),
  ['~', NULL],
  ['', NULL],
  ['<<', MERGE],
  ['=', VALUE_TAG],
  ['!', RESERVED],
  ['&', RESERVED],
  ['*', RESERVED],
])

function cased(word: string): string[] {
  return [word, word[0]!.toUpperCase() + word.slice(1), word.toUpperCase()]
}

const LONGEST_WORD = 'false'.length

const FLOAT_LOOKS = new RegExp(
  [
    '[-+]?[0-9][0-9_]*\\.[0-9_]*(?:[eE][-+][0-9]+)?',
    '\\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?',
    '[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\\.[0-9_]*',
    '[-+]?\\.(?:inf|Inf|INF)',
    '\\.(?:nan|NaN|NAN)',
  ]
    .join('|')
    .replace(/^(.*)$/, '^(?:$1)\\n?$'),
)

const INT_LOOKS =
  /^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)\n?$/

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const MOMENT =
  '[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \\t]+)[0-9][0-9]?:[0-9]{2}:[0-9]{2}(?:\\.[0-9]*)?' +
  '(?:[ \\t]*(?:Z|[-+][0-9][0-9]?(?::[0-9]{2})?))?'
const TIMESTAMP_LOOKS = new RegExp(`^(?:${DATE}|${MOMENT})\\n?$`)

const IS_WORD_START = 1
const IS_NUMBER_START = 2

/** By the code of the first character. */
const STARTS = new Uint8Array(128)
for (const c of 'yYnNtTfFoO~<=!&*') STARTS[c.charCodeAt(0)] = IS_WORD_START
for (const c of '-+.0123456789') STARTS[c.charCodeAt(0)] = IS_NUMBER_START

/** The tag of a plain scalar. */
export function resolvePlain(text: string): string {
  const first = text.charCodeAt(0)
  if (text.length === 0) return NULL
  const start = first < 128 ? STARTS[first]! : 0
  if (start === 0) return STR
  if (start === IS_WORD_START) return resolveWord(text)
  return resolveNumber(text, first)
}

function resolveWord(text: string): string {
  if (text.length > LONGEST_WORD + 1) return STR
  return WORDS.get(text.endsWith('\n') ? text.slice(0, -1) : text) ?? STR
}

function resolveNumber(text: string, first: number): string {
  if (FLOAT_LOOKS.test(text)) return FLOAT
  if (first === 46) return STR
  if (INT_LOOKS.test(text)) return INT
  return first >= 48 && TIMESTAMP_LOOKS.test(text) ? TIMESTAMP : STR
}
