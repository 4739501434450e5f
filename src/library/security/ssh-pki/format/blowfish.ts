// The cipher Blowfish with the expensive key schedule of bcrypt, for the passphrases of OpenSSH's private keys. OpenSSL no
// longer offers it by default.

const BOXES = 4 * 256
const ROUND_KEYS = 18

/** The first 32-bit words of pi's fraction, the initial state of Blowfish. */
function digitsOfPi(words: number): Uint32Array {
  const guard = 64n
  const one = 1n << (BigInt(words * 32) + guard)
  const arctanOfInverse = (x: bigint): bigint => {
    let power = one / x
    let sum = power
    for (let n = 3n, sign = -1n; power > 0n; n += 2n, sign = -sign) {
      power /= x * x
      sum += (sign * power) / n
    }
    return sum
  }
  // Machin's formula; the 3 before the point is taken off.
  const fraction = (4n * (4n * arctanOfInverse(5n) - arctanOfInverse(239n)) - 3n * one) >> guard
  const digits = fraction.toString(16).padStart(words * 8, '0')
  return Uint32Array.from({ length: words }, (_, index) => Number.parseInt(digits.slice(index * 8, index * 8 + 8), 16))
}

let initial: Uint32Array | undefined

export class Blowfish {
  readonly #keys: Uint32Array
  readonly #boxes: Uint32Array

  constructor() {
    initial ??= digitsOfPi(ROUND_KEYS + BOXES)
    this.#keys = initial.slice(0, ROUND_KEYS)
    this.#boxes = initial.slice(ROUND_KEYS)
  }

  /** Encrypt two words in place. */
  encrypt(words: Uint32Array, at: number): void {
    const keys = this.#keys
    const boxes = this.#boxes
    let left = words[at]!
    let right = words[at + 1]!
    for (let round = 0; round < 16; round += 2) {
      left ^= keys[round]!
      right ^=
        ((boxes[left >>> 24]! + boxes[256 + ((left >>> 16) & 255)]!) ^ boxes[512 + ((left >>> 8) & 255)]!) +
        boxes[768 + (left & 255)]!
      right ^= keys[round + 1]!
      left ^=
        ((boxes[right >>> 24]! + boxes[256 + ((right >>> 16) & 255)]!) ^ boxes[512 + ((right >>> 8) & 255)]!) +
        boxes[768 + (right & 255)]!
    }
    words[at] = right ^ keys[17]!
    words[at + 1] = left ^ keys[16]!
  }

  /** Mix a key into the state; with a salt also that. Both are 16 words. */
  expand(key: Uint32Array, salt?: Uint32Array): void {
    for (let index = 0; index < ROUND_KEYS; index++) this.#keys[index]! ^= key[index % key.length]!
    const block = new Uint32Array(2)
    let at = 0
    for (const table of [this.#keys, this.#boxes]) {
      for (let index = 0; index < table.length; index += 2) {
        if (salt !== undefined) {
          block[0]! ^= salt[at % salt.length]!
          block[1]! ^= salt[(at + 1) % salt.length]!
          at += 2
        }
        this.encrypt(block, 0)
        table[index] = block[0]!
        table[index + 1] = block[1]!
      }
    }
  }
}
