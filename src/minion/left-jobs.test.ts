import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { type Dict, encodeMsgpack, type Value } from '../data/mod.ts'
import { leftJobs, leftReturn } from './left-jobs.ts'
import { ReturnOutbox } from './outbox.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'brine-left-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const byJid = (one: Dict, other: Dict): number => Number(one.get('jid')) - Number(other.get('jid'))
const note = (fields: Record<string, Value>): Uint8Array => encodeMsgpack(fields, 'bus')

describe('jobs that an earlier life left', () => {
  it('are returned as failed with the reason, except unreadable ones', () => {
    writeFileSync(join(directory, '1'), note({ jid: '1', fun: 'test.sleep', arg: [9], user: 'root', pid: 7 }))
    writeFileSync(join(directory, '2'), note({ jid: '2', fun: 'test.ping', schedule: 'daily' }))
    writeFileSync(join(directory, '3'), note({ jid: '3', fun: 'test.ping' }).subarray(0, 5))
    writeFileSync(join(directory, '20300101000000000001'), '')
    const [left, scheduled, empty, ...others] = leftJobs(directory, silentLog).sort(byJid)
    expect(others).toEqual([])
    // the note of a job that began on a full disk
    expect(Object.fromEntries(leftReturn(empty!))).toMatchObject({ jid: '20300101000000000001', success: false })
    expect(Object.fromEntries(leftReturn(scheduled!))).toMatchObject({ jid: 'req', schedule: 'daily', success: false })
    const ret = Object.fromEntries(leftReturn(left!))
    expect(ret).toMatchObject({ jid: '1', fun: 'test.sleep', fun_args: [9], user: 'root', success: false, retcode: 1 })
    expect(ret['return']).toMatch(/^The minion was stopped while it was running the job/)
  })

  it('are none where there is no folder', () => {
    expect(leftJobs(join(directory, 'none'), silentLog)).toEqual([])
  })
})

describe('the outbox of a minion', () => {
  const ret = (jid: string): Dict => new Map<Value, Value>([['jid', jid]])
  const outbox = (send: (load: Dict) => Promise<unknown>): ReturnOutbox =>
    new ReturnOutbox({ directory: join(directory, 'outbox'), send, delay: () => 0.01, log: silentLog })

  it('keeps a return until the master has taken it, also over a restart', async () => {
    const first = outbox(async () => {
      throw new Error('away')
    })
    void first.post(ret('1'))
    expect(first.unsent).toEqual([ret('1')])
    await first.close()
    writeFileSync(join(directory, 'outbox', 'damaged.p'), 'x')
    const taken: unknown[] = []
    const second = outbox(async (load) => taken.push(load.get('jid')))
    expect(second.resume()).toEqual(new Set(['1']))
    await expect.poll(() => taken).toEqual(['1'])
    await expect.poll(() => second.unsent).toEqual([])
    await expect.poll(() => readdirSync(join(directory, 'outbox'))).toEqual([])
    await second.close()
  })

  it('does not delay the end of a minion when the master does not answer', async () => {
    let answer: (error: Error) => void = () => undefined
    const silent = outbox(() => new Promise((_, fail) => void (answer = fail)))
    void silent.post(ret('3'))
    await silent.close()
    expect(readdirSync(join(directory, 'outbox'))).toHaveLength(1)
    answer(new Error('away'))
    await expect.poll(() => silent.unsent).toEqual([])
    expect(readdirSync(join(directory, 'outbox'))).toHaveLength(1)
  })

  it('sends a return that cannot be kept', async () => {
    const taken: unknown[] = []
    const box = outbox(async (load) => taken.push(load.get('jid')))
    rmSync(join(directory, 'outbox'), { recursive: true })
    await box.post(ret('2'))
    expect(taken).toEqual(['2'])
    mkdirSync(join(directory, 'outbox'))
    await box.close()
  })
})
