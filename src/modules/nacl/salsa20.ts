// XSalsa20 as NaCl has it: the stream that is added to a message, and the key that comes of a shared secret.

const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const

/** Which words of the state each quarter of a double round works on, and by how many bits it turns. */
const COLUMNS = [
  [4, 0, 12, 8],
  [9, 5, 1, 13],
  [14, 10, 6, 2],
  [3, 15, 11, 7],
] as const
const ROWS = [
  [1, 0, 3, 2],
  [6, 5, 4, 7],
  [11, 10, 9, 8],
  [12, 15, 14, 13],
] as const

const turned = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits))

function quarter(x: Uint32Array, [b, a, d, c]: readonly [number, number, number, number]): void {
  x[b]! ^= turned((x[a]! + x[d]!) | 0, 7)
  x[c]! ^= turned((x[b]! + x[a]!) | 0, 9)
  x[d]! ^= turned((x[c]! + x[b]!) | 0, 13)
  x[a]! ^= turned((x[d]! + x[c]!) | 0, 18)
}

function words(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Array.from({ length: bytes.length / 4 }, (_, index) => view.getUint32(4 * index, true))
}

function bytesOf(numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * numbers.length)
  const view = new DataView(bytes.buffer)
  for (const [index, number] of numbers.entries()) view.setUint32(4 * index, number, true)
  return bytes
}

function state(key: Uint8Array, input: Uint8Array): Uint32Array {
  const [k, n] = [words(key), words(input)]
  return Uint32Array.of(...[SIGMA[0], ...k.slice(0, 4), SIGMA[1], ...n, SIGMA[2]], ...[...k.slice(4), SIGMA[3]])
}

function mixed(before: Uint32Array): Uint32Array {
  const x = before.slice()
  for (let round = 0; round < 20; round += 2) for (const group of [...COLUMNS, ...ROWS]) quarter(x, group)
  return x
}

/** A key of a key and 16 bytes. */
export function hsalsa20(key: Uint8Array, input: Uint8Array): Uint8Array {
  const x = mixed(state(key, input))
  return bytesOf([0, 5, 10, 15, 6, 7, 8, 9].map((index) => x[index]!))
}

/** So many bytes of the stream of a key and 24 bytes that were never used with it before. */
export function xsalsa20(key: Uint8Array, nonce: Uint8Array, length: number): Uint8Array {
  const own = hsalsa20(key, nonce.subarray(0, 16))
  const stream = new Uint8Array(64 * Math.ceil(length / 64))
  const input = new Uint8Array(16)
  input.set(nonce.subarray(16, 24))
  const counter = new DataView(input.buffer)
  for (let block = 0; 64 * block < length; block++) {
    counter.setBigUint64(8, BigInt(block), true)
    const before = state(own, input)
    const after = mixed(before)
    stream.set(bytesOf(Array.from(after, (word, index) => (word + before[index]!) >>> 0)), 64 * block)
  }
  return stream.subarray(0, length)
}
