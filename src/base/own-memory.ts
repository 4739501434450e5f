// Bytes that are kept for a while. A short view of a large buffer keeps all of that buffer in memory, so a queue that is bounded
// by the bytes in it would hold many times as much.

/** Bytes that a view may keep in memory beyond its own. */
const SPARE = 8192

/** Return the bytes in a buffer that is not much larger than they are: the same buffer, or a copy. */
export function ownMemory(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength - bytes.length <= Math.max(SPARE, bytes.length) ? bytes : Buffer.from(bytes)
}
