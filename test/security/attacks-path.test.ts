// An attacker on the network path changes a sign-in request on its way to the master.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Dict } from '../../src/data/mod.ts'
import { MasterChannel } from '../../src/wire/mod.ts'
import { trialKeys, WireTrial } from '../../src/wire/trial.ts'

let trial: WireTrial
beforeAll(async () => {
  trial = await WireTrial.start()
})
afterAll(() => trial.stop())

it('a key that was exchanged on the way does not make the master reject the minion', async () => {
  const [, key, foreign] = await trialKeys()
  const honest = await trial.minion('web1')
  await honest.authenticate()
  const through = trial.transport.connect(trial.listener.endpoint, {})
  const channel = new MasterChannel({
    client: {
      request: (message, options) => {
        const load = (message as Map<string, Dict>).get('load')!
        if (load.get('cmd') === '_auth') load.set('pub', foreign!.publicKey.pem)
        return through.request(message, options)
      },
      close: () => through.close(),
    },
    settings: { id: 'web1', key: key!, pkiDir: `${trial.directory}/web1`, acceptanceWaitTime: 0.01 },
  })
  const outcome = await channel.signIn.ask((channel as unknown as { client: never }).client)
  channel.close()
  // a minion that is rejected ends
  expect(outcome).toMatchObject({ status: 'invalid' })
})
