import { expect, it } from 'vitest'
import { readPax, readTarHead, TAR_BLOCK, tarHead, tarPadding } from './tar.ts'

it('A header is read as it was written', () => {
  const entry = { path: 'etc/salt/master', kind: 'file', size: 1234, mode: 0o640, mtime: 1_700_000_000 } as const
  expect(readTarHead(tarHead(entry))).toMatchObject({ ...entry, type: '0' })
  expect(readTarHead(Buffer.alloc(TAR_BLOCK))).toBeUndefined()
  expect([tarPadding(0), tarPadding(1), tarPadding(512)]).toEqual([0, 511, 0])
})

it('A long path and a large size are in a pax record in front of the header', () => {
  const path = `${'long/'.repeat(40)}ä`
  const bytes = tarHead({ path, kind: 'file', size: 2 ** 40, mode: 0o600, mtime: 0 })
  const pax = readTarHead(bytes.subarray(0, TAR_BLOCK))!
  expect(pax.kind).toBe('pax')
  const records = readPax(bytes.subarray(TAR_BLOCK, TAR_BLOCK + pax.size))
  expect([records.get('path'), records.get('size')]).toEqual([path, String(2 ** 40)])
})

it('A damaged header or record is refused', () => {
  const bytes = tarHead({ path: 'x', kind: 'file', size: 0, mode: 0o600, mtime: 0 })
  bytes[0] = 0x79
  expect(() => readTarHead(bytes)).toThrow('is damaged')
  expect(() => readPax(Buffer.from('99 path=x\n'))).toThrow('is damaged')
})
