import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeMsgpack } from '../data/mod.ts'
import {
  decodeEvent,
  EventFrames,
  encodeEvent,
  eventTag,
  frameBody,
  frameEvent,
  frameFiredEvent,
  framePacked,
} from './event-frame.ts'

describe('EventFrames', () => {
  const bodies = ['a/b', 'salt/job/1/ret/m1', 'x'.repeat(300)].map((tag, n) =>
    encodeEvent(tag, { n, data: 'ü'.repeat(n) }),
  )

  it.each([
    ['without lengths', frameBody],
    ['with lengths in front', frameFiredEvent],
  ])('gives the bodies of frames %s, wherever the stream is cut', (_name, frame) => {
    const stream = Buffer.concat(bodies.map(frame))
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 8 }), (cuts) => {
        const frames = new EventFrames()
        const ends = [...cuts.sort((a, b) => a - b), stream.length]
        let from = 0
        const got: string[] = []
        for (const end of ends) {
          got.push(...frames.push(stream.subarray(from, end)).map((body) => eventTag(body)))
          from = end
        }
        expect(got).toEqual(bodies.map(eventTag))
      }),
    )
  })

  it('refuses a frame of many values', () => {
    const frame = Buffer.from(encodeMsgpack({ head: { x: Array(2000).fill(1) }, body: bodies[0] }, 'bus'))
    const length = Buffer.from([0, 0, frame.length >> 8, frame.length & 255])
    for (const stream of [frame, Buffer.concat([length, frame])])
      expect(() => new EventFrames().push(stream)).toThrow('values allowed')
  })

  it('refuses a length beyond the limit before it comes', () => {
    expect(() => new EventFrames(1000).push(Buffer.from([0, 1, 0, 0]))).toThrow('Refused an event of 65536 bytes')
  })
})

describe('decodeEvent', () => {
  it('gives tag and data, whatever the data holds', () => {
    const { tag, data } = decodeEvent(encodeEvent('a/b', { text: '\n\n', bytes: Buffer.from([255]) }))
    expect(tag).toBe('a/b')
    expect(data.get('text')).toBe('\n\n')
    expect(data.get('bytes')).toEqual(Uint8Array.of(255))
  })

  it('refuses what is no event', () => {
    expect(() => decodeEvent(Buffer.from('no end'))).toThrow('An event has no end of its tag')
    expect(() => decodeEvent(Buffer.from('a\n\n\x01'))).toThrow('no mapping')
  })
})

describe('framePacked and frameEvent', () => {
  it.each([0, 1, 200, 256, 300, 65_000, 70_000])(
    'make the frame that would be made of the event, with %i letters',
    (size) => {
      const data = { text: 'x'.repeat(size) }
      const packed = encodeMsgpack(data, 'bus')
      const frame = frameBody(encodeEvent('a/ü', data))
      expect(framePacked('a/ü', packed)).toEqual(frame)
      expect(frameEvent('a/ü', data)).toEqual({ frame, packed })
    },
  )
})
