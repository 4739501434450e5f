import { describe, expect, it } from 'vitest'
import { encodeMsgpack } from './encode.ts'

describe('memory of a message', () => {
  it.each(['x', 'ß', '€', '🧂'])('is about as large as the message, for a long text of %s', (letter) => {
    const message = encodeMsgpack(letter.repeat(1 << 20), 'wire')
    expect(message.buffer.byteLength).toBeLessThan(message.length + (1 << 18))
  })

  it('is not shared by a short message that comes after a long one', () => {
    encodeMsgpack('x'.repeat(1 << 20), 'wire')
    expect(encodeMsgpack('short', 'wire').buffer.byteLength).toBeLessThan(1 << 19)
  })
})
