// Python's `random.Random(seed)`: the Mersenne Twister with CPython's seeding, so that a seed gives the same choice,
// sample and shuffle as in Salt.
import { createHash } from 'node:crypto'
import { bitLength } from './power.ts'

const SIZE = 624
const MIDDLE = 397

export class PyRandom {
  private readonly state = new Uint32Array(SIZE)
  private index = SIZE

  /** Seeds with an int (its size, not its sign, counts) or text. */
  constructor(seed: number | bigint | string | Uint8Array) {
    this.seed(seed)
  }

  seed(seed: number | bigint | string | Uint8Array): void {
    const n = typeof seed === 'number' || typeof seed === 'bigint' ? BigInt(seed) : textSeed(seed)
    this.seedByWords(words(n < 0n ? -n : n))
  }

  private seedByNumber(seed: number): void {
    const { state } = this
    state[0] = seed
    for (let i = 1; i < SIZE; i++) {
      const before = state[i - 1]! ^ (state[i - 1]! >>> 30)
      state[i] = Math.imul(before, 1812433253) + i
    }
    this.index = SIZE
  }

  private seedByWords(key: number[]): void {
    const { state } = this
    this.seedByNumber(19650218)
    let i = 1
    const advance = (): void => {
      if (++i >= SIZE) {
        state[0] = state[SIZE - 1]!
        i = 1
      }
    }
    const mixed = (factor: number): number => {
      const before = state[i - 1]! ^ (state[i - 1]! >>> 30)
      return state[i]! ^ Math.imul(before, factor)
    }
    for (let k = 0, j = 0; k < Math.max(SIZE, key.length); k++) {
      state[i] = mixed(1664525) + key[j]! + j
      advance()
      j = j + 1 >= key.length ? 0 : j + 1
    }
    for (let k = 0; k < SIZE - 1; k++) {
      state[i] = mixed(1566083941) - i
      advance()
    }
    state[0] = 0x80000000
  }

  private refill(): void {
    const { state } = this
    for (let i = 0; i < SIZE; i++) {
      const y = (state[i]! & 0x80000000) | (state[(i + 1) % SIZE]! & 0x7fffffff)
      state[i] = state[(i + MIDDLE) % SIZE]! ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
    }
    this.index = 0
  }

  /** 32 random bits. */
  private word(): number {
    if (this.index >= SIZE) this.refill()
    let y = this.state[this.index++]!
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return (y ^ (y >>> 18)) >>> 0
  }

  /** A float from 0 up to 1. */
  random(): number {
    const a = this.word() >>> 5
    const b = this.word() >>> 6
    return (a * 67108864 + b) / 9007199254740992
  }

  getrandbits(count: number): bigint {
    if (count <= 32) return count === 0 ? 0n : BigInt(this.word() >>> (32 - count))
    let result = 0n
    for (let have = 0, left = count; left > 0; have += 32, left -= 32) {
      const part = left < 32 ? this.word() >>> (32 - left) : this.word()
      result |= BigInt(part) << BigInt(have)
    }
    return result
  }

  /** An int from 0 up to `n`, evenly. */
  below(n: number): number {
    return Number(this.bigBelow(BigInt(n)))
  }

  private bigBelow(n: bigint): bigint {
    if (n <= 0n) return 0n
    const bits = bitLength(n)
    let result = this.getrandbits(bits)
    while (result >= n) result = this.getrandbits(bits)
    return result
  }

  /** Return an int from `start` up to `stop`, in steps; the caller ensures that the range is not empty. */
  randrange(start: bigint, stop: bigint, step = 1n): bigint {
    const width = stop - start
    const count = step > 0n ? (width + step - 1n) / step : (width + step + 1n) / step
    return start + step * this.bigBelow(count)
  }

  /** An int from `low` to `high`, both included. */
  randint(low: bigint, high: bigint): bigint {
    return this.randrange(low, high + 1n)
  }

  choice<T>(items: ArrayLike<T>): T {
    return items[this.below(items.length)]!
  }

  /** Shuffles the array itself. */
  shuffle<T>(items: T[]): void {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const moved = items[i]!
      items[i] = items[j]!
      items[j] = moved
    }
  }

  /** Return `count` items at different positions; the caller ensures that there are enough. */
  sample<T>(items: ArrayLike<T>, count: number): T[] {
    const n = items.length
    // for few items, remember the chosen positions; for many, draw from a shrinking pool
    let setSize = 21
    if (count > 5) setSize += 4 ** Math.ceil(Math.log(count * 3) / Math.log(4))
    return n <= setSize ? this.sampleFromPool(items, count) : this.sampleBySet(items, count)
  }

  private sampleFromPool<T>(items: ArrayLike<T>, count: number): T[] {
    const pool = Array.from(items)
    return Array.from({ length: count }, (_, i) => {
      const j = this.below(pool.length - i)
      const picked = pool[j]!
      pool[j] = pool[pool.length - i - 1]!
      return picked
    })
  }

  private sampleBySet<T>(items: ArrayLike<T>, count: number): T[] {
    const chosen = new Set<number>()
    return Array.from({ length: count }, () => {
      let j = this.below(items.length)
      while (chosen.has(j)) j = this.below(items.length)
      chosen.add(j)
      return items[j]!
    })
  }
}

/** Return the seed for a text: its bytes followed by their SHA-512, as one number. */
function textSeed(seed: string | Uint8Array): bigint {
  const bytes = Buffer.from(seed as string)
  const hash = createHash('sha512').update(bytes).digest()
  return BigInt(`0x${Buffer.concat([bytes, hash]).toString('hex')}`)
}

/** A number in 32-bit words, the lowest first. */
function words(n: bigint): number[] {
  const parts: number[] = []
  for (let rest = n; rest > 0n; rest >>= 32n) parts.push(Number(rest & 0xffffffffn))
  return parts.length === 0 ? [0] : parts
}
