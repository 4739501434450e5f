import { describe, expect, test } from 'vitest'
import { repr, type Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import hashutil from './module.ts'

describe('hashutil', () => {
  test.each<[string, Value[], string]>([
    ['base64_b64encode', ['x'], "'eA=='"],
    ['base64_b64decode', ['aGk='], "'hi'"],
    ['base64_b64decode', ['aG k='], "'hi'"],
    ['base64_b64decode', ['/w=='], "b'\\xff'"],
    ['base64_encodestring', ['x'.repeat(80)], `'${`${'eHh4'.repeat(19)}\\n${'eHh4'.repeat(7)}eHg=\\n`}'`],
    ['digest', ['get salted'], "'2aacf29e92feaf528fb738bcf9d647ac'"],
    ['md5_digest', ['get salted'], "'2aacf29e92feaf528fb738bcf9d647ac'"],
    [
      'hmac_compute',
      ['get salted', 'shared secret'],
      "'78159ff5bb2d5e0f8d88fe403b0a690791ccbd989830fcc433d5b960c9bf0264'",
    ],
    ['hmac_signature', ['get salted', 'shared secret', 'eBWf9bstXg+NiP5AOwppB5HMvZiYMPzEM9W5YMm/AmQ='], 'True'],
    ['hmac_signature', ['get salted', 'shared secret', 'no'], 'False'],
  ])('.%s%j', async (name, args, wanted) => {
    expect(repr(await tryFunction(hashutil, name, { args }))).toBe(wanted)
  })

  test.each<[string, Value[], string]>([
    ['base64_b64decode', ['aGk'], 'Incorrect padding'],
    ['base64_b64decode', ['a'], 'number of data characters (1) cannot be 1 more than a multiple of 4'],
    ['md5_digest', [5], "expected str, bytes, or bytearray not <class 'int'>"],
    ['digest', ['x', 'crc'], "Hash func 'crc' is not supported."],
  ])('.%s%j fails', async (name, args, message) => {
    await expect(tryFunction(hashutil, name, { args })).rejects.toThrow(message)
  })
})
