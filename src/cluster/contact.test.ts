import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BEAT_MS, Contact, type ContactParts } from './contact.ts'
import { Seal } from './seal.ts'

const KEY = randomBytes(32)
const SUBJECT = 'brine.trio.beat'

/** Members that receive each other's heartbeats while the network is whole. */
class Net {
  private readonly ears = new Map<string, (data: Uint8Array) => void>()
  /** Members that only hear themselves. */
  readonly cutOff = new Set<string>()
  /** Members whose server hangs until they connect to another one, if there is one. */
  readonly hanging = new Set<string>()
  hasOtherServers = true
  readonly apart: string[] = []
  readonly reconnected: string[] = []

  join(member: string, count: number, key = KEY): Contact {
    const nats = {
      listen: (_subject: string, hear: (msg: never) => void) => {
        this.ears.set(member, (data) => hear({ data } as never))
        return { unsubscribe: () => this.ears.delete(member) }
      },
      send: (_subject: string, data: Uint8Array) => {
        for (const [to, hear] of this.ears) {
          if (this.hanging.has(member) || this.hanging.has(to)) continue
          if (to === member || !(this.cutOff.has(member) || this.cutOff.has(to))) hear(data)
        }
      },
      renew: () => {
        this.reconnected.push(member)
        if (this.hasOtherServers) this.hanging.delete(member)
      },
    } as unknown as ContactParts['nats']
    const onApart = (isApart: boolean): void => void this.apart.push(`${member} ${isApart ? 'apart' : 'back'}`)
    return new Contact({ nats, seal: new Seal(key), member, count, subject: SUBJECT, onApart })
  }
}

describe('the contact of a member with the others', () => {
  const opened: Contact[] = []
  const open = (net: Net, count: number, names: string[]): Contact[] => {
    const made = names.map((name) => net.join(name, count))
    opened.push(...made)
    return made
  }
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => {
    for (const contact of opened.splice(0)) contact.close()
    vi.useRealTimers()
  })

  it('ends for an isolated master within four seconds, until the network is whole', () => {
    const net = new Net()
    open(net, 3, ['a', 'b', 'c'])
    vi.advanceTimersByTime(10 * BEAT_MS)
    net.cutOff.add('a')
    vi.advanceTimersByTime(4000)
    expect(net.apart).toEqual(['a apart'])
    expect(net.reconnected).toEqual([])
    net.cutOff.clear()
    vi.advanceTimersByTime(BEAT_MS)
    expect(net.apart).toEqual(['a apart', 'a back'])
  })

  it('continues for all when a server hangs: its members connect to another one, and minions are not diverted', () => {
    const net = new Net()
    open(net, 3, ['a', 'b', 'c'])
    vi.advanceTimersByTime(10 * BEAT_MS)
    // the third member hangs with its server, to which the first one is connected
    opened.pop()!.close()
    net.hanging.add('a')
    vi.advanceTimersByTime(20 * BEAT_MS)
    expect(net.reconnected).toEqual(['a'])
    expect(net.apart).toEqual([])
  })

  it('ends for a member that finds no server at all, which goes on trying', () => {
    const net = new Net()
    open(net, 3, ['a', 'b', 'c'])
    vi.advanceTimersByTime(10 * BEAT_MS)
    net.hanging.add('a')
    net.hasOtherServers = false
    vi.advanceTimersByTime(20 * BEAT_MS)
    expect(net.reconnected.length).toBeGreaterThan(1)
    expect(net.apart).toEqual(['a apart'])
    net.hanging.clear()
    vi.advanceTimersByTime(2 * BEAT_MS)
    expect(net.apart).toEqual(['a apart', 'a back'])
  })

  it('is not missed between two members: neither could send minions anywhere', () => {
    const net = new Net()
    open(net, 2, ['a', 'b'])[1]!.close()
    vi.advanceTimersByTime(20 * BEAT_MS)
    expect(net.apart).toEqual([])
  })

  it('is not missed with members that never sent a beat', () => {
    const net = new Net()
    open(net, 3, ['a'])
    vi.advanceTimersByTime(20 * BEAT_MS)
    expect(net.apart).toEqual([])
  })

  it('is not restored by forged heartbeats', () => {
    const net = new Net()
    open(net, 3, ['a', 'b', 'c'])
    vi.advanceTimersByTime(10 * BEAT_MS)
    for (const contact of opened.slice(1)) contact.close()
    opened.push(net.join('stranger', 3, randomBytes(32)))
    vi.advanceTimersByTime(4000)
    expect(net.apart).toEqual(['a apart'])
  })
})
