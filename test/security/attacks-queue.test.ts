// An attacker on the network path without a key floods a minion with publications and withholds the reply to its sign-in.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { encodeMsgpack } from '../../src/data/mod.ts'
import { ALL_MINIONS, signContext } from '../../src/wire/crypto/mod.ts'
import { MasterChannel } from '../../src/wire/mod.ts'
import { trialKeys, WireTrial } from '../../src/wire/trial.ts'
import { until } from '../until.ts'

let trial: WireTrial
beforeAll(async () => {
  trial = await WireTrial.start()
})
afterAll(() => trial.stop())

it('what waits for a sign-in is bounded', async () => {
  const [masterKey, key] = await trialKeys()
  trial.keys.store('web1', { state: 'accepted', pub: key!.publicKey.pem })
  const through = trial.transport.connect(trial.listener.endpoint, {})
  let asked = 0
  const channel = new MasterChannel({
    client: {
      request: (message, options) => (++asked === 1 ? through.request(message, options) : new Promise(() => {})),
      close: () => through.close(),
    },
    settings: { id: 'web1', key: key!, pkiDir: `${trial.directory}/web1`, acceptanceWaitTime: 0.01 },
  })
  await channel.authenticate()
  await trial.subscribe(channel)
  // recorded from the master some time ago
  const sealed = Buffer.alloc(64)
  const context = { kind: 'publication', audience: ALL_MINIONS, bound: trial.secret.crypticle.id, until: 1 } as const
  const own = new Map<string, unknown>([
    ['signatures', 1],
    ['key', context.bound],
    ['until', 1],
  ])
  own.set('sig', await signContext(masterKey!, context, sealed))
  const old = encodeMsgpack(
    new Map<string, unknown>([
      ['enc', 'aes'],
      ['load', sealed],
      ['brine', own],
    ]),
    'wire',
  )
  await until('the minion to sign in', () => {
    trial.publisher.publish(old)
    return asked === 2
  })
  const before = process.memoryUsage().arrayBuffers
  const junk = Buffer.alloc(1 << 20)
  for (let i = 0; i < 300; i++) {
    trial.publisher.publish(junk)
    await new Promise((go) => setTimeout(go, 5))
  }
  await new Promise((go) => setTimeout(go, 500))
  globalThis.gc?.()
  const grown = process.memoryUsage().arrayBuffers - before
  channel.close()
  expect(grown).toBeLessThan(150 << 20)
})
