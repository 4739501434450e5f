import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { processMark } from '../base/mod.ts'
import { noteStateRun, stateRuns } from './state-runs.ts'

const JID = '20260101000000000001'

let cache: string

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'state-runs-'))
})
afterEach(() => rmSync(cache, { recursive: true }))

/** Record a run, as if another process had done it. */
function noteFor(mark: string): void {
  noteStateRun(cache, { fun: 'state.apply', jid: JID })
  const file = join(cache, 'proc', JID)
  writeFileSync(file, readFileSync(file, 'utf8').replace(processMark(process.pid), mark))
}

test('The run of another program is reported until that program ends', async () => {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  noteFor(processMark(child.pid!))
  expect(stateRuns(cache).map((run) => run.get('jid'))).toEqual([JID])
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(stateRuns(cache)).toEqual([])
})

test('A later process with the number of a killed program does not count as its run', () => {
  noteFor(`${process.ppid}:1`)
  expect(stateRuns(cache)).toEqual([])
  expect(readdirSync(join(cache, 'proc'))).toEqual([])
})
