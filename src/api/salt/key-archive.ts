// The key pair of a minion as a tar archive.
const BLOCK = 512

/** The header of a file in a tar archive (ustar). */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  const put = (text: string, at: number): void => void block.write(text, at, 'latin1')
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  put(name, 0)
  put(octal(0o600, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(size, 11), 124)
  put(octal(Math.floor(Date.now() / 1000), 11), 136)
  put(' '.repeat(8), 148)
  put('0', 156)
  put('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function file(name: string, text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([header(name, bytes.length), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)])
}

/** Return the answer that carries a key pair as `minion.pub` and `minion.pem`. */
export function keyArchive(id: string, pub: string, priv: string): Response {
  const archive = Buffer.concat([file('minion.pub', pub), file('minion.pem', priv), Buffer.alloc(2 * BLOCK)])
  return new Response(archive, {
    headers: {
      'Content-Type': 'application/x-tar',
      'Content-Disposition': `attachment; filename="saltkeys-${id.replace(/[^\w.-]/g, '_')}.tar"`,
      'Cache-Control': 'no-cache',
      'Content-Length': String(archive.length),
    },
  })
}
