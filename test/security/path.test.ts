// What an attacker on the network between a minion and its master can do: an accepted minion that relays, reads,
// changes, repeats and adds messages. Only what the master intends at that moment is carried out.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { minionConfig } from '../../src/config/mod.ts'
import { type Dict, encodeMsgpack, type Value } from '../../src/data/mod.ts'
import { Minion } from '../../src/minion/mod.ts'
import { trialKeys } from '../../src/wire/trial.ts'
import { type TestMaster, TestSite } from '../integration/site.ts'
import { until } from '../until.ts'
import { fieldsOf, RELAY, Relay } from './relay.ts'

let site: TestSite
let master: TestMaster
let relay: Relay
const logs: string[] = []
let jobs = 0

beforeEach(async () => {
  site = await TestSite.open()
  logs.splice(0)
})
afterEach(async () => {
  await relay.close()
  await site.close()
})

async function open(transport = 'zeromq', options: Record<string, unknown> = {}): Promise<void> {
  master = await site.master('master', '127.0.0.1', { transport, ...options })
  relay = await Relay.open(site.ports, transport, site.root)
}

/** The minion behind the relay. */
async function start(transport = 'zeromq', options: Record<string, unknown> = {}): Promise<Minion> {
  const path = site.minionConfig('web1', { master: RELAY, transport, ...options })
  const minion = new Minion(await minionConfig({ path }), (level, text) => void logs.push(`${level}: ${text}`))
  site.atEnd(() => minion.close())
  await minion.open()
  return minion
}

const mark = (): string => join(site.root, 'pwned')
const evil = (more: Record<string, Value> = {}): Dict =>
  new Map<Value, Value>(
    Object.entries({
      tgt: '*',
      tgt_type: 'glob',
      jid: `209901010000000000${10 + ++jobs}`,
      fun: 'file.touch',
      arg: [mark()],
      ret: '',
      user: 'root',
      serial: 1_000_000,
      ...more,
    }),
  )

const drops = (): string[] => logs.filter((line) => line.includes('Dropped a publication'))

/** Injects a packet, and waits until the minion has dropped it and answers its master again. */
async function isDropped(packet: Uint8Array | Record<string, unknown>): Promise<string> {
  const before = drops().length
  relay.inject(packet)
  await until('the packet is dropped', () => drops().length > before || existsSync(mark()))
  expect(existsSync(mark())).toBe(false)
  expect(await master.ask('web1', 'test.ping')).toBe(true)
  return drops().at(-1)!
}

describe.each(['zeromq', 'tcp', 'ws'])('on the path of a minion over %s', (transport) => {
  it('an accepted minion can put nothing in, and nothing in again', async () => {
    await open(transport)
    let minion = await start(transport)
    expect(await master.ask('web1', 'test.ping')).toBe(true)
    const genuine = relay.recorded.at(-1)!

    expect(await isDropped({ enc: 'clear', load: evil() })).toContain('it is not encrypted')
    expect(await isDropped({ enc: 'none', load: evil() })).toContain('it is not encrypted')
    const sealed = relay.seal(evil())
    expect(await isDropped({ enc: 'aes', load: sealed })).toContain('no signature of the master with a context')
    const stolen = fieldsOf(genuine)
    expect(await isDropped(encodeMsgpack(new Map(stolen).set('load', sealed), 'wire'))).toContain('no signature')
    expect(await isDropped(genuine)).toContain('serial number')

    await minion.close()
    minion = await start(transport)
    expect(await isDropped(genuine)).toContain('serial number')
    const [first] = relay.recorded
    expect(await isDropped(first!)).toContain('serial number')
  })
})

describe('on the path of a minion', () => {
  it('nothing that the master signed for a stranger can be used as a publication', async () => {
    await open()
    await start()
    const [, , key] = await trialKeys()
    const ask = (more: Record<string, unknown>): Promise<Value> => {
      const fields = { cmd: '_auth', id: 'evil', pub: key!.publicKey.pem, nonce: 'f'.repeat(64), ...more }
      return relay.client.request({ enc: 'clear', load: new Map(Object.entries(fields)), version: 3 })
    }
    expect(await ask({ nonce: relay.seal(evil()) })).toBe('bad load')
    expect(await ask({ id: '..', nonce: relay.seal(evil()) })).toBe('bad load')
    const brine = new Map([['signatures', 1]])
    for (const reply of [
      await ask({}),
      await ask({ id: '..' }),
      await ask({ brine }),
      await ask({ id: '..', brine }),
    ]) {
      const [load, sig] = [(reply as Dict).get('load'), (reply as Dict).get('sig')]
      await isDropped({ enc: 'aes', load, sig, sig_algo: 'PKCS1v15-SHA1' })
      const last = fieldsOf(relay.recorded.at(-1)!).get('brine') as Dict
      await isDropped({ enc: 'aes', load, brine: new Map(last).set('sig', sig!) })
    }
  })

  it('a publication that is kept back until it is too old does not run', async () => {
    // within its window the minion may get the job by asking for missed jobs
    await open('zeromq', { publication_ttl: 5, job_delivery_window: 0 })
    await start()
    relay.withholds = true
    await master.publish('web1', 'file.touch', [mark()])
    await until('the publication is recorded', () => relay.recorded.length > 0)
    const held = relay.recorded.at(-1)!
    const end = (fieldsOf(held).get('brine') as Dict).get('until') as number
    await until('it is too old', () => Date.now() / 1000 > end + 1)
    relay.withholds = false
    expect(await isDropped(held)).toContain('it was good until')
  })

  it('a minion does not sign in when the question for a context is taken out of its request', async () => {
    await open()
    relay.onRequest = (message) => {
      ;(message.get('load') as Map<Value, Value> | undefined)?.delete?.('brine')
      return message
    }
    const started = start()
    await until('the minion refuses', () =>
      logs.some((line) => line.includes('Somebody between this minion and its master')),
    )
    expect(existsSync(join(site.root, 'web1/etc/salt/pki/minion/minion_master.pub'))).toBe(false)
    relay.onRequest = (message) => message
    await started
    expect(await master.ask('web1', 'test.ping')).toBe(true)
  })

  it('an old reply to a sign-in is refused', async () => {
    await open()
    let old: Value | undefined
    const isSignIn = (request: Dict): boolean => request.get('enc') === 'clear'
    relay.onReply = (reply, request) => (isSignIn(request) ? (old ??= reply) : reply)
    const minion = await start()
    await minion.close()
    const again = start()
    await until('the minion refuses', () => logs.some((line) => /could not be reached: Invalid/.test(line)))
    relay.onReply = (reply) => reply
    await again
    expect(await master.ask('web1', 'test.ping')).toBe(true)
  })
})
