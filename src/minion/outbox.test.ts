import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { type Storing, storageError } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { ReturnOutbox } from './outbox.ts'

const directory = mkdtempSync(join(tmpdir(), 'brine-outbox-'))
afterAll(() => rmSync(directory, { recursive: true }))

function deep(levels: number): Value {
  let value: Value = 1
  for (let i = 0; i < levels; i++) value = [value]
  return value
}

it.each<[string, unknown, string]>([
  ['is no value', () => 1, "can not serialize 'function' object"],
  ['nests too deep', deep(600), 'Cannot write data nested deeper than 511 levels'],
])('A return that %s is sent as the reason, once', async (_what, returned, reason) => {
  const sent: Dict[] = []
  const lines: string[] = []
  const outbox = new ReturnOutbox({
    directory,
    send: async (load) => void sent.push(load),
    delay: () => 0,
    log: (level, text) => void lines.push(`${level}: ${text}`),
  })
  const load = new Map<Value, Value>([
    ['fun', 'test.arg'],
    ['jid', '20300101000000000001'],
    ['return', returned as Value],
    ['retcode', 0],
  ])
  await outbox.post(load)
  expect(sent).toHaveLength(1)
  expect(sent[0]!.get('return')).toBe(`The return of test.arg cannot be sent: ${reason}`)
  expect([sent[0]!.get('success'), sent[0]!.get('retcode')]).toEqual([false, 1])
  expect(lines).toEqual([`error: The return of test.arg cannot be sent: ${reason} (job 20300101000000000001)`])
  expect(readdirSync(directory)).toEqual([])
})

it('A return that the disk does not take is sent from memory, and one whose file stays is sent once', async () => {
  const sent: unknown[] = []
  const full: Storing = (path) => {
    throw storageError(Object.assign(new Error('EROFS'), { code: 'EROFS' }), path)
  }
  const lines: string[] = []
  const outbox = new ReturnOutbox({
    directory,
    send: async (load) => void sent.push(load.get('jid')),
    delay: () => 0,
    log: (level, text) => void lines.push(`${level}: ${text}`),
    storing: full,
  })
  await outbox.post(new Map([['jid', '20300101000000000002']]))
  expect([sent, outbox.unsent]).toEqual([['20300101000000000002'], []])
  expect(lines.at(-1)).toMatch(/^error: A return that was sent stays on disk: .*the file system is read-only$/)
  await outbox.close()
})
