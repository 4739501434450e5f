import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogFile } from './log-file.ts'

let folder: string
let path: string
let time: number
let problems: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-log-file-'))
  path = join(folder, 'log')
  time = 1_000_000
  problems = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (more: { maxBytes?: number; backups?: number; path?: string } = {}): LogFile =>
  new LogFile({ path, onTrouble: (problem) => problems.push(problem), now: () => time, ...more })

const note = (text: string): string => `note: ${text}\n`
const read = (name = 'log'): string => readFileSync(join(folder, name), 'utf8')

test('a log file that was renamed is followed by its name within a second', () => {
  const file = open()
  file.write('a\n', note)
  renameSync(path, `${path}.1`)
  time += 1000
  file.write('b\n', note)
  expect([read('log.1'), read()]).toEqual(['a\n', 'b\n'])
})

test('a log file that was replaced or removed with its folder is reopened', () => {
  const file = open({ path: join(folder, 'logs/log') })
  file.write('a\n', note)
  rmSync(join(folder, 'logs'), { recursive: true })
  time += 1000
  file.write('b\n', note)
  expect(read('logs/log')).toBe('b\n')
})

test('a log file is opened again on request', () => {
  const file = open()
  file.write('a\n', note)
  renameSync(path, `${path}.1`)
  file.reopen()
  file.write('b\n', note)
  expect(read()).toBe('b\n')
})

test('an unwritable log file is reported once, retried, and the lost lines are reported', () => {
  const blocked = join(folder, 'plain')
  writeFileSync(blocked, '')
  const file = open({ path: join(blocked, 'log') })
  expect([file.write('a\n', note), file.write('b\n', note)]).toEqual([false, false])
  time += 1000
  expect(file.write('c\n', note)).toBe(false)
  expect(problems).toEqual([expect.stringMatching(/^Failed to write the log file; trying again later: E/)])
  rmSync(blocked)
  mkdirSync(blocked)
  time += 1000
  expect(file.write('d\n', note)).toBe(true)
  expect(read('plain/log')).toBe('note: 3 lines are missing: the log file could not be written\nd\n')
})

test('a log file is rotated at its size, and as many are kept as are wanted', () => {
  const file = open({ maxBytes: 10, backups: 2 })
  for (const line of ['one 1\n', 'two 2\n', 'three 3\n', 'four 4\n']) file.write(line, note)
  expect([read(), read('log.1'), read('log.2')]).toEqual(['four 4\n', 'three 3\n', 'two 2\n'])
  expect(existsSync(join(folder, 'log.3'))).toBe(false)
})

test('a log file that another program has rotated is not rotated again', () => {
  const file = open({ maxBytes: 10, backups: 2 })
  file.write('one one 1\n', note)
  renameSync(path, `${path}.1`)
  appendFileSync(path, 'x\n')
  file.write('two\n', note)
  expect([read(), read('log.1')]).toEqual(['x\ntwo\n', 'one one 1\n'])
})
