import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ServerState } from './nats.ts'
import { LOOK_MS, ServerWatch } from './server-watch.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A master whose own server is `a`. */
class Site {
  state: ServerState | undefined = { hasStreams: true, behind: 0 }
  connected = 'a'
  free = 1 << 30
  restarts = 0
  readonly watch: ServerWatch = new ServerWatch({
    name: 'a',
    folder: '/cluster/nats',
    ask: async () => this.state,
    restart: () => void this.restarts++,
    connection: () => ({
      server: { name: this.connected, version: '2.10.27', maxPayload: 1 << 20 },
      renew: (where) => {
        this.connected = where === 'own' ? 'a' : 'c'
      },
    }),
    log: () => {},
    room: () => this.free,
  })

  async looks(count: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(count * LOOK_MS)
  }
}

it('restarts a server whose disk was full, once the disk has room', async () => {
  const site = new Site()
  site.state = { hasStreams: false, behind: undefined }
  site.free = 1 << 20
  await site.looks(3)
  expect(site.restarts).toBe(0)
  site.free = 1 << 30
  await site.looks(1)
  expect(site.restarts).toBe(1)
  site.watch.close()
})

it('brings the master back to its own server, when that serves and reaches the others', async () => {
  const site = new Site()
  site.connected = 'b'
  site.state = undefined
  await site.looks(3)
  site.state = { hasStreams: true, behind: undefined }
  await site.looks(3)
  expect(site.connected).toBe('b')
  site.state = { hasStreams: true, behind: 0 }
  await site.looks(4)
  expect([site.connected, site.restarts]).toEqual(['a', 0])
  site.watch.close()
})

it('restarts a server whose copy falls behind, and leaves one that catches up', async () => {
  const site = new Site()
  for (let behind = 1000; behind > 900; behind -= 10) {
    site.state = { hasStreams: true, behind }
    await site.looks(1)
  }
  expect(site.restarts).toBe(0)
  site.state = { hasStreams: true, behind: 950 }
  await site.looks(5)
  expect(site.restarts).toBe(1)
  // a second start comes later
  await site.looks(5)
  expect(site.restarts).toBe(1)
  await site.looks(5)
  expect(site.restarts).toBe(2)
  site.watch.close()
})
