// Records of creations: which process owns them after the writer has ended.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack } from '../data/mod.ts'
import { Records } from './record.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-records-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const PROVIDER = { alias: 'a', driver: 'd' }

test('A record of an earlier process with the number of this one is abandoned, as in a container', () => {
  new Records(folder, silentLog).begin('web1', PROVIDER)
  expect(new Records(folder, silentLog).abandoned()).toEqual([])
  const [name] = readdirSync(join(folder, 'creating'))
  const path = join(folder, 'creating', name!)
  const stored = decodeMsgpack(readFileSync(path), { dialect: 'bus' }) as Dict
  writeFileSync(path, encodeMsgpack(stored.set('process', `${process.pid}:1`), 'bus'))
  expect(new Records(folder, silentLog).abandoned()).toHaveLength(1)
})

test('A creation that a process could not undo is taken up again while the process lives', () => {
  const records = new Records(folder, silentLog)
  records.begin('web1', PROVIDER).abandon()
  const [record] = records.abandoned()
  expect(record!.takeOver()).toBe(true)
  expect(records.abandoned()).toEqual([])
  record!.remove()
  records.begin('web1', PROVIDER).remove()
})
