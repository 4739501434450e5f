import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SaltError, type Value } from '../data/mod.ts'
import { OrchestrationStore } from '../store/mod.ts'
import { RunRecord } from './run-record.ts'

const JID = '20260101000000000001'

test('The other masters get the end of a run after a change that they did not take', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-record-'))
  const store = new OrchestrationStore(join(folder, 'runs.db'))
  try {
    const taken: Value[] = []
    const record = new RunRecord(store, JID, async (change) => {
      if (change.get('what') === 'job') throw new SaltError('CommandExecutionError', 'refused')
      taken.push(change.get('what')!)
    })
    await record.begin(new Map())
    await record.beginStep('one')
    record.noteJob('one', '20260101000000000002')
    await expect(record.beginStep('two')).rejects.toThrow('refused')
    await record.end('failed')
    expect(taken).toEqual(['begin', 'step', 'end'])
  } finally {
    store.close()
    rmSync(folder, { recursive: true })
  }
})
