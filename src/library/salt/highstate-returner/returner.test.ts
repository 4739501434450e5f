// Reports of highstates: their condition, content and destination.
import { expect, test } from 'vitest'
import { silentLog } from '../../../base/mod.ts'
import { type Dict, fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import type { FunctionContext, Keywords } from '../../../sdk/mod.ts'
import highstate from './returner.ts'

const RET = {
  fun: 'state.apply',
  jid: '1',
  return: {
    'test_|-a_|-a_|-nop': { result: true, changes: {}, comment: 'fine', duration: 1, __run_num__: 1 },
    'pkg_|-b_|-vim_|-installed': { result: true, changes: { vim: '<9>' }, comment: '', duration: 2, __run_num__: 0 },
  },
}

async function reported(options: Record<string, Value>, ret: Record<string, unknown> = RET) {
  const sent: unknown[] = []
  const host = await MemoryHost.with({ files: { '/tmp/x': '' } })
  const ctx = {
    host,
    log: silentLog,
    grains: new Map<Value, Value>([['id', 'web1']]),
    call: async (name: string, args: readonly Value[], kwargs: Keywords = {}) => {
      if (name === 'config.option') return args[0] === 'highstate' ? fromPlain(options as never) : ''
      sent.push([...args, kwargs])
      return true
    },
  }
  await highstate.functions.returner!(ctx as unknown as FunctionContext, fromPlain(ret as never) as Dict)
  const path = '/tmp/web1.rpt'
  const text = (await host.stat(path)) ? Buffer.from(await host.read(path)).toString() : undefined
  return { text, sent }
}

const FILE = { file_output: '/tmp/{id}.rpt', report_format: 'json' }

test('a highstate that changed something is reported with its states in their order', async () => {
  const { text } = await reported(FILE)
  const [stats, job, states] = JSON.parse(text!)
  expect(stats.stats.slice(0, 4).map((entry: object) => Object.values(entry)[0])).toEqual([2, 0, 1, 1])
  expect(job.job[0]).toEqual({ function: 'state.apply' })
  expect(states.states.map((entry: object) => Object.keys(entry)[0])).toEqual(['b', 'a'])
})

test('a highstate without changes is reported only when everything is', async () => {
  const calm = { ...RET, return: { 'test_|-a_|-a_|-nop': RET.return['test_|-a_|-a_|-nop'] } }
  expect((await reported(FILE, calm)).text).toBeUndefined()
  expect((await reported({ ...FILE, report_everything: true }, calm)).text).toBeDefined()
  expect((await reported({ ...FILE, report_changes: false })).text).toBeUndefined()
})

test('a report in HTML is sent by mail with the grains of the minion in its subject', async () => {
  const options = {
    report_format: 'html',
    report_delivery: 'smtp',
    smtp_recipients: 'me@x',
    smtp_sender: 'salt@x',
    smtp_server: 'mail',
    smtp_success_subject: 'done on {id}',
  }
  const [[recipients, text, mail]] = (await reported(options)).sent as [[string, string, Record<string, Value>]]
  expect(recipients).toBe('me@x')
  expect(text).toContain('&lt;9&gt;')
  expect(toPlain(fromPlain(mail as never))).toMatchObject({
    subject: 'done on web1',
    subtype: 'html',
    server: 'mail:25',
  })
})
