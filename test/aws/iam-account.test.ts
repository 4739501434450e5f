// boto_iam's functions about the account: its password policy, certificates of servers, SAML providers, access keys in
// files, exports.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { type AwsService, awsService, ways } from './service.ts'

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
const PRIVATE = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n'

describe.each(ways())('the account in IAM, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  const folder = mkdtempSync(join(tmpdir(), 'aws-'))
  beforeAll(async () => {
    service = await awsService(way, 'iam-account')
    calls = new AwsCalls(service.url)
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await service.close()
  })
  const call = (name: string, given?: Plain) => calls.call(name, given)
  const apply = (name: string, given: Plain) => calls.apply(name, given)

  test('the password policy keeps fields that a state does not set', async () => {
    expect(await call('boto_iam.get_account_policy')).toBe(false)
    const policy = { name: 'policy', minimum_password_length: 12 }
    expect(await calls.run('boto_iam.account_policy', policy, false)).toMatchObject({
      result: false,
      comment: 'Account policy is not Enabled.',
    })
    const set = { minimum_password_length: 10, require_numbers: true }
    expect(await call('boto_iam.update_account_password_policy', set)).toBe(true)
    const changed = await apply('boto_iam.account_policy', policy)
    expect(changed.foreseen.comment).toBe('Account policy is set to be changed.')
    expect(changed.done.changes).toEqual({ minimum_password_length: '12' })
    expect(await call('boto_iam.get_account_policy')).toMatchObject({
      minimum_password_length: '12',
      require_numbers: 'true',
    })
  })

  test('a certificate is uploaded once, and its key is not shown', async () => {
    const given = { name: 'site', public_key: CERTIFICATE, private_key: PRIVATE }
    const made = await apply('boto_iam.server_cert_present', given)
    expect(made.done.comment).toBe('Certificate site was created.')
    expect(JSON.stringify(made)).not.toContain('MIIE')
    expect(await call('boto_iam.get_server_certificate', { cert_name: 'site' })).toMatchObject({
      get_server_certificate_response: {
        get_server_certificate_result: {
          server_certificate: { server_certificate_metadata: { server_certificate_name: 'site' } },
        },
      },
    })
    expect((await apply('boto_iam.server_cert_absent', { name: 'site' })).done.comment).toBe(
      'Certificate site was deleted.',
    )
    expect(await call('boto_iam.get_server_certificate', { cert_name: 'site' })).toBe(false)
    const own = { cert_name: 'own', cert_body: CERTIFICATE, private_key: PRIVATE }
    expect(await call('boto_iam.upload_server_cert', own)).toMatchObject({ upload_server_certificate_response: {} })
    expect(await call('boto_iam.upload_server_cert', own)).toBe(true)
    expect(await call('boto_iam.delete_server_cert', { cert_name: 'own' })).toMatchObject({
      delete_server_certificate_response: {},
    })
    expect(await call('boto_iam.delete_server_cert', { cert_name: 'own' })).toBe(false)
  })

  test('a SAML provider is made, changed and deleted', async () => {
    const metadata = `<a>${'x'.repeat(1000)}</a>`
    const made = await apply('boto_iam.saml_provider_present', { name: 'sso', saml_metadata_document: metadata })
    expect(made.done.changes).toEqual({ new: 'sso' })
    expect(await call('boto_iam.list_saml_providers')).toEqual(['sso'])
    expect(await call('boto_iam.get_saml_provider', { name: 'sso' })).toBe(metadata)
    const other = metadata.replaceAll('x', 'y')
    expect(await call('boto_iam.update_saml_provider', { name: 'sso', saml_metadata_document: other })).toBe(true)
    expect(await call('boto_iam.get_saml_provider', { name: 'sso' })).toBe(other)
    expect(await call('boto_iam.update_saml_provider', { name: 'no', saml_metadata_document: other })).toBe(false)
    expect((await apply('boto_iam.saml_provider_absent', { name: 'sso' })).done.changes).toEqual({ old: 'sso' })
    expect(await call('boto_iam.get_saml_provider_arn', { name: 'sso' })).toBe(false)
    expect(await call('boto_iam.create_saml_provider', { name: 'own', saml_metadata_document: metadata })).toBe(true)
    expect(await call('boto_iam.delete_saml_provider', { name: 'own' })).toBe(true)
    expect(await call('boto_iam.delete_saml_provider', { name: 'own' })).toBe(true)
  })

  test('access keys are appended to a file of their owner, and their secret parts are not shown', async () => {
    await call('boto_iam.create_user', { user_name: 'ann' })
    const given = { name: 'ann', number: 2, save_dir: folder, save_format: '{0} {1}\n' }
    const made = await apply('boto_iam.keys_present', given)
    expect(made.foreseen.comment).toBe('Access key is set to be created for ann.')
    const lines = readFileSync(join(folder, 'ann'), 'utf8').trim().split('\n')
    expect(statSync(join(folder, 'ann')).mode & 0o777).toBe(0o600)
    expect(lines).toHaveLength(2)
    const [id, secret] = lines[0]!.split(' ') as [string, string]
    expect(made.done.changes).toMatchObject({ 0: { key_id: id } })
    expect(JSON.stringify(made)).not.toContain(secret)
    const gone = await apply('boto_iam.keys_absent', { access_keys: [id], user_name: 'ann' })
    expect(gone.foreseen.result).toBe(null)
    expect(gone.done.changes).toEqual({ [id]: 'deleted' })
    expect(gone.again.comment).toContain(`Key ${id} does not exist.`)
    const none = await calls.run('boto_iam.keys_present', { ...given, name: 'nobody' }, false)
    expect(none).toMatchObject({ result: false, comment: 'IAM User nobody does not exist.' })
  })

  test('users and roles are exported as states', async () => {
    const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: ['s3:Get*'], Resource: '*' }] }
    const own = { user_name: 'ann', policy_name: 'read', policy_json: policy }
    expect(await call('boto_iam.put_user_policy', own)).toBe(true)
    const users = (await call('boto_iam.export_users')) as string
    expect(users).toContain('manage user ann:\n  boto_iam.user_present:\n')
    expect(users).toContain('s3:Get*')
    await call('boto_iam.create_role', { name: 'web' })
    expect(await call('boto_iam.export_roles')).toContain('manage role web:\n  boto_iam_role.present:\n')
  })
})
