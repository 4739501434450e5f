import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Log } from '../base/mod.ts'
import { openMasterMarks } from './master-marks.ts'

let folder: string
let lines: string[]
let close: () => Promise<void>
const log: Log = (level, text) => void lines.push(`${level}: ${text}`)

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'brine-marks-'))
  lines = []
  close = await openMasterMarks(new Map([['sock_dir', folder]]), log)
})
afterEach(async () => {
  await close()
  rmSync(folder, { recursive: true })
})

const NAMES = ['publish_pull.ipc', 'workers.ipc']

it.each(NAMES)('%s is a socket of its owner alone as long as the master runs', async (name) => {
  const found = statSync(join(folder, name))
  expect([found.isSocket(), (found.mode & 0o777).toString(8)]).toEqual([true, '600'])
  await close()
  expect(existsSync(join(folder, name))).toBe(false)
})

it.each(NAMES)('%s closes a connection at once, and says so', async (name) => {
  const socket = createConnection(join(folder, name))
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk))
  // writing to the closed end fails, which is no matter
  socket.on('error', () => undefined)
  socket.write(Buffer.from('anything'))
  await new Promise((done) => socket.once('close', done))
  expect(received).toEqual([])
  expect(lines[0]).toContain(`warning: Closed a connection to ${join(folder, name)}`)
})

it('ipc_mode tcp is said not to be served', async () => {
  await close()
  const opts = new Map([
    ['sock_dir', folder],
    ['ipc_mode', 'tcp'],
  ])
  close = await openMasterMarks(opts, log)
  expect(lines).toEqual([expect.stringContaining('warning: ipc_mode tcp is not served')])
})

it('a second master is refused, and takes nothing away', async () => {
  await expect(openMasterMarks(new Map([['sock_dir', folder]]), log)).rejects.toThrow('Already running')
  expect(NAMES.map((name) => existsSync(join(folder, name)))).toEqual([true, true])
})
