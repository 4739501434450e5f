// MD4 (RFC 1320), the hash of Windows passwords. OpenSSL no longer provides it.

const SHIFTS = [
  [3, 7, 11, 19],
  [3, 5, 9, 13],
  [3, 9, 11, 15],
]
const CONSTANTS = [0, 0x5a827999, 0x6ed9eba1]
const ORDERS = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
]
const MIX: readonly ((x: number, y: number, z: number) => number)[] = [
  (x, y, z) => (x & y) | (~x & z),
  (x, y, z) => (x & y) | (x & z) | (y & z),
  (x, y, z) => x ^ y ^ z,
]

export function md4(data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((data.length + 9) / 64) * 64)
  bytes.set([...data, 0x80])
  const padded = new DataView(bytes.buffer)
  padded.setBigUint64(padded.byteLength - 8, BigInt(data.length) * 8n, true)
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
  for (let block = 0; block < padded.byteLength; block += 64) {
    let [a, b, c, d] = state as [number, number, number, number]
    for (let round = 0; round < 3; round++) {
      ORDERS[round]!.forEach((word, step) => {
        const sum = (a + MIX[round]!(b, c, d) + padded.getUint32(block + word * 4, true) + CONSTANTS[round]!) | 0
        const shift = SHIFTS[round]![step % 4]!
        ;[a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c]
      })
    }
    state = [a, b, c, d].map((value, at) => (value + state[at]!) | 0)
  }
  const digest = Buffer.alloc(16)
  for (const [at, value] of state.entries()) digest.writeInt32LE(value, at * 4)
  return digest
}
