// Keys of KMS, against moto and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, ways } from './service.ts'

const POLICY = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { AWS: '*' }, Action: 'kms:*', Resource: '*' }],
}
const OTHER = { ...POLICY, Id: 'other' }

type Reply = Record<string, Record<string, string> & string>

describe.each(ways())('boto_kms, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  beforeAll(async () => {
    service = await awsService(way, 'kms')
    calls = new AwsCalls(service.url)
  })
  afterAll(() => service.close())
  const call = async (name: string, given?: Plain) => (await calls.call(name, given)) as Reply

  test('a key has the settings of its state', async () => {
    const key = { name: 'shop', policy: POLICY, description: 'Of the shop' }
    const made = await calls.apply('boto_kms.key_present', { ...key, key_rotation: true })
    expect(made.foreseen).toMatchObject({ result: null, changes: { new: { key: 'shop' } } })
    expect(made.done.comment).toContain('Key shop created.')
    expect(made.done.changes['new']).toEqual({ key: 'shop', key_rotation: true })
    const other = { ...key, policy: OTHER, description: 'Of another', enabled: false }
    const changed = await calls.apply('boto_kms.key_present', other)
    expect(changed.foreseen.result).toBeNull()
    expect(changed.foreseen.changes).toEqual(changed.done.changes)
    expect(changed.done.changes['new']).toEqual({
      description: 'Of another',
      policy: OTHER,
      enabled: false,
      key_rotation: false,
    })
    if (way === 'moto') {
      const { KeyMetadata } = await awsCli(service.url)('kms', 'describe-key', '--key-id', 'alias/shop')
      expect(KeyMetadata).toMatchObject({ Description: 'Of another', Enabled: false })
    }
    const back = await calls.apply('boto_kms.key_present', { ...key, policy: OTHER })
    expect(back.done.comment).toContain('Updated key description.')
    expect(back.done.comment).toContain('Enabled key.')
    await expect(calls.run('boto_kms.key_present', { name: 'none', policy: {} }, true)).rejects.toThrow('policy')
  })

  test('keys, aliases and policies are read and changed by functions', async () => {
    expect(await call('boto_kms.key_exists', { key_id: 'alias/lab' })).toEqual({ result: false })
    const { key_metadata } = await call('boto_kms.create_key', { policy: POLICY, description: 'lab' })
    const id = key_metadata!['KeyId']!
    expect(await call('boto_kms.create_alias', { alias_name: 'alias/lab', target_key_id: id })).toEqual({
      result: true,
    })
    expect(await call('boto_kms.create_alias', { alias_name: 'alias/lab', target_key_id: id })).toMatchObject({
      result: false,
      error: { aws: { code: 'AlreadyExistsException' } },
    })
    expect(await call('boto_kms.key_exists', { key_id: 'alias/lab' })).toEqual({ result: true })
    const key = { key_id: 'alias/lab' }
    expect(await call('boto_kms.update_key_description', { ...key, description: 'labs' })).toEqual({ result: true })
    expect(await call('boto_kms.describe_key', key)).toMatchObject({ key_metadata: { KeyId: id, Description: 'labs' } })
    expect(await call('boto_kms.describe_key', { key_id: 'alias/none' })).toMatchObject({
      error: { aws: { code: 'NotFoundException' } },
    })
    expect(await call('boto_kms.list_key_policies', key)).toEqual({ key_policies: ['default'] })
    expect(await call('boto_kms.put_key_policy', { ...key, policy_name: 'default', policy: OTHER })).toEqual({
      result: true,
    })
    expect(await call('boto_kms.get_key_policy', { ...key, policy_name: 'default' })).toEqual({ key_policy: OTHER })
    expect(await call('boto_kms.enable_key_rotation', key)).toEqual({ result: true })
    expect(await call('boto_kms.get_key_rotation_status', key)).toEqual({ result: true })
    expect(await call('boto_kms.disable_key_rotation', key)).toEqual({ result: true })
    expect(await call('boto_kms.disable_key', key)).toEqual({ result: true })
    expect(await call('boto_kms.disable_key', { key_id: 'alias/none' })).toMatchObject({
      result: false,
      error: { aws: { code: 'NotFoundException' } },
    })
    expect(await call('boto_kms.enable_key', key)).toEqual({ result: true })
    const grantee_principal = 'arn:aws:iam::123456789012:role/web'
    const { grant } = await call('boto_kms.create_grant', { ...key, grantee_principal, operations: ['Decrypt'] })
    expect(await call('boto_kms.list_grants', key)).toMatchObject({
      grants: [{ GrantId: grant!['GrantId'], KeyId: id }],
    })
    expect(await call('boto_kms.revoke_grant', { ...key, grant_id: grant!['GrantId']! })).toEqual({ result: true })
    expect(await call('boto_kms.list_grants', key)).toEqual({ grants: [] })
  })

  test('data is encrypted and decrypted', async () => {
    const context = { encryption_context: { user: 'ann' } }
    const { ciphertext } = await call('boto_kms.encrypt', { key_id: 'alias/lab', plaintext: 'péché', ...context })
    const text = Buffer.from(ciphertext as unknown as Uint8Array).toString('base64')
    const opened = await call('boto_kms.decrypt', { ciphertext_blob: text, ...context })
    expect(Buffer.from(opened['plaintext'] as unknown as Uint8Array).toString()).toBe('péché')
    expect(await call('boto_kms.decrypt', { ciphertext_blob: text })).toMatchObject({ error: { aws: { status: 400 } } })
    await expect(call('boto_kms.decrypt', { ciphertext_blob: 'no base64!' })).rejects.toThrow('base64')
    const again = {
      ciphertext_blob: text,
      destination_key_id: 'alias/shop',
      source_encryption_context: { user: 'ann' },
    }
    const { ciphertext: other } = await call('boto_kms.re_encrypt', again)
    const blob = Buffer.from(other!['CiphertextBlob'] as unknown as Uint8Array).toString('base64')
    const { plaintext } = await call('boto_kms.decrypt', { ciphertext_blob: blob })
    expect(Buffer.from(plaintext as unknown as Uint8Array).toString()).toBe('péché')
    const { data_key } = await call('boto_kms.generate_data_key', { key_id: 'alias/lab', key_spec: 'AES_256' })
    expect(data_key!['Plaintext']).toHaveLength(32)
    const bare = await call('boto_kms.generate_data_key_without_plaintext', {
      key_id: 'alias/lab',
      number_of_bytes: 16,
    })
    expect(Object.keys(bare['data_key']!).sort()).toEqual(expect.arrayContaining(['CiphertextBlob', 'KeyId']))
    expect(bare['data_key']).not.toHaveProperty('Plaintext')
    expect((await call('boto_kms.generate_random', { number_of_bytes: 24 }))['random']).toHaveLength(24)
  })
})
