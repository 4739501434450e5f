import { describe, expect, it } from 'vitest'
import { Connections } from './connections.ts'

const MARK = `brine-${'a'.repeat(32)}`
const peer = (address: string): { address: string } => ({ address })

describe('The connections of minions', () => {
  it('belong to the minion that names their mark', () => {
    let now = 0
    const connections = new Connections(false, () => now)
    const one = peer('10.0.0.1:4000')
    connections.onSubscribe('', one)
    connections.onSubscribe(MARK, one)
    expect(connections.isConnected('web1')).toBeUndefined()
    connections.claim(MARK, 'web1')
    expect(connections.isConnected('web1')).toBe(true)
    now = 100
    connections.onDisconnect(one)
    now = 350
    expect([connections.isConnected('web1'), connections.lostFor('web1')]).toEqual([false, 250])
  })

  it('go on when a new one comes before the old one is noticed to be gone', () => {
    const connections = new Connections()
    const [old, fresh] = [peer('10.0.0.1:4000'), peer('10.0.0.1:4001')]
    for (const each of [old, fresh]) {
      connections.onSubscribe(MARK, each)
      connections.claim(MARK, 'web1')
    }
    connections.onDisconnect(old)
    expect(connections.isConnected('web1')).toBe(true)
    connections.claim(MARK, 'web1')
    connections.onDisconnect(fresh)
    expect(connections.isConnected('web1')).toBe(false)
  })

  it('report which minions of Salt certainly do not listen, by their address', () => {
    const connections = new Connections()
    const arrived: string[][] = []
    connections.onArrival = (ids) => arrived.push([...ids])
    const from = (host: string, port: number) => ({ address: `${host}:${port}`, host })
    connections.noteHome('old1', from('10.0.0.1', 1))
    connections.noteHome('old2', from('10.0.0.1', 1))
    connections.noteHome('old2', from('10.0.0.2', 1))
    connections.onSubscribe('', from('10.0.0.3', 1))
    const one = from('10.0.0.1', 2)
    connections.onSubscribe('', one)
    expect(arrived).toEqual([['old1']])
    expect(['old1', 'old2', 'unheard'].map((id) => connections.mayListen(id))).toEqual([true, false, true])
    connections.onDisconnect(one)
    expect(connections.mayListen('old1')).toBe(false)
    connections.isPartial = () => true
    expect(connections.mayListen('old1')).toBe(true)
  })

  it('are named by the transport itself on tcp, and strangers name nothing elsewhere', () => {
    const [tcp, zeromq] = [new Connections(true), new Connections(false)]
    for (const each of [tcp, zeromq]) each.onSubscribe('web1', peer('10.0.0.1:4000'))
    expect([tcp.isConnected('web1'), zeromq.isConnected('web1')]).toEqual([true, undefined])
  })
})
