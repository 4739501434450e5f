// Escapes in a template's string literals, like Python's unicode-escape codec.

const SIMPLE: Record<string, string> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{0,2})|u([\da-fA-F]{0,4})|U([\da-fA-F]{0,8})|N(\{[^}]*\}?)?|([\s\S]))/g

export function unescapeString(body: string, fail: (message: string) => never): string {
  if (!body.includes('\\')) return body
  return body.replace(ESCAPE, (whole, octal, x, u, big, named, other) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
    if (x !== undefined) return hex(x, 2, 'truncated \\xXX escape', fail)
    if (u !== undefined) return hex(u, 4, 'truncated \\uXXXX escape', fail)
    if (big !== undefined) return hex(big, 8, 'truncated \\UXXXXXXXX escape', fail)
    if (other === undefined)
      return fail(named?.endsWith('}') ? 'unknown Unicode character name' : 'malformed \\N character escape')
    return SIMPLE[other] ?? whole
  })
}

function hex(digits: string, length: number, truncated: string, fail: (message: string) => never): string {
  if (digits.length < length) return fail(truncated)
  const code = Number.parseInt(digits, 16)
  return code > 0x10ffff ? fail('illegal Unicode character') : String.fromCodePoint(code)
}
