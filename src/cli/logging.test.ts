import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Value } from '../data/mod.ts'
import { logSettings, openLog } from './logging.ts'

let folder: string
let shown: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-log-'))
  shown = ''
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function open(options: Record<string, Value>) {
  const opts = new Map<Value, Value>(Object.entries({ log_fmt_console: '[%(levelname)-8s] %(message)s', ...options }))
  return openLog(logSettings(opts), (line) => {
    shown += line
  })
}

test('a log shows what reaches its level and writes what reaches that of the file', () => {
  const file = join(folder, 'deep/log')
  const log = open({
    log_file: file,
    log_level_logfile: 'debug',
    log_fmt_logfile: '%(levelname)s|%(message)s|%(msecs)03d',
  })
  log('debug', 'low')
  log('error', 'high')
  expect(shown).toBe('[ERROR   ] high\n')
  expect(readFileSync(file, 'utf8')).toMatch(/^DEBUG\|low\|\d{3}\nERROR\|high\|\d{3}\n$/)
})

test('a log keeps YAML on the same screen valid', () => {
  open({ output: 'yaml' })('warning', 'x')
  expect(shown).toBe('# [WARNING ] x\n')
})

test('a log has no line that a text in a message could have made, and its file is not for everybody', () => {
  const file = join(folder, 'log')
  const umask = process.umask(0)
  try {
    open({ log_file: file, log_level_logfile: 'debug' })('error', 'x\n[CRITICAL] forged\x1b[2J')
  } finally {
    process.umask(umask)
  }
  expect(shown).toBe('[ERROR   ] x\n    [CRITICAL] forged\\x1b[2J\n')
  expect(readFileSync(file, 'utf8')).toBe(shown)
  expect(statSync(file).mode & 0o777).toBe(0o640)
})

test('a log says once that its file cannot be written', () => {
  writeFileSync(join(folder, 'plain'), '')
  const log = open({ log_file: join(folder, 'plain/log') })
  log('error', 'a')
  log('error', 'b')
  expect(shown.match(/Failed to write the log file/g)).toHaveLength(1)
})
