import { expect, test } from 'vitest'
import { silentLog } from '../../../base/mod.ts'
import { fromPlain } from '../../../data/mod.ts'
import { generateRsaKeys, type MasterContext, RsaPrivateKey } from '../../../sdk/mod.ts'
import { readConfig } from './config.ts'
import { proveMinion } from './proof.ts'

test("A minion whose id differs from another only by case gets nothing: Vault would give it the other one's secrets", async () => {
  const { privatePem, publicPem } = await generateRsaKeys(2048)
  const config = readConfig(fromPlain({ server: { url: 'http://127.0.0.1:1' }, auth: { method: 'token', token: 'x' } }))
  const ask = async (id: string, accepted: readonly string[]): Promise<void> => {
    const keys = { accepted: (name: string) => (accepted.includes(name) ? publicPem : undefined) }
    const caller = { kind: 'minion', name: id }
    const ctx = { keys, caller, log: silentLog, opts: new Map() } as unknown as MasterContext
    const signature = (await new RsaPrivateKey(privatePem).sign(id)).toString('base64')
    await proveMinion(ctx, config, { id, signature, isMaster: false })
  }
  await ask('Web1', ['Web1'])
  await ask('web1', ['web1', 'Web1'])
  await expect(ask('Web1', ['web1', 'Web1'])).rejects.toThrow('Vault cannot tell Web1 from the minion web1')
  await expect(ask('web2', ['web1'])).rejects.toThrow('Could not validate token request from web2')
})
