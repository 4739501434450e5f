import { mkdtempSync, rmSync } from 'node:fs'
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

test('What a master took before it could take the connection of who waits is not lost', async () => {
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
  expect([...(await events.recover('1'))!]).toEqual([['web1', answer]])
  second.bus.fire('salt/job/1/ret/web2', answer)
  expect((await events.next(60))?.tag).toBe('salt/job/1/ret/web2')
  events.close()
  await second.server.close()
  jobs.close()
})
