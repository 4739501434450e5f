// The configuration of syslog-ng from data, and the results of its programs.
import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import { configText } from './module/text.ts'
import syslogNg from './module.ts'

test.each([
  [
    'source.s_tcp',
    [{ tcp: [{ ip: '127.0.0.1' }, { port: 1233 }] }],
    'source s_tcp {\n    tcp(\n        ip(\n            127.0.0.1\n        ),\n        port(\n            1233\n        )\n    );\n};\n',
  ],
  ['o', { options: [{ 'time-reap': 30 }] }, 'options {\n    time-reap(\n        30\n    );\n};\n'],
  ['c', { config: '@include "scl.conf"' }, '@include "scl.conf"\n'],
  [
    'l',
    { log: [{ source: 's' }, { junction: [{ channel: [{ filter: 'f' }] }] }] },
    'log {\n    source(\n        s\n    );\n    junction {\n        channel {\n            filter(\n                f\n            );\n        };\n    };\n};\n',
  ],
])('%s of %j is written as syslog-ng reads it', (name, data, text) => {
  expect(configText(name, fromPlain(data as never))).toBe(text)
})

test('a part of the configuration is added to the file, and only predicted in a dry run', async () => {
  const host = await MemoryHost.with({ files: { '/etc/syslog-ng.conf': '' } })
  const args: Value[] = ['c', fromPlain({ config: '# note' })]
  const dry = await tryFunction(syslogNg, 'config', { args, host, opts: new Map([['test', true]]) })
  expect(toPlain(dry)).toMatchObject({
    result: null,
    comment: "State syslog_ng will write '# note\n' into /etc/syslog-ng.conf",
  })
  expect(toPlain(await tryFunction(syslogNg, 'config', { args, host }))).toMatchObject({
    result: true,
    changes: { new: '# note\n', old: '' },
  })
  expect(Buffer.from(await host.read('/etc/syslog-ng.conf')).toString()).toBe('# note\n\n\n')
})

test.each([
  ['version', { retcode: 0, stdout: '3.38.1' }],
  ['modules', { retcode: 0, stdout: 'a,b' }],
])('syslog_ng.%s parses the output of the program', async (fun, wanted) => {
  const told = { retcode: 0, stdout: 'syslog-ng 3.38.1\nAvailable-Modules: a,b\n', stderr: '' }
  expect(toPlain(await tryFunction(syslogNg, fun, { others: { 'cmd.run_all': () => fromPlain(told) } }))).toEqual(
    wanted,
  )
})

test('syslog_ng.stop fails where nothing runs', async () => {
  const others = { 'ps.pgrep': () => null }
  expect(toPlain(await tryFunction(syslogNg, 'stop', { others }))).toMatchObject({
    result: false,
    comment: 'Syslog-ng is not running',
  })
})

test('syslog_ng.stop fails where the program ends before the signal', async () => {
  const others = { 'ps.pgrep': () => [12], 'ps.pkill': () => null }
  expect(toPlain(await tryFunction(syslogNg, 'stop', { others }))).toMatchObject({ result: false })
})
