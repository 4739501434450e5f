import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BEAT_MS, Contact, type ContactParts } from './contact.ts'
import { Seal } from './seal.ts'

const KEY = randomBytes(32)
const SUBJECT = 'brine.trio.beat'

/** Members whose beats reach each other as long as the network is whole. */
class Net {
  private readonly ears = new Map<string, (data: Uint8Array) => void>()
  /** Members that only hear themselves. */
  readonly cutOff = new Set<string>()
  readonly apart: string[] = []

  join(member: string, count: number, key = KEY): Contact {
    const nats = {
      listen: (_subject: string, hear: (msg: never) => void) => {
        this.ears.set(member, (data) => hear({ data } as never))
        return { unsubscribe: () => this.ears.delete(member) }
      },
      send: (_subject: string, data: Uint8Array) => {
        for (const [to, hear] of this.ears)
          if (to === member || !(this.cutOff.has(member) || this.cutOff.has(to))) hear(data)
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

  it('ends for the one that is cut off, within three seconds, until the network is whole', () => {
    const net = new Net()
    open(net, 3, ['a', 'b', 'c'])
    vi.advanceTimersByTime(10 * BEAT_MS)
    net.cutOff.add('a')
    vi.advanceTimersByTime(3000)
    expect(net.apart).toEqual(['a apart'])
    net.cutOff.clear()
    vi.advanceTimersByTime(BEAT_MS)
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

  it('is not restored by beats that somebody else made', () => {
    const net = new Net()
    open(net, 3, ['a', 'b', 'c'])
    vi.advanceTimersByTime(10 * BEAT_MS)
    for (const contact of opened.slice(1)) contact.close()
    opened.push(net.join('stranger', 3, randomBytes(32)))
    vi.advanceTimersByTime(3000)
    expect(net.apart).toEqual(['a apart'])
  })
})
