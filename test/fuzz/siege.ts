// What strangers can do with connections only: many silent ones, endless messages, messages whose bytes each become a
// mapping, requests whose answers are not read, short and long. The master must stay small, and serve others.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../faults/chance.ts'
import { holds } from '../faults/holds.ts'
import { Stranger } from '../security/proofs/attacker.ts'
import { CARRIERS } from '../security/proofs/carriers.ts'
import { emptyMaps, pack } from '../security/proofs/msgpack.ts'
import { answerOf } from './attack.ts'
import type { FuzzSite } from './site.ts'
import type { Watch } from './watch.ts'

const MIB = 1 << 20

/** Memory limit of a master under siege: incoming data, and the memory to decode it. */
const MOST_UNDER_SIEGE_MIB = 1200

/** Write as long as the peer reads, up to this many bytes. */
async function pour(socket: Socket, piece: Buffer, bytes: number, patience: number): Promise<void> {
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += piece.length) {
    if (!socket.write(piece) && !(await isDrained(socket, patience))) break
  }
}

/** Whether the other side reads on within a while. */
function isDrained(socket: Socket, patience: number): Promise<boolean> {
  return new Promise((done) => {
    const finish = (isRead: boolean) => (): void => {
      clearTimeout(timer)
      socket.off('drain', drained).off('close', closed)
      done(isRead)
    }
    const [drained, closed] = [finish(true), finish(false)]
    const timer = setTimeout(closed, patience)
    socket.on('drain', drained).on('close', closed)
  })
}

/** Connections of strangers, from the attackers' address. */
class Crowd {
  readonly sockets: Socket[] = []
  private readonly site: FuzzSite

  constructor(site: FuzzSite) {
    this.site = site
  }

  get carrier(): (typeof CARRIERS)[string] {
    return CARRIERS[this.site.transport]!
  }

  open(isRequest: boolean): Socket {
    const { requests, publications } = this.site.ports
    const port = isRequest ? requests : publications
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.66' })
    socket.on('error', () => {})
    this.sockets.push(socket)
    return socket
  }

  /** A connection that has greeted. */
  async greeted(isRequest = true): Promise<Socket> {
    const socket = this.open(isRequest)
    socket.write(this.carrier.greeting(isRequest ? 'REQ' : 'SUB'))
    socket.resume()
    await sleep(300)
    return socket
  }
}

function assaults(crowd: Crowd, chance: Chance): Record<string, () => Promise<unknown>> {
  const { carrier } = crowd
  const times = (count: number, assault: (index: number) => Promise<unknown>): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, (_, index) => assault(index)))
  return {
    '1000 half-open connections': async () => {
      const greeting = carrier.greeting('REQ')
      for (let i = 0; i < 1000; i++)
        crowd.open(i % 2 === 0).write(greeting.subarray(0, chance.whole(0, Math.max(0, greeting.length - 1))))
      await sleep(500)
    },
    '12 messages without end': () =>
      times(12, async () => {
        const socket = await crowd.greeted()
        socket.write(carrier.request(Buffer.alloc(0), 200 * MIB))
        await pour(socket, Buffer.alloc(MIB), 60 * MIB, 3000)
      }),
    '4 messages of a mapping in each byte': () =>
      times(4, async () => {
        const bomb = pack({ enc: 'clear', load: { cmd: 'ping', x: emptyMaps(4 * MIB) }, version: 3 })
        const socket = await crowd.greeted()
        socket.write(carrier.request(bomb))
        await sleep(500)
      }),
    'questions whose answers nobody reads': () =>
      times(6, async (index) => {
        const socket = await crowd.greeted(index % 2 === 0)
        socket.pause()
        const ping = carrier.request(pack({ enc: 'clear', load: { cmd: 'ping' }, version: 3 }))
        await pour(socket, Buffer.concat(Array(2000).fill(ping)), 20 * MIB, 1500)
      }),
    '60 long answers that nobody reads': async () => {
      const ping = carrier.request(pack({ enc: 'clear', load: { cmd: 'ping', x: 'x'.repeat(20 * MIB) }, version: 3 }))
      for (let i = 0; i < 60; i++) {
        const socket = crowd.open(true)
        socket.write(carrier.greeting('REQ'))
        socket.pause()
        await pour(socket, ping, ping.length, 500)
      }
    },
  }
}

/** Run one after the other, and measure the cost. */
export async function siege(site: FuzzSite, watch: Watch, chance: Chance): Promise<void> {
  const pid = site.cluster.pidOf('master')
  const before = holds(pid).memoryMiB
  const crowd = new Crowd(site)
  const honest = new Stranger(site.ports, site.transport, '127.0.0.1')
  try {
    for (const [what, run] of Object.entries(assaults(crowd, chance))) await watch.attack({ what, run })
    const answer = await answerOf(honest.clear({ cmd: 'ping', ballast: 'x'.repeat(300_000) }))
    if (typeof answer === 'string') watch.note(`the master serves nobody under siege: ${answer}`)
    if (site.cluster.pidOf('master') !== pid) return
    const growth = holds(pid).peakMiB - before
    if (growth > MOST_UNDER_SIEGE_MIB) watch.note(`the master grew by ${growth.toFixed()} MiB under siege`)
  } finally {
    honest.close()
    for (const socket of crowd.sockets) socket.destroy()
  }
}
