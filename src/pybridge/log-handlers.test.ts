import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../test/until.ts'
import type { LogLevel } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { LogHandlers } from './mod.ts'

let folder: string
let logged: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-log-handlers-'))
  mkdirSync(join(folder, 'log_handlers'))
  logged = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string): void => writeFileSync(join(folder, 'log_handlers', name), text)

const open = (more: Array<[string, Value]> = []): LogHandlers => {
  const opts: Dict = new Map<Value, Value>([['extension_modules', folder], ...more])
  return LogHandlers.open(opts, (level, text) => void logged.push(`${level}: ${text}`))!
}

const line = (text: string, level: LogLevel = 'warning') => ({
  level,
  text,
  name: 'salt.minion',
  jid: '',
  time: 1000.5,
})

const FILE = (path: string): string => `
import logging

def setup_handlers():
    handler = logging.FileHandler(${JSON.stringify(path)})
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(created)s %(message)s"))
    handler.setLevel(logging.WARNING)
    return [handler, False]
`

test('Handlers get the lines that reach their level, and what waits at the end', async () => {
  const path = join(folder, 'lines')
  write('file.py', FILE(path))
  const handlers = open()
  handlers.take(line('quiet', 'info'))
  handlers.take(line('loud {} %s', 'error'))
  await handlers.close()
  expect(readFileSync(path, 'utf8')).toBe('ERROR salt.minion 1.0005 loud {} %s\n')
})

test('A handler that fails is named in the log, and the others get the lines', async () => {
  const path = join(folder, 'lines')
  write('file.py', FILE(path))
  write(
    'bad.py',
    'import logging\nclass Bad(logging.Handler):\n    def emit(self, record):\n        try:\n            1 / 0\n        except Exception:\n            self.handleError(record)\ndef setup_handlers():\n    return Bad()\n',
  )
  write('worse.py', 'def setup_handlers():\n    raise ValueError("no server")\n')
  const handlers = open()
  handlers.take(line('loud'))
  await handlers.close()
  expect(readFileSync(path, 'utf8')).toContain('loud')
  expect(logged).toEqual([
    'warning: Log handler worse failed: ValueError: no server',
    'warning: Log handler bad failed: ZeroDivisionError: division by zero',
  ])
})

test('Lines about the handlers do not reach the handlers', async () => {
  const path = join(folder, 'lines')
  write('file.py', FILE(path))
  write(
    'loop.py',
    'import logging\nlog = logging.getLogger(__name__)\nclass Loop(logging.Handler):\n    def emit(self, record):\n        log.warning("again")\ndef setup_handlers():\n    return Loop()\n',
  )
  const opts: Dict = new Map([['extension_modules', folder]])
  const handlers: LogHandlers = LogHandlers.open(opts, (level, text) => {
    logged.push(text)
    handlers.take(line(text, level))
  })!
  handlers.take(line('first'))
  await handlers.close()
  expect(logged.filter((text) => text.includes('again'))).toHaveLength(1)
  expect(readFileSync(path, 'utf8')).not.toContain('again')
})

test('A handler that hangs costs its lines and a line of the log', async () => {
  write(
    'hang.py',
    'import logging, time\nclass Hang(logging.Handler):\n    def emit(self, record):\n        time.sleep(600)\ndef setup_handlers():\n    return Hang()\n',
  )
  const handlers = open([['python_call_timeout', 1]])
  handlers.take(line('lost'))
  await until('the line of the log', () => logged.some((text) => text.includes('did not take 1 lines')))
  handlers.take(line('after'))
  await handlers.close()
})

test('Without handlers there is nothing', () => {
  expect(existsSync(folder)).toBe(true)
  expect(open()).toBeUndefined()
})
