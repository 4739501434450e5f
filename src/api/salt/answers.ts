// Answers in the formats of Salt's API: JSON or YAML by the Accept header, and HTML pages for errors, whatever that
// header says.
import { STATUS_CODES } from 'node:http'
import { encodeJson, escapeHtml, type Value } from '../../data/mod.ts'
import { dump } from '../../yaml/mod.ts'
import { HttpError } from '../errors.ts'

const JSON_TYPE = 'application/json'
const YAML_TYPE = 'application/x-yaml'

/** The forms of data, the usual one first. */
const FORMS: ReadonlyMap<string, (value: Value) => Uint8Array<ArrayBuffer>> = new Map([
  [JSON_TYPE, (value) => encodeJson(value, { ensureAscii: false })],
  [YAML_TYPE, (value) => new TextEncoder().encode(dump(value, { default_flow_style: false }))],
])

interface Range {
  type: string
  quality: number
}

const MOST_RANGES = 50

/** The media ranges of an Accept header, best first. */
function rangesOf(accept: string): Range[] {
  return accept
    .split(',', MOST_RANGES)
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((word) => word.trim())
      const quality = parameters.find((word) => word.startsWith('q='))?.slice(2)
      return { type: type.toLowerCase(), quality: quality === undefined ? 1 : Number(quality) || 0 }
    })
    .filter(({ type, quality }) => type !== '' && quality > 0)
    .sort((left, right) => right.quality - left.quality)
}

/** Return the best of some media types for an Accept header; undefined if it accepts none. */
export function bestType(accept: string | undefined, types: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === '') return types[0]
  for (const { type } of rangesOf(accept)) {
    if (type === '*/*') return types[0]
    const family = type.endsWith('/*') ? type.slice(0, -1) : undefined
    const found = types.find((each) => (family === undefined ? each === type : each.startsWith(family)))
    if (found !== undefined) return found
  }
  return undefined
}

/** Return the form of the answer to a request; throw when its Accept header takes no form. */
export function answerType(accept: string | undefined): string {
  const types = [...FORMS.keys()]
  const best = bestType(accept, types)
  if (best !== undefined) return best
  throw new HttpError(
    406,
    `Your client sent this Accept header: ${accept}. But this resource only emits these media types: ${types.join(', ')}.`,
  )
}

/** Return the body of an answer as bytes: a `Response` handles them faster than text. */
export function encodeAnswer(value: Value, type: string): Uint8Array<ArrayBuffer> {
  try {
    return FORMS.get(type)!(value)
  } catch (error) {
    throw new HttpError(500, 'Could not serialize the return data from Salt.', error)
  }
}

export const HTML_TYPE = 'text/html;charset=utf-8'

/** The texts of statuses without a specific message. */
const MESSAGES: Readonly<Record<number, string>> = {
  401: 'No permission -- see authorization schemes',
  403: 'Request forbidden -- authorization will not help',
  404: 'Nothing matches the given URI',
  405: 'Specified method is invalid for this resource',
  413: 'The entity sent with the request exceeds the maximum allowed bytes.',
  500: 'The server encountered an unexpected condition which prevented it from fulfilling the request.',
}

export const messageOf = (status: number): string => MESSAGES[status] ?? STATUS_CODES[status] ?? ''

/** Python's name of a status. */
const reasonOf = (status: number): string =>
  status === 413 ? 'Request Entity Too Large' : (STATUS_CODES[status] ?? 'Unknown')

/** The page of an error. */
export function errorPage(status: number, message: string): string {
  const title = `${status} ${reasonOf(status)}`
  return `<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
<h2>${title}</h2>
<p>${escapeHtml(message)}</p>
</body>
</html>
`
}
