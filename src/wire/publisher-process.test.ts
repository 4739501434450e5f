import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { start } from './publisher-process.ts'
import { openTransport } from './transport/open.ts'
import type { Relief } from './transport/transport.ts'

const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const PROGRAM = join(import.meta.dirname, '..', 'cli', 'salt-master.ts')

describe('a publisher with a second process for further subscribers', () => {
  it('reaches those of both, and goes on when the second process dies', async () => {
    const transport = await openTransport('zeromq')
    const others: (Relief & { end(): void })[] = []
    const publisher = await transport.publisher(
      { host: '127.0.0.1', port: 0 },
      {
        relief: {
          after: 2,
          start: async (server, signal) => {
            const end = new AbortController()
            const either = AbortSignal.any([signal, end.signal])
            const other = await start({ program: PROGRAM, options: {}, server, signal: either })
            others.push({ ...other, end: () => end.abort() })
            return other
          },
        },
      },
    )
    ends.push(() => publisher.close())
    const got = new Map<string, Set<string>>()
    const subscribe = (id: string): void => {
      const heard = new Set<string>()
      got.set(id, heard)
      const subscriber = transport.subscribe(publisher.endpoint, {
        id,
        onMessage: (packet) => void heard.add(Buffer.from(packet).toString()),
        reconnectDelay: () => 20,
      })
      ends.push(() => subscriber.close())
    }
    const allHear = (text: string): Promise<void> =>
      eventually(() => {
        publisher.publish(Buffer.from(text))
        for (const heard of got.values()) expect(heard).toContain(text)
      }, 50)
    for (const id of ['a', 'b']) subscribe(id)
    await eventually(() => expect(others).toHaveLength(1))
    for (const id of ['c', 'd', 'e']) subscribe(id)
    await allHear('first')
    expect(publisher.subscribers).toBe(2)
    await eventually(() => expect(publisher.reached).toBe(5))
    publisher.turnAway(true)
    await eventually(() => expect([publisher.reached, publisher.subscribers]).toEqual([0, 0]))
    publisher.turnAway(false)
    await allHear('again')
    others[0]!.end()
    await others[0]!.ended
    await allHear('second')
  })
})
