import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isLogged, jobLog, namedLog } from '../base/mod.ts'
import { dictFrom, repr, secretTexts, type Value } from '../data/mod.ts'
import { logSettings, openLog } from './logging.ts'

const HAS_LOGGER = spawnSync('logger', ['--version']).status === 0
const FORMAT = '[%(levelname)-8s] %(message)s'

let folder: string
let shown: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-log-'))
  shown = ''
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function open(options: Record<string, Value>) {
  const opts = dictFrom({ log_fmt_console: FORMAT, ...options })
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

test('no text in a message can look like a log line, and the file is not world-readable', () => {
  const file = join(folder, 'log')
  const umask = process.umask(0)
  try {
    open({ log_file: file, log_level_logfile: 'debug', log_fmt_logfile: FORMAT })(
      'error',
      'x\n[CRITICAL] forged\x1b[2J',
    )
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

test.skipIf(!existsSync('/dev/full'))('a log on a full disk says so once, and shows warnings on the console', () => {
  const log = open({ log_level: 'quiet', log_level_logfile: 'info', log_file: '/dev/full' })
  log('info', 'detail')
  log('warning', 'important')
  log('critical', 'more important')
  expect(shown.split('\n')).toEqual([
    '[WARNING ] Failed to write the log file; trying again later: ENOSPC: no space left on device, write',
    '[WARNING ] important',
    '[CRITICAL] more important',
    '',
  ])
})

describe('the format of lines', () => {
  const written = (format: string, more: Record<string, Value> = {}): string => {
    const log = open({ log_fmt_console: format, ...more })
    jobLog(namedLog(log, 'salt.loaded.int.module.cmdmod'), '20260102030405060708')('warning', 'hot')
    return shown
  }

  test.each([
    ['%(name)s %(module)s', 'salt.loaded.int.module.cmdmod cmdmod'],
    ['%(levelname)s %(levelno)d %(process)d', `WARNING 30 ${process.pid}`],
    ['%(jid)s %(message)s', '[JID: 20260102030405060708] hot'],
    ['%(bracketlevel)s%(bracketprocess)s', `[WARNING ][${String(process.pid).padStart(5)}]`],
    ['%(colorlevel)s %(colormsg)s', '\x1b[0;1;33m[WARNING ]\x1b[0;0m \x1b[0;33mhot\x1b[0;0m'],
    ['%(colorname)s', '\x1b[0;1;32m[salt.loaded.int.module.cmdmod]\x1b[0;0m'],
    ['%(colorprocess)s', `\x1b[0;1;34m[${String(process.pid).padStart(5)}]\x1b[0;0m`],
    ['100%% %(funcName)s|%(lineno)04d|%(message)6s|%(message)-5s|%(message).2s', '100% |0000|   hot|hot  |ho'],
  ])('%s is %j', (format, line) => {
    expect(written(format, { log_fmt_jid: '[JID: %(jid)s]' })).toBe(`${line}\n`)
  })

  test('has times by log_datefmt and milliseconds', () => {
    expect(written('%(asctime)s,%(msecs)03d', { log_datefmt: '%Y/%m/%d T%H' })).toMatch(
      /^\d{4}\/\d\d\/\d\d T\d\d,\d{3}\n$/,
    )
    shown = ''
    expect(written('%(asctime)s', { log_datefmt: '%Y', log_datefmt_console: 'at %y' })).toMatch(/^at \d\d\n$/)
  })

  test('of a file has its own times, and by default the name of the component and no line number', () => {
    const file = join(folder, 'log')
    const log = open({ log_file: file, log_datefmt_logfile: '%Y' })
    namedLog(log, 'salt.crypt')('error', 'x')
    expect(readFileSync(file, 'utf8')).toMatch(/^\d{4},\d{3} \[salt\.crypt {7}\]\[ERROR {3}\]\[\d+\] x\n$/)
  })

  test('is one JSON object per line with log_fmt_json, for any text', () => {
    const file = join(folder, 'log')
    const log = open({ log_fmt_json: true, log_file: file, output: 'yaml' })
    const text = 'a\n"b"\u2028\x85\x1b\ud800'
    jobLog(namedLog(log, 'salt.state'), '20260102030405060708')('error', text)
    log('warning', 'plain')
    for (const lines of [shown, readFileSync(file, 'utf8')].map((all) => all.split(/[\n\x85\u2028]/))) {
      expect(lines).toHaveLength(3)
      const [first, second] = lines.slice(0, 2).map((line) => JSON.parse(line) as Record<string, unknown>)
      expect(first).toMatchObject({ level: 'error', name: 'salt.state', pid: process.pid, jid: '20260102030405060708' })
      expect(first!['message']).toBe(text)
      expect(first!['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(Object.keys(second!)).toEqual(['time', 'level', 'name', 'pid', 'message'])
    }
  })
})

describe('levels', () => {
  test('of components count besides that of the console, the longest name first', () => {
    const levels = new Map<Value, Value>([
      ['salt', 'error'],
      ['salt.modules', 'debug'],
      ['salt.loaded.int.module.file', 40],
      ['salt.crypt', 'trace'],
    ])
    const log = open({ log_level: 'info', log_granular_levels: levels, log_fmt_console: '%(name)s %(levelname)s' })
    const names = ['salt.minion', 'salt.crypt', 'salt.loaded.int.module.cmdmod', 'salt.loaded.int.module.file', 'other']
    for (const name of names) for (const level of ['debug', 'info', 'error'] as const) namedLog(log, name)(level, '')
    expect(shown.trim().split('\n')).toEqual([
      'salt.minion ERROR',
      'salt.crypt INFO',
      'salt.crypt ERROR',
      'salt.loaded.int.module.cmdmod INFO',
      'salt.loaded.int.module.cmdmod ERROR',
      'salt.loaded.int.module.file ERROR',
      'other INFO',
      'other ERROR',
    ])
  })

  test('are visible to code that wants to skip expensive messages', () => {
    const log = open({ log_level: 'info', log_granular_levels: new Map([['salt.crypt', 'error']]) })
    expect([isLogged(log, 'debug'), isLogged(log, 'info')]).toEqual([false, true])
    expect(isLogged(namedLog(log, 'salt.crypt'), 'warning')).toBe(false)
  })

  test('may be numbers, and `quiet` writes no file', () => {
    const file = join(folder, 'log')
    const log = open({ log_level: 10, log_level_logfile: 'quiet', log_file: file })
    log('debug', 'x')
    log('critical', 'y')
    expect(shown).toBe('[DEBUG   ] x\n[CRITICAL] y\n')
    expect(existsSync(file)).toBe(false)
  })
})

test('a detailed log masks pillar values in all lines, in every quoting', () => {
  const pillar = new Map<Value, Value>([
    [
      'db',
      new Map<Value, Value>([
        ['password', 'hunter2!'],
        ['pin', 1234567],
      ]),
    ],
    ['keys', ['-----BEGIN-----\nsecond line\n']],
    ['short', 'ab'],
    ['odd', 'qu"ot\'e\\d'],
    ['api_key', 'abcd'],
  ])
  const log = open({ log_level: 'trace' })
  log.hide?.(secretTexts(pillar))
  log('debug', 'a=hunter2!&b=hunter2! second line 1234567 ab abcd hunter')
  namedLog(log, 'salt.state')('trace', 'hunter2!')
  log('info', `diff +hunter2! ${JSON.stringify('qu"ot\'e\\d')} ${repr('qu"ot\'e\\d')}`)
  expect(shown).toBe(
    '[DEBUG   ] a=**********&b=********** ********** ********** ab ********** hunter\n[TRACE   ] **********\n[INFO    ] diff +********** "**********" \'**********\'\n',
  )
  shown = ''
  const plain = open({ log_level: 'info' })
  plain.hide?.(secretTexts(pillar))
  plain('info', 'as Salt shows it: hunter2!')
  expect(shown).toBe('[INFO    ] as Salt shows it: hunter2!\n')
})

describe('a system log', () => {
  test('gets each line by UDP with facility and level', async () => {
    const server = createSocket('udp4').bind(0, '127.0.0.1')
    await once(server, 'listening')
    const log = open({
      log_level: 'quiet',
      log_level_logfile: 'debug',
      log_file: `udp://127.0.0.1:${server.address().port}/LOG_DAEMON`,
      log_fmt_logfile: FORMAT,
    })
    const arrived = once(server, 'message')
    log('error', 'over there')
    expect(String((await arrived)[0])).toBe('<27>[ERROR   ] over there')
    log.reopen?.()
    server.close()
  })

  test('gets one message on each line by TCP', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const log = open({
      log_level: 'quiet',
      log_level_logfile: 'debug',
      log_file: `tcp://127.0.0.1:${port}`,
      log_fmt_logfile: FORMAT,
    })
    const connected = once(server, 'connection')
    log('warning', 'one\n two')
    log('debug', 'three')
    const [socket] = await connected
    let got = ''
    for await (const piece of socket) {
      got += String(piece)
      if (got.split('\n').length === 3) break
    }
    expect(got).toBe('<12>[WARNING ] one\\n two\n<15>[DEBUG   ] three\n')
    log.reopen?.()
    server.close()
  })

  test.skipIf(!HAS_LOGGER)('of this machine gets lines through the program logger', async () => {
    const socket = join(folder, 'syslog')
    const server = createServer().listen(socket)
    await once(server, 'listening')
    const log = open({ log_level: 'quiet', log_level_logfile: 'info', log_file: `file://${socket}/LOG_LOCAL1` })
    const connected = once(server, 'connection')
    log('error', 'to the socket')
    const [stream] = await connected
    const [piece] = await once(stream, 'data')
    expect(String(piece)).toMatch(/^<139>.*salt: .*\[ERROR {3}\]\[\d+\] to the socket/)
    log.reopen?.()
    stream.destroy()
    server.close()
  })

  test('that cannot be reached is reported once, and warnings reach the console', async () => {
    const log = open({ log_level: 'quiet', log_level_logfile: 'debug', log_file: 'tcp://127.0.0.1:1' })
    log('warning', 'kept')
    while (!shown.includes('Cannot write to the system log tcp://127.0.0.1:1')) await new Promise(setImmediate)
    log('warning', 'not lost')
    expect(shown.match(/Cannot write/g)).toHaveLength(1)
    expect(shown).toContain('not lost')
  })
})
