import { expect, test } from 'vitest'
import type { Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import key from './module.ts'

const PEM = '-----BEGIN PUBLIC KEY-----\nAAAA\nBBBB\n-----END PUBLIC KEY-----\n'
const host = await MemoryHost.with({ files: { '/pki/minion.pub': PEM } })
const opts = new Map<Value, Value>([
  ['pki_dir', '/pki'],
  ['hash_type', 'md5'],
])

test.each([
  ['finger', {}, 'd1:b4:64:a1:af:85:7f:ed:c0:17:10:24:fd:95:24:a4'],
  ['finger', { hash_type: 'sha1' }, expect.stringMatching(/^([0-9a-f]{2}:){19}[0-9a-f]{2}$/)],
  ['finger_master', {}, ''],
])('key.%s %j is a hash of the lines between the first and the last', async (name, kwargs, expected) => {
  expect(await tryFunction(key, name, { host, opts, kwargs })).toEqual(expected)
})
