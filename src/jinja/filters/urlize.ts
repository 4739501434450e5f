// The `urlize` filter: converts addresses in a text to links. The text is escaped first, so it may contain `&lt;` and
// `&gt;` where the author wrote angle brackets.
import {
  compare,
  getSlice,
  iterate,
  quote,
  SPACE,
  splitWords,
  str,
  textLength,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
  WORD,
} from '../../data/mod.ts'
import { JinjaError } from '../errors.ts'
import { escapeValue, Markup } from '../runtime/markup.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { noAttribute } from './argument.ts'

export interface UrlizeOptions {
  limit: Value
  nofollow: Value
  target: Value
  rel: Value
  schemes: Value
}

const SCHEME = new RegExp(`^[${WORD}.+-]{2,}:/{0,2}$`, 'u')

const HTTP = new RegExp(
  `^(?:(?:https?://|www\\.)(?:[${WORD}%-]+\\.)*(?:[a-z]{2,63}|xn--[${WORD}%]{2,59})` +
    `|(?:[${WORD}%-]{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)` +
    `|https?://(?:\\p{Nd}{1,3}(?:\\.\\p{Nd}{1,3}){3}` +
    `|\\[(?:[\\p{Nd}a-f]{0,4}:){2}(?:[\\p{Nd}a-f]{0,4}:?){1,6}\\]))` +
    `(?::\\p{Nd}{1,5})?(?:[/?#][^${SPACE}]*)?$`,
  'iu',
)

const EMAIL = new RegExp(`^[^${SPACE}]+@[${WORD}][${WORD}.-]*\\.[${WORD}]+$`, 'u')

const LEAD = /^(?:[(<]|&lt;)+/
const BRACKETS = [
  ['(', ')'],
  ['<', '>'],
  ['&lt;', '&gt;'],
] as const

/** The address in a word, without the brackets and punctuation around it. */
function splitWord(word: string): [head: string, address: string, tail: string] {
  const head = LEAD.exec(word)?.[0] ?? ''
  let address = word.slice(head.length)
  const end = trailStart(address)
  let tail = address.slice(end)
  address = address.slice(0, end)
  // a closing bracket belongs to the address when its opening bracket does
  for (const [open, close] of BRACKETS) {
    const opened = address.split(open).length - 1
    if (opened <= address.split(close).length - 1) continue
    const closing = Math.min(opened, tail.split(close).length - 1)
    for (let i = 0; i < closing; i++) {
      const cut = tail.indexOf(close) + close.length
      address += tail.slice(0, cut)
      tail = tail.slice(cut)
    }
  }
  return [head, address, tail]
}

/** Return the start of the closing punctuation of a word. */
function trailStart(word: string): number {
  let end = word.length
  while (end > 0) {
    if (word.endsWith('&gt;', end)) end -= 4
    else if (')>.,\n'.includes(word[end - 1]!)) end -= 1
    else break
  }
  return end
}

interface Link {
  attributes: string
  shorten: (url: string) => string
  schemes: string[]
}

function linked(address: string, { attributes, shorten, schemes }: Link): string {
  if (HTTP.test(address)) {
    const url = /^https?:\/\//.test(address) ? address : `https://${address}`
    return `<a href="${url}"${attributes}>${shorten(address)}</a>`
  }
  if (address.startsWith('mailto:') && EMAIL.test(address.slice(7))) {
    return `<a href="${address}">${address.slice(7)}</a>`
  }
  if (isEmail(address)) return `<a href="mailto:${address}">${address}</a>`
  if (schemes.some((scheme) => address !== scheme && address.startsWith(scheme))) {
    return `<a href="${address}"${attributes}>${address}</a>`
  }
  return address
}

const isEmail = (address: string): boolean =>
  !/^(?:www\.|@)/.test(address) && !address.includes(':') && EMAIL.test(address)

export function urlize(rt: Runtime, value: Value, options: UrlizeOptions): Value {
  const rel = relations(rt, options)
  const target = options.target ?? rt.policies.get('urlize.target') ?? null
  const schemes = readSchemes(options.schemes ?? rt.policies.get('urlize.extra_schemes') ?? null)
  const attributes = attribute('rel', rel) + attribute('target', target)
  const link: Link = { attributes, schemes, shorten: (url) => shorten(url, options.limit) }
  const words = escapeValue(value).value.split(new RegExp(`([${SPACE}]+)`))
  const text = words.map((word) => {
    const [head, address, tail] = splitWord(word)
    return head + linked(address, link) + tail
  })
  return rt.autoescape ? new Markup(text.join('')) : text.join('')
}

function relations(rt: Runtime, { rel, nofollow }: UrlizeOptions): string {
  const parts = new Set(wordsOf(rel))
  if (truthy(nofollow)) parts.add('nofollow')
  for (const part of wordsOf(rt.policies.get('urlize.rel') ?? 'noopener')) parts.add(part)
  return [...parts].sort().join(' ')
}

function wordsOf(value: Value): string[] {
  if (!truthy(value)) return []
  const text = textOf(value)
  return text === undefined ? noAttribute(value, 'split') : splitWords(text)
}

function readSchemes(value: Value): string[] {
  if (!truthy(value)) return []
  return Array.from(iterate(value), (scheme) => {
    const text = textOf(scheme)
    if (text === undefined) throw typeError(`expected string or bytes-like object, got '${typeName(scheme)}'`)
    if (SCHEME.test(text)) return text
    throw new JinjaError('FilterArgumentError', `${quote(text)} is not a valid URI scheme prefix.`)
  })
}

const attribute = (name: string, value: Value): string =>
  truthy(value) ? ` ${name}="${escapeValue(value).value}"` : ''

function shorten(url: string, limit: Value): string {
  if (limit === null || !compare('>', textLength(url), limit)) return url
  return `${str(getSlice(url, null, limit, null))}...`
}
