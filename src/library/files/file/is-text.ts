// The test whether a file is text, as Salt does it.
const PLAIN = new Set([...Array.from({ length: 95 }, (_, i) => i + 32), 10, 13, 9, 12, 8])

/** Return whether bytes are text: no null byte, and at most 30 % of the first 512 are not printable. */
export function isText(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, 512)
  if (start.length === 0) return true
  if (start.includes(0)) return false
  const wide = decodes(start)
  let odd = 0
  for (const byte of start) if (!PLAIN.has(byte) && !(wide && byte >= 128 && byte < 255)) odd++
  return odd / start.length <= 0.3
}

/** Return whether bytes are UTF-8; the last character may be cut off. */
function decodes(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    // any error means that the bytes are not UTF-8
    return false
  }
}
