// Filters for HTML, XML and URLs.
import {
  isDict,
  isIterable,
  iterate,
  PyStr,
  repr,
  str,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { builtin } from '../runtime/builtin.ts'
import { escapeText, escapeValue, Markup } from '../runtime/markup.ts'
import { type NativeTable, native } from '../runtime/native.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { stripTags } from '../runtime/strip-tags.ts'
import { Undefined } from '../runtime/undefined.ts'
import { unpack } from '../runtime/unpack.ts'
import { pairsOf } from './argument.ts'
import { urlize } from './urlize.ts'

const escapeFilter = builtin('markupsafe._speedups.escape', 1, (_rt, value: Value) => escapeValue(value))

/** Characters that would end an attribute's name. */
const NO_NAME = /[\t-\r />=]/

function xmlattr(rt: Runtime, value: Value, autospace: Value): Value {
  const attributes: string[] = []
  for (const [key, item] of pairsOf(value)) {
    if (item === null || item instanceof Undefined) continue
    const name = textOf(key)
    if (name === undefined) throw typeError(`expected string or bytes-like object, got '${typeName(key)}'`)
    if (NO_NAME.test(name)) throw valueError(`Invalid character in attribute name: ${repr(key)}`)
    attributes.push(`${escapeValue(key).value}="${escapeValue(item).value}"`)
  }
  const text = attributes.join(' ')
  const spaced = truthy(autospace) && text !== '' ? ` ${text}` : text
  return rt.autoescape ? new Markup(spaced) : spaced
}

/** `urllib.parse.quote`: all but letters, digits and a few marks as %XX of their UTF-8 bytes. */
function quoteUrl(value: Value, safe: string): string {
  const bytes = value instanceof Uint8Array ? value : Buffer.from(str(value), 'utf8')
  let quoted = ''
  for (const byte of bytes) {
    const char = String.fromCharCode(byte)
    const plain = /[\w.~-]/.test(char) || char === safe
    quoted += plain ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return quoted
}

const quoteForm = (value: Value): string => quoteUrl(value, '').replaceAll('%20', '+')

/** Text as a path; pairs as a query. */
function urlencode(value: Value): string {
  if (typeof value === 'string' || value instanceof PyStr || !isIterable(value)) return quoteUrl(value, '/')
  const pairs = isDict(value) ? value : iterate(value)
  return Array.from(pairs as Iterable<Value>, (pair) => {
    const [key, item] = unpack(pair, 2) as [Value, Value]
    return `${quoteForm(key)}=${quoteForm(item)}`
  }).join('&')
}

export const htmlFilters: NativeTable = {
  e: escapeFilter,
  escape: escapeFilter,
  forceescape: native('do_forceescape', ['value'], (_rt, value: Value) => new Markup(escapeText(str(value)))),
  safe: native('do_mark_safe', ['value'], (_rt, value: Value) => new Markup(str(value))),
  striptags: native('do_striptags', ['value'], (_rt, value: Value) => stripTags(str(value))),
  xmlattr: native('do_xmlattr', ['@eval_ctx', 'd', 'autospace?'], (rt, value, autospace = true) =>
    xmlattr(rt, value, autospace),
  ),
  urlencode: native('do_urlencode', ['value'], (_rt, value: Value) => urlencode(value)),
  urlize: native(
    'do_urlize',
    ['@eval_ctx', 'value', 'trim_url_limit?', 'nofollow?', 'target?', 'rel?', 'extra_schemes?'],
    (rt, value, limit = null, nofollow = false, target = null, rel = null, schemes = null) =>
      urlize(rt, value, { limit, nofollow, target, rel, schemes }),
  ),
}
