// Form encoding and query strings like Python's urllib.
import { isDict, iterate, str, Tuple, type Value } from '../data/mod.ts'

/** `urllib.parse.quote_plus`. */
function quotePlus(value: Value): string {
  return Array.from(Buffer.from(str(value)), (byte) => {
    const char = String.fromCharCode(byte)
    if (/[A-Za-z0-9_.~-]/.test(char)) return char
    return char === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}

const pairsOf = (data: Value): Iterable<Value> =>
  isDict(data) ? Array.from(data, (pair) => Tuple.from(pair)) : iterate(data)

/** `urllib.parse.urlencode` of a dict or of pairs. */
export function encodeForm(data: Value): string {
  return Array.from(pairsOf(data), (pair) => {
    const [key = null, value = null] = iterate(pair)
    return `${quotePlus(key)}=${quotePlus(value)}`
  }).join('&')
}

/** The address with further parameters in its query. */
export function concatUrl(url: string, params: Value): string {
  const [, before = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? []
  const kept = query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [key, ...rest] = part.split('=')
      return [unquotePlus(key!), unquotePlus(rest.join('='))]
    })
  const all = encodeForm([...kept, ...pairsOf(params)])
  return before + (all === '' ? '' : `?${all}`) + fragment
}

function unquotePlus(text: string): string {
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return /[^\x00-\xff]/.test(bytes) ? text : Buffer.from(bytes, 'latin1').toString()
}
