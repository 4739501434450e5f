// The supported encodings and their names in Python.
import { PyError } from './errors.ts'

export type Endian = 'le' | 'be'

export type Codec =
  | { kind: 'utf-8'; name: string; marked: boolean }
  | { kind: 'narrow'; name: string; limit: number }
  | { kind: 'units'; name: string; size: 2 | 4; endian: Endian; marked: boolean }
  | { kind: 'table'; name: string; chars: readonly (string | undefined)[] }

const CODECS = new Map<string, Codec>()

function known(codec: Codec, ...names: string[]): void {
  for (const name of names) CODECS.set(name, codec)
}

known({ kind: 'utf-8', name: 'utf-8', marked: false }, 'utf-8', 'utf8', 'u8', 'utf', 'cp65001')
known({ kind: 'utf-8', name: 'utf-8', marked: true }, 'utf-8-sig')
known({ kind: 'narrow', name: 'ascii', limit: 128 }, 'ascii', 'us-ascii', '646', 'ansi-x3.4-1968')
known(
  { kind: 'narrow', name: 'latin-1', limit: 256 },
  ...['latin-1', 'latin1', 'iso-8859-1', 'iso8859-1', '8859', 'cp819', 'latin', 'l1'],
)
for (const size of [2, 4] as const) {
  const name = `utf-${size * 8}`
  known({ kind: 'units', name, size, endian: 'le', marked: true }, name, name.replace('-', ''), `u${size * 8}`)
  for (const endian of ['le', 'be'] as const) {
    known({ kind: 'units', name: `${name}-${endian}`, size, endian, marked: false }, `${name}-${endian}`, name + endian)
  }
}

/** Single-byte code pages, which the runtime has under other names. */
const CODE_PAGE = /^(?:(?:cp|windows-?)(125[0-8]|874|866)|iso-?8859-(\d{1,2})|(koi8-[ru]))$/

/** Node 20 decodes windows-1252 as Latin-1, so its row from 0x80 to 0x9f is here; undefined bytes map to themselves. */
const CP1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'
const C1 = /[\x80-\x9f]/

const NOT_TEXT = new Set(['hex', 'base64', 'rot13', 'rot-13', 'zlib', 'bz2', 'quopri', 'uu'])

/** The codec of that name; throws Python's LookupError. */
export function codecOf(encoding: string, action: 'encode' | 'decode'): Codec {
  const name = encoding
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
  const codec = CODECS.get(name) ?? codePage(name)
  if (codec !== undefined) return codec
  throw new PyError(
    'LookupError',
    NOT_TEXT.has(name)
      ? `'${encoding}' is not a text encoding; use codecs.${action}() to handle arbitrary codecs`
      : `unknown encoding: ${encoding}`,
  )
}

function codePage(name: string): Codec | undefined {
  const match = CODE_PAGE.exec(name)
  if (match === null) return undefined
  const [, windows, iso, koi] = match
  const label = koi ?? (iso ? `iso-8859-${iso}` : windows === '866' ? 'ibm866' : `windows-${windows}`)
  let decoder: InstanceType<typeof TextDecoder>
  try {
    decoder = new TextDecoder(label)
  } catch {
    return undefined // an undefined page, such as iso-8859-99
  }
  const chars = Array.from({ length: 256 }, (_, byte) => {
    const char =
      windows === '1252' && C1.test(String.fromCharCode(byte))
        ? CP1252[byte - 0x80]!
        : decoder.decode(Uint8Array.of(byte))
    // the web's Windows pages map undefined bytes to control characters, Python's leave them undefined
    const hole = windows !== undefined && char.charCodeAt(0) === byte && C1.test(char)
    return hole || char === '\ufffd' ? undefined : char
  })
  const codec: Codec = { kind: 'table', name: 'charmap', chars }
  CODECS.set(name, codec)
  return codec
}
