import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { consoleLog } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import { checkLogging, syslogAddress } from './log-options.ts'
import { masterConfig } from './master.ts'
import { minionConfig } from './minion.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-log-options-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'minion')
let lines: string[] = []

async function configured(text: string): Promise<Dict> {
  lines = []
  writeFileSync(path, `id: m1\n${text}\n`)
  return minionConfig({ path, env: {}, log: consoleLog('warning', (line) => lines.push(line)) })
}

test.each([
  ["log_fmt_logfile: '%(mesage)s'", /there is no field 'mesage'\. Did you mean 'message'\?/],
  ["log_fmt_console: '%(message)s 100%'", /incomplete format; write a percent sign as %%/],
  ["log_fmt: 'no field'", /it has no field such as %\(message\)s/],
  ["log_fmt_console: '%(levelname)d'", /%d format: a real number is required, not str/],
  ["log_fmt_jid: '%(id)s'", /there is no field 'id'/],
  ['log_datefmt: [a]', /it must be text/],
  ['log_file: udp://host/LOG_NO', /the syslog facility 'LOG_NO' is not known/],
  ['log_file: gopher://host', /'gopher' is not known; a system log begins with file:\/\/, udp:\/\/ or tcp:\/\//],
  ['log_granular_levels: [salt]', /it must be a mapping of names to levels/],
  ['log_rotate_max_bytes: -1', /it must be a number of 0 or more/],
  ['log_fmt_json: sometimes', /it must be True or False/],
])('%s is refused with option, file and line', async (text, why) => {
  const option = text.split(':')[0]
  await expect(configured(text)).rejects.toThrow(
    new RegExp(`^Option '${option}' in ${path}, line 2 is .*${why.source}`),
  )
})

test('a level that does not exist is reported with file and line, and is `error` as in Salt', async () => {
  const opts = await configured('log_level: wraning\nlog_granular_levels: {salt.crypt: loud}')
  expect([opts.get('log_level'), opts.get('log_granular_levels')]).toEqual([
    'error',
    new Map([['salt.crypt', 'error']]),
  ])
  expect(lines).toEqual([
    `[ERROR   ] Option 'log_level' in ${path}, line 2 is 'wraning', which is no log level: using 'error'. Did you mean 'warning'?\n`,
    expect.stringContaining(`Option 'salt.crypt' in ${path}, line 3 (log_granular_levels) is 'loud'`),
  ])
})

test('log_fmt applies to console and file if these have no separate format', async () => {
  const opts = await configured("log_fmt: '%(message)s'\nlog_fmt_logfile: '%(name)s'")
  expect([opts.get('log_fmt_console'), opts.get('log_fmt_logfile')]).toEqual(['%(message)s', '%(name)s'])
})

test('log_dir does not change the address of a system log', async () => {
  const opts = await configured('log_dir: /var/log/x\nlog_file: udp://host:1')
  expect(opts.get('log_file')).toBe('udp://host:1')
})

test('a master refuses a format as well', async () => {
  writeFileSync(path, "log_fmt_console: '%(nam)s'\n")
  await expect(masterConfig({ path, env: {} })).rejects.toThrow(`Option 'log_fmt_console' in ${path}, line 1`)
})

test.each([
  ['/var/log/salt/minion', undefined],
  ['file:///dev/log', { kind: 'file', path: '/dev/log', facility: 1 }],
  ['file:///dev/log/LOG_DAEMON', { kind: 'file', path: '/dev/log', facility: 3 }],
  ['udp://loghost', { kind: 'udp', host: 'loghost', port: 514, facility: 1 }],
  ['tcp://[::1]:1514/LOG_LOCAL3', { kind: 'tcp', host: '::1', port: 1514, facility: 19 }],
])('the address of a system log %s is %j', (text, address) => {
  expect(syslogAddress(text)).toEqual(address)
})

test.each(['http://x', 'udp://x/LOG_NO', 'udp://', 'tcp://x:port'])(
  '%s of the command line is refused with the name of the option',
  (address) => {
    const check = (): void =>
      checkLogging(
        new Map([['log_file', address]]),
        new Map(),
        consoleLog('quiet', () => {}),
      )
    expect(check).toThrow(`Option 'log_file' is '${address}': `)
  },
)
