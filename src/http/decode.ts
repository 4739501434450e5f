// Decodes a response body like Salt: decompress, convert to text, and on request parse JSON, XML or YAML.
import { constants } from 'node:buffer'
import { gunzipSync, inflateRawSync } from 'node:zlib'
import {
  type Dict,
  decodeBytes,
  decodeData,
  loadJson,
  parseXml,
  pformat,
  tuple,
  type Value,
  valueError,
  type XmlElement,
} from '../data/mod.ts'
import { load } from '../yaml/mod.ts'
import { HttpFailure, type HttpResponse } from './request.ts'

const REFUSED: Readonly<Record<string, string>> = { sdch: 'SDCH', br: 'Brotli', compress: 'LZW' }

/** Decompress a body, up to the size limit of an uncompressed one. */
function decompressed(body: Uint8Array, coding: string, most: number): Uint8Array {
  if (body.length === 0) return body
  const options = { maxOutputLength: Math.min(most, constants.MAX_LENGTH) }
  try {
    if (coding === 'deflate') return inflateRawSync(body, options)
    if (coding === 'gzip') return gunzipSync(body, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error
    throw new HttpFailure('Content-Length too long')
  }
  const name = Object.hasOwn(REFUSED, coding) ? REFUSED[coding] : undefined
  if (name !== undefined) throw valueError(`${name} compression is not currently supported`)
  return body
}

/** The body as text in the charset it names, else in UTF-8; bytes where text is not wanted. */
export function bodyText(
  { body, headers }: Pick<HttpResponse, 'body' | 'headers'>,
  { asText, most }: { asText: boolean; most: number },
): Value {
  const plain = decompressed(body, headers.get('Content-Encoding') ?? 'identity', most)
  const type = headers.get('Content-Type') ?? ''
  const charset = /^\s*text\/.*;\s*charset=("?)([^";\s]+)\1/i.exec(type)?.[2]
  if (charset !== undefined) return decodeBytes(plain, charset.toLowerCase())
  return asText ? decodeBytes(plain) : plain
}

const DECODERS = ['json', 'xml', 'yaml', 'plain']

/** No text is longer. An endless answer must not be gathered until the memory is full. */
export const LONGEST_TEXT = constants.MAX_STRING_LENGTH

/** Texts that are decoded are no longer, in characters: an element or a node needs far more memory than its text. */
const LONGEST_DECODED: Readonly<Record<string, number>> = { json: 256 << 20, xml: 64 << 20, yaml: 8 << 20 }

export const isTooLong = (text: string, kind: string): boolean => text.length > (LONGEST_DECODED[kind] ?? LONGEST_TEXT)

/** The kind of data the response says it is. */
export function decoderFor(headers: ReadonlyMap<string, string>): string {
  const type = headers.get('Content-Type') ?? 'application/json'
  return ['xml', 'json', 'yaml'].find((kind) => type.includes(kind)) ?? 'plain'
}

export const isDecoder = (name: string): boolean => DECODERS.includes(name)

export const unknownDecoder = (): string =>
  `Invalid decode_type specified. Valid decode types are: ${pformat(tuple(DECODERS))}`

export function decodeText(text: string, kind: string): Value {
  if (kind === 'json') return loadJson(text)
  if (kind === 'yaml') return decodeData(load(text))
  return elementsOf(parseXml(text)).map(elementDict)
}

const elementsOf = ({ children }: XmlElement): XmlElement[] => children.filter((child) => typeof child !== 'string')

/** Without the namespace. */
const localName = ({ name }: XmlElement): string => name.slice(name.indexOf(':') + 1)

/** The text before the first element. */
const textOf = ({ children: [first] }: XmlElement): Value => (typeof first === 'string' ? first : null)

/** Elements by their names, attributes left out; a name that comes again makes a list. */
function elementDict(element: XmlElement): Dict {
  const inner = elementsOf(element)
  if (inner.length === 0) return new Map([[localName(element), textOf(element)]])
  const dict: Dict = new Map()
  for (const child of inner) {
    const name = localName(child)
    const known = dict.get(name)
    if (known === undefined) dict.set(name, elementsOf(child).length > 0 ? elementDict(child) : textOf(child))
    else if (Array.isArray(known)) known.push(elementDict(child))
    else dict.set(name, [known, elementDict(child)])
  }
  return dict
}
