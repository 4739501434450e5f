// The two digests of NaCl's boxes: Poly1305, which proves a message, and BLAKE2b, which makes the nonce of a sealed box.

const PRIME = (1n << 130n) - 5n
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn
const LOW_128 = (1n << 128n) - 1n

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

/** The proof of a message with a key that is used once. */
export function poly1305(key: Uint8Array, message: Uint8Array): Uint8Array {
  const factor = littleEndian(key.subarray(0, 16)) & CLAMP
  let sum = 0n
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16)
    sum = ((sum + littleEndian(block) + (1n << BigInt(8 * block.length))) * factor) % PRIME
  }
  const proof = (sum + littleEndian(key.subarray(16, 32))) & LOW_128
  return new Uint8Array(Buffer.from(proof.toString(16).padStart(32, '0'), 'hex').reverse())
}

const LOW_64 = (1n << 64n) - 1n
const BLOCK = 128

/** The beginning of the fractions of the first primes' square roots. */
const START = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
] as const

/** In which order the words of a block are taken, round by round. */
const ORDERS = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
] as const

const ROUNDS = 12

const LANES = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const

const turned = (value: bigint, bits: bigint): bigint => (value >> bits) | ((value << (64n - bits)) & LOW_64)

function mix(v: bigint[], [a, b, c, d]: readonly [number, number, number, number], x: bigint, y: bigint): void {
  v[a] = (v[a]! + v[b]! + x) & LOW_64
  v[d] = turned(v[d]! ^ v[a]!, 32n)
  v[c] = (v[c]! + v[d]!) & LOW_64
  v[b] = turned(v[b]! ^ v[c]!, 24n)
  v[a] = (v[a]! + v[b]! + y) & LOW_64
  v[d] = turned(v[d]! ^ v[a]!, 16n)
  v[c] = (v[c]! + v[d]!) & LOW_64
  v[b] = turned(v[b]! ^ v[c]!, 63n)
}

/** A digest of so many bytes, without a key. */
export function blake2b(message: Uint8Array, size: number): Uint8Array {
  const chain: bigint[] = [...START]
  chain[0]! ^= 0x01010000n ^ BigInt(size)
  const blocks = Math.max(1, Math.ceil(message.length / BLOCK))
  for (let index = 0; index < blocks; index++) {
    const block = new Uint8Array(BLOCK)
    block.set(message.subarray(BLOCK * index, BLOCK * (index + 1)))
    const isLast = index === blocks - 1
    compress(chain, block, BigInt(isLast ? message.length : BLOCK * (index + 1)), isLast)
  }
  const bytes = new Uint8Array(64)
  const view = new DataView(bytes.buffer)
  for (const [index, word] of chain.entries()) view.setBigUint64(8 * index, word, true)
  return bytes.subarray(0, size)
}

function compress(chain: bigint[], block: Uint8Array, count: bigint, isLast: boolean): void {
  const view = new DataView(block.buffer)
  const words = Array.from({ length: 16 }, (_, index) => view.getBigUint64(8 * index, true))
  const v = [...chain, ...START]
  v[12]! ^= count & LOW_64
  if (isLast) v[14]! ^= LOW_64
  for (let round = 0; round < ROUNDS; round++) {
    const order = ORDERS[round % ORDERS.length]!
    for (const [index, lane] of LANES.entries()) mix(v, lane, words[order[2 * index]!]!, words[order[2 * index + 1]!]!)
  }
  for (let index = 0; index < 8; index++) chain[index]! ^= v[index]! ^ v[index + 8]!
}
