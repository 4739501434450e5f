// Parses the two numbers of an RSA key from its PEM. OpenSSL tries decoder after decoder on a PEM, which takes ten
// times as long as the rest of reading a key, and a master reads a key for every minion that signs in. Keys in any
// other form are left to OpenSSL, as are error messages.

export interface RsaNumbers {
  kty: 'RSA'
  n: string
  e: string
}

const FORMS = /^-----BEGIN (RSA )?PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]+)-----END \1?PUBLIC KEY-----\s*$/
const [SEQUENCE, INTEGER, BIT_STRING] = [0x30, 0x02, 0x03]
/** The algorithm `rsaEncryption` with its empty parameters. */
const RSA = Buffer.from('300d06092a864886f70d0101010500', 'hex')

interface Part {
  tag: number
  body: Buffer
  end: number
}

function part(bytes: Buffer, at: number): Part | undefined {
  const first = bytes[at + 1]
  if (first === undefined) return undefined
  const extra = first < 0x80 ? 0 : first - 0x80
  if (extra > 3 || first === 0x80 || bytes.length < at + 2 + extra) return undefined
  const size = extra === 0 ? first : bytes.readUIntBE(at + 2, extra)
  const from = at + 2 + extra
  if (from + size > bytes.length) return undefined
  return { tag: bytes[at]!, body: bytes.subarray(from, from + size), end: from + size }
}

function only(bytes: Buffer, tag: number): Buffer | undefined {
  const found = part(bytes, 0)
  return found?.tag === tag && found.end === bytes.length ? found.body : undefined
}

/** `SEQUENCE { n, e }`, both positive and without needless zeros. */
function numbersOf(bytes: Buffer): RsaNumbers | undefined {
  const body = only(bytes, SEQUENCE)
  const n = body && part(body, 0)
  const e = n && part(body, n.end)
  if (n?.tag !== INTEGER || e?.tag !== INTEGER || e.end !== body!.length) return undefined
  const text = ({ body: number }: Part): string | undefined => {
    if (number.length === 0 || number[0]! > 0x7f) return undefined
    const digits = number[0] === 0 ? number.subarray(1) : number
    return digits.length === 0 || digits[0] === 0 ? undefined : digits.toString('base64url')
  }
  const [modulus, exponent] = [text(n), text(e)]
  return modulus && exponent ? { kty: 'RSA', n: modulus, e: exponent } : undefined
}

export function rsaNumbers(pem: string): RsaNumbers | undefined {
  const [, isBare, base64] = FORMS.exec(pem) ?? []
  if (base64 === undefined) return undefined
  const bytes = Buffer.from(base64, 'base64')
  if (isBare) return numbersOf(bytes)
  const body = only(bytes, SEQUENCE)
  if (!body?.subarray(0, RSA.length).equals(RSA)) return undefined
  const key = only(body.subarray(RSA.length), BIT_STRING)
  return key?.[0] === 0 ? numbersOf(key.subarray(1)) : undefined
}
