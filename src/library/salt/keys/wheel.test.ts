import { expect, test } from 'vitest'
import { type Dict, fromPlain } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { generateRsaKeys, type MasterContext, pemFingerprint } from '../../../sdk/mod.ts'
import { callOn } from '../common/try-master-function.test-support.ts'
import key from './wheel.ts'

const { publicPem } = await generateRsaKeys(2048)

async function master(): Promise<Partial<MasterContext>> {
  const keys: Record<string, Record<string, string>> = { minions: { web1: publicPem }, minions_pre: { db1: publicPem } }
  return {
    opts: fromPlain({ pki_dir: '/pki', id: 'salt_master', hash_type: 'sha256' }) as Dict,
    host: await MemoryHost.with({ files: { '/pki/master.pub': publicPem } }),
    keys: {
      list: (folder: string) => Object.keys(keys[folder] ?? {}),
      pem: (folder: string, id: string) => keys[folder]?.[id],
    } as never,
  }
}

const finger = pemFingerprint(publicPem, 'sha256')

test('key.master_key_str returns the public key of the master under its name', async () => {
  expect(await callOn(await master(), key, 'master_key_str')).toEqual({ local: { 'salt.pub': publicPem } })
})

test('key.finger_all returns the fingerprints of all keys', async () => {
  const found = { minions: { web1: finger }, minions_pre: { db1: finger }, local: { 'salt.pub': finger } }
  expect(await callOn(await master(), key, 'finger_all')).toEqual(found)
})

test.each([['web*,x'], [['web*', 'x']]])('key.name_match takes globs as text or as a list: %j', async (match) => {
  expect(await callOn(await master(), key, 'name_match', match)).toEqual({ minions: ['web1'] })
})
