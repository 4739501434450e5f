// The data types of the SSH protocol (RFC 4251, section 5), read from and written to bytes.

export type Bytes = Uint8Array

/** Bytes that violate their format. The loaders of keys and certificates convert it to their own error. */
export class Malformed extends Error {}

export class WireReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Bytes) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  /** The number of bytes that were read. */
  get position(): number {
    return this.#at
  }

  take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new Malformed('The data ends too early')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  uint32(): number {
    return this.take(4).readUInt32BE()
  }

  uint64(): bigint {
    return this.take(8).readBigUInt64BE()
  }

  string(): Buffer {
    return this.take(this.uint32())
  }

  text(): string {
    return this.string().toString()
  }

  /** All strings up to the end. */
  strings(): Buffer[] {
    const found: Buffer[] = []
    while (!this.isAtEnd) found.push(this.string())
    return found
  }

  end(): void {
    if (!this.isAtEnd) throw new Malformed('There is data after the end')
  }
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

export function string(value: Bytes | string): Buffer {
  const bytes = Buffer.from(value as Uint8Array)
  return Buffer.concat([uint32(bytes.length), bytes])
}

/** A positive number, from its bytes with the highest first; without leading zeros, and with one if it would be negative. */
export function mpint(value: Bytes): Buffer {
  const first = value.findIndex((byte) => byte !== 0)
  const digits = first < 0 ? Buffer.alloc(0) : Buffer.from(value.subarray(first))
  return string(digits.length > 0 && digits[0]! >= 0x80 ? Buffer.concat([Buffer.alloc(1), digits]) : digits)
}

/** The bytes of a positive number, in a fixed length if given. */
export function unsigned(value: Bytes, length?: number): Buffer {
  if (value.length > 0 && value[0]! >= 0x80) throw new Malformed('The number is negative')
  const first = value.findIndex((byte) => byte !== 0)
  const digits = Buffer.from(first < 0 ? new Uint8Array() : value.subarray(first))
  if (length === undefined) return digits
  if (digits.length > length) throw new Malformed('The number is too large')
  return Buffer.concat([Buffer.alloc(length - digits.length), digits])
}
