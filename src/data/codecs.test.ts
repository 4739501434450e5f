import { describe, expect, it } from 'vitest'
import { decodeBytes, encodeText } from './codecs.ts'
import { repr } from './repr.ts'

describe('encodeText', () => {
  it.each([
    ['aé😀', 'utf-8', 'strict', "b'a\\xc3\\xa9\\xf0\\x9f\\x98\\x80'"],
    ['a', 'utf-16', 'strict', "b'\\xff\\xfea\\x00'"],
    ['a😀', 'utf_16_be', 'strict', "b'\\x00a\\xd8=\\xde\\x00'"],
    ['€', 'cp1252', 'strict', "b'\\x80'"],
    ['éa', 'ascii', 'replace', "b'?a'"],
    ['é😀', 'ascii', 'xmlcharrefreplace', "b'&#233;&#128512;'"],
    ['é\u1234', 'ascii', 'backslashreplace', "b'\\\\xe9\\\\u1234'"],
    ['\udc80', 'utf8', 'surrogateescape', "b'\\x80'"],
  ])('%j in %s with %s is %s', (text, encoding, errors, expected) => {
    expect(repr(encodeText(text, encoding, errors))).toBe(expected)
  })

  it.each([
    ['éàx', 'ascii', 'strict', "'ascii' codec can't encode characters in position 0-1: ordinal not in range(128)"],
    [
      '\ud800',
      'utf-8',
      'strict',
      "'utf-8' codec can't encode character '\\ud800' in position 0: surrogates not allowed",
    ],
    ['a', 'foo', 'strict', 'unknown encoding: foo'],
    ['é', 'ascii', 'foo', "unknown error handler name 'foo'"],
    ['a', 'hex', 'strict', "'hex' is not a text encoding; use codecs.encode() to handle arbitrary codecs"],
  ])('%j in %s with %s raises %s', (text, encoding, errors, message) => {
    expect(() => encodeText(text, encoding, errors)).toThrow(message)
  })
})

describe('decodeBytes', () => {
  it.each([
    ['61ff62', 'utf-8', 'replace', 'a\ufffdb'],
    ['e08061', 'utf-8', 'replace', '\ufffd\ufffda'],
    ['ff', 'ascii', 'backslashreplace', '\\xff'],
    ['fffe6100', 'utf-16', 'strict', 'a'],
    ['80', 'cp1252', 'strict', '€'],
    ['efbbbf61', 'utf-8-sig', 'strict', 'a'],
  ])('%s in %s with %s is %j', (hex, encoding, errors, expected) => {
    expect(decodeBytes(Buffer.from(hex, 'hex'), encoding, errors)).toBe(expected)
  })

  it.each([
    ['61e282', 'utf-8', "'utf-8' codec can't decode bytes in position 1-2: unexpected end of data"],
    ['ff', 'utf-8', "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"],
    ['8081', 'cp1252', "'charmap' codec can't decode byte 0x81 in position 1: character maps to <undefined>"],
    ['61', 'utf-16', "'utf-16-le' codec can't decode byte 0x61 in position 0: truncated data"],
  ])('%s in %s raises %s', (hex, encoding, message) => {
    expect(() => decodeBytes(Buffer.from(hex, 'hex'), encoding)).toThrow(message)
  })
})
