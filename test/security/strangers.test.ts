// The ports towards peers without a proof, or with an old or false one.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeMsgpack } from '../../src/data/mod.ts'
import { Crypticle, generateKeyString } from '../../src/wire/mod.ts'
import { Besieged, dict } from './besieged.ts'

let site: Besieged
beforeAll(async () => {
  site = await Besieged.start({ external_auth: { auto: { somebody: ['test.*'] } } })
})
afterAll(() => site.stop())

describe('the request port', () => {
  it.each([
    '_prep_auth_info',
    '_send_pub',
    '_send_ssh_pub',
    '_return',
    '_pillar',
    '_pillar_origins',
    '_serve_file',
    '_file_recv',
    'minion_runner',
    'run_func',
    'constructor',
    '__proto__',
    'toString',
  ])('does not do %s for a stranger', async (cmd) => {
    expect(await site.clear({ cmd, id: 'm1', fun: 'test.ping', path: 'a' })).toEqual(new Map())
    expect(site.deeds).toEqual([])
  })

  it.each([
    ['publish', { tgt: '*', fun: 'cmd.run', arg: ['id'], user: 'root' }],
    ['publish', { tgt: '*', fun: 'cmd.run', arg: ['id'], user: 'root', key: '' }],
    ['publish', { tgt: '*', fun: 'cmd.run', arg: ['id'], user: 'sudo_root', key: generateKeyString() }],
    ['publish', { tgt: '*', fun: 'cmd.run', arg: ['id'], user: 'root', key: new Map() }],
    ['runner', { fun: 'salt.cmd', arg: ['test.ping'], user: 'root' }],
    ['runner', { fun: 'jobs.list_jobs', arg: [], token: 'no token' }],
    ['wheel', { fun: 'key.accept', match: '*', key: 'wrong' }],
    ['wheel', { fun: 'config.values', eauth: 'auto', username: 'somebody' }],
    ['wheel', { fun: 'file_roots.write', eauth: 'nothing', username: 'root', password: 'x' }],
  ])('refuses %s without a right to it', async (cmd, load) => {
    const answer = await site.clear({ cmd, tgt_type: 'glob', ret: '', ...load })
    expect((answer as Map<string, unknown>).has?.('error') || answer === 'Some exception handling minion payload').toBe(
      true,
    )
    expect(site.deeds).toEqual([])
  })

  it.each([
    ['20260101000000000001', 'salt/job/20260101000000000001/error'],
    ['20260101000000000001/ret/m1', 'salt/job/error'],
    ['../../salt/minion/m1/start', 'salt/job/error'],
  ])('reports a refused job %s under no tag of a stranger', async (jid, tag) => {
    site.events.splice(0)
    await site.clear({ cmd: 'publish', tgt: '*', fun: 'test.ping', arg: [], user: 'root', key: 'wrong', jid })
    expect(site.events.map((event) => event.tag)).toEqual([tag])
  })

  it.each([0, 1, 2, 2.9, -1, '2', null, Number.NaN, Number.NEGATIVE_INFINITY, [3], new Map()])(
    'refuses protocol version %s, which proves less',
    async (version) => {
      expect(await site.clear({ cmd: 'ping' }, version)).toBe('bad load')
      expect(await site.send({ enc: 'aes', load: Buffer.alloc(64), version, id: 'm1' })).toBe('bad load')
    },
  )

  it('refuses what was encrypted with another key', async () => {
    await site.minion('m1')
    const load = new Crypticle(generateKeyString()).seal({ cmd: '_return', id: 'm1', tok: Buffer.alloc(256) })
    expect(await site.send({ enc: 'aes', load, version: 3, id: 'm1' })).toBe('bad load')
    expect(await site.send({ enc: 'aes', load, version: 3, id: '../m1' })).toBe('bad load')
  })

  it.each(['../m', 'a/b', 'a\0b', '', '.', '..', '/etc/passwd'])('admits no minion with the name %j', async (id) => {
    const { accepted, pending } = {
      accepted: site.parts.keys.list('minions'),
      pending: site.parts.keys.list('minions_pre'),
    }
    await site.clear({ cmd: '_auth', id, pub: 'x', nonce: 'n' })
    expect(site.parts.keys.list('minions')).toEqual(accepted)
    expect(site.parts.keys.list('minions_pre')).toEqual(pending)
  })

  it('refuses a key that is not the one it knows, also when keys are accepted by themselves', async () => {
    await site.minion('m1')
    await expect(site.minion('m1', 2)).rejects.toThrow()
    expect(site.parts.keys.list('minions_denied')).toContain('m1')
  })

  it('cuts off who announces more than a message may have, and who nests without end', async () => {
    const socket = connect(site.ports.requests, '127.0.0.1')
    const greeting = Buffer.concat([
      Buffer.from('ff00000000000000017f0300', 'hex'),
      Buffer.from('NULL'),
      Buffer.alloc(48),
    ])
    const ready = Buffer.from('\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03REQ', 'latin1')
    socket.write(Buffer.concat([greeting, ready, Buffer.from('02000000ffffffffff', 'hex')]))
    await new Promise((done) =>
      socket
        .on('error', () => {})
        .once('close', done)
        .resume(),
    )
    let deep: unknown = 1
    for (let i = 0; i < 500; i++) deep = [deep]
    const bytes = encodeMsgpack(dict({ enc: 'clear', load: deep, version: 3 }), 'wire')
    expect(bytes.length).toBeGreaterThan(500)
    expect(await site.send({ enc: 'clear', load: deep, version: 3 })).toBeDefined()
    expect(await site.clear({ cmd: 'ping' })).toEqual(dict({ cmd: 'ping' }))
  })
})
