import { expect, test } from 'vitest'
import type { Value } from '../../data/mod.ts'
import { trialKeys } from '../trial.ts'
import { masterIdentity } from './identity.ts'
import { PublishChannel, type PublishChannelOptions } from './publish-channel.ts'
import { PublishSecret } from './publish-secret.ts'

async function receivers(tgt: Value, tgtType = 'list'): Promise<readonly string[] | undefined> {
  let ids: readonly string[] | undefined
  const publisher = {
    supportsTopics: true,
    publish: async (_packet: Uint8Array, wanted: readonly string[] | undefined) => {
      ids = wanted
    },
  }
  const [key] = await trialKeys()
  const identity = masterIdentity(key!)
  const minions = () => ['web1', 'web2', 'db1']
  const options = { publisher, identity, secret: new PublishSecret(), sign: false, minions }
  const load = new Map<Value, Value>([['tgt', tgt]]).set('tgt_type', tgtType)
  await new PublishChannel(options as unknown as PublishChannelOptions).publish(load)
  return ids
}

test('A list of minions is sent to these minions only', async () => {
  expect(await receivers(['web1', 'db1'])).toEqual(['web1', 'db1'])
})

test('A list with an id that is no minion is sent to all, because a minion answers for it', async () => {
  expect(await receivers(['web1', 'switch1'])).toBe(undefined)
})
