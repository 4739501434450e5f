import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { BusServer, type BusServerOptions, EventBus, masterBusPaths } from '../bus/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { SqliteJobs } from '../store/mod.ts'
import { LastingEvents } from './lasting-events.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-lasting-'))
afterAll(() => rmSync(folder, { recursive: true }))
const opts: Dict = new Map<Value, Value>([
  ['sock_dir', folder],
  ['cachedir', folder],
])
const answer: Dict = new Map<Value, Value>([['return', true]])

/** The bus of one life of a master. */
async function life(more: Partial<BusServerOptions> = {}): Promise<{ bus: EventBus; server: BusServer }> {
  const bus = new EventBus()
  const server = new BusServer({ bus, paths: masterBusPaths(opts), ...more })
  await server.open()
  return { bus, server }
}

test('A return that the master took before it took the connection of a waiting client is not lost', async () => {
  const jobs = new SqliteJobs(join(folder, 'jobs.db'))
  const { server } = await life()
  const events = await LastingEvents.open(opts, silentLog, () => true)
  await server.close()
  await expect.poll(() => events.isOpen).toBe(false)
  // between the connection and the moment at which the master knows of it
  const kept = async (): Promise<void> => {
    await jobs.saveReturn({ jid: '1', id: 'web1', data: answer })
  }
  const second = await life({ kept })
  expect(await events.recover()).toBe(true)
  expect([...events.stored('1', ['web1', 'web2'])]).toEqual([['web1', answer]])
  second.bus.fire('salt/job/1/ret/web2', answer)
  expect((await events.next(60))?.tag).toBe('salt/job/1/ret/web2')
  events.close()
  await second.server.close()
  jobs.close()
})

test('Beside a master without a job store nothing is stored, and no store is made', async () => {
  const cachedir = join(folder, 'of-salt')
  mkdirSync(cachedir)
  const { server } = await life()
  const events = await LastingEvents.open(new Map(opts).set('cachedir', cachedir), silentLog, () => true)
  expect(events.stored('1', ['web1']).size).toBe(0)
  expect(readdirSync(cachedir)).toEqual([])
  events.close()
  await server.close()
})
