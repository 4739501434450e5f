// The methods of str.
import { capitalize, encodeText, isLower, isUpper, splitLines, title, type Value } from '../../data/mod.ts'
import { countArgument, namedTextArgument } from './arguments.ts'
import { type MethodSpec, method, methodTable } from './builtin.ts'
import { casefold, swapcase } from './str-case.ts'
import { formatCall, formatMap } from './str-format.ts'
import * as kinds from './str-kinds.ts'
import { count, find, found, hasAffix, join, replace, rfind } from './str-search.ts'
import { expandtabs, justify, maketrans, removeAffix, stripSide, translate, zfill } from './str-shape.ts'
import { partition, split } from './str-split.ts'

const plain = (body: (text: string) => Value) => method('', (_rt, text: string) => body(text))

const codecArgument = (name: string, method: string, value: Value | undefined): string | undefined =>
  value === undefined ? undefined : namedTextArgument(value, `${method}() argument '${name}'`)

/** The bodies take the plain text as `self`. */
export const STR_SPECS: Record<string, MethodSpec> = {
  lower: plain((text) => text.toLowerCase()),
  upper: plain((text) => text.toUpperCase()),
  capitalize: plain(capitalize),
  title: plain(title),
  swapcase: plain(swapcase),
  casefold: plain(casefold),

  isalpha: plain(kinds.isAlpha),
  isalnum: plain(kinds.isAlnum),
  isascii: plain(kinds.isAscii),
  isdecimal: plain(kinds.isDecimal),
  isdigit: plain(kinds.isDigit),
  isidentifier: plain(kinds.isIdentifier),
  islower: plain(isLower),
  isnumeric: plain(kinds.isNumeric),
  isprintable: plain(kinds.isPrintable),
  isspace: plain(kinds.isSpace),
  istitle: plain(kinds.isTitle),
  isupper: plain(isUpper),

  find: method('sub start? end?', (_rt, text, sub, start, end) => find(text, sub, start, end), 'parsed'),
  rfind: method('sub start? end?', (_rt, text, sub, start, end) => rfind(text, sub, start, end), 'parsed'),
  index: method('sub start? end?', (_rt, text, sub, start, end) => found(find(text, sub, start, end)), 'parsed'),
  rindex: method('sub start? end?', (_rt, text, sub, start, end) => found(rfind(text, sub, start, end)), 'parsed'),
  count: method('sub start? end?', (_rt, text, sub, start, end) => count(text, sub, start, end), 'parsed'),
  startswith: method(
    'prefix start? end?',
    (_rt, text, prefix, start, end) => hasAffix('startswith', text, prefix, start, end),
    'parsed',
  ),
  endswith: method(
    'suffix start? end?',
    (_rt, text, suffix, start, end) => hasAffix('endswith', text, suffix, start, end),
    'parsed',
  ),

  replace: method('old new count?', (_rt, text, before, after, most) => replace(text, before, after, most)),
  join: method('iterable', (_rt, text, items) => join(text, items)),
  split: method('sep? maxsplit?', (_rt, text, sep, most) => split(text, sep, most), 'keywords'),
  rsplit: method('sep? maxsplit?', (_rt, text, sep, most) => split(text, sep, most, true), 'keywords'),
  splitlines: method(
    'keepends?',
    (_rt, text: string, keep: Value = false) => splitLines(text, countArgument(keep) !== 0),
    'keywords',
  ),
  partition: method('sep', (_rt, text, sep) => partition(text, sep, false)),
  rpartition: method('sep', (_rt, text, sep) => partition(text, sep, true)),

  strip: method('chars?', (_rt, text, chars) => stripSide('strip', text, chars)),
  lstrip: method('chars?', (_rt, text, chars) => stripSide('lstrip', text, chars)),
  rstrip: method('chars?', (_rt, text, chars) => stripSide('rstrip', text, chars)),
  removeprefix: method('prefix', (_rt, text, prefix) => removeAffix('removeprefix', text, prefix)),
  removesuffix: method('suffix', (_rt, text, suffix) => removeAffix('removesuffix', text, suffix)),
  center: method('width fillchar?', (_rt, text, width, fill) => justify(text, 'center', width, fill)),
  ljust: method('width fillchar?', (_rt, text, width, fill) => justify(text, 'left', width, fill)),
  rjust: method('width fillchar?', (_rt, text, width, fill) => justify(text, 'right', width, fill)),
  zfill: method('width', (_rt, text, width) => zfill(text, width)),
  expandtabs: method('tabsize?', (_rt, text, size) => expandtabs(text, size), 'keywords'),
  maketrans: method('x y? z?', (_rt, _text, from, to, drop) => maketrans(from, to, drop)),
  translate: method('table', (_rt, text, table) => translate(text, table)),

  format: method('*args **kwargs', formatCall),
  format_map: method('*args **kwargs', formatMap),
  encode: method(
    'encoding? errors?',
    (_rt, text: string, encoding?: Value, errors?: Value) =>
      encodeText(text, codecArgument('encoding', 'encode', encoding), codecArgument('errors', 'encode', errors)),
    'keywords',
  ),
}

export const STR_METHODS = methodTable('str', STR_SPECS)
