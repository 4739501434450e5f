// Parameters of the Systems Manager, against moto and against answers recorded from it.
import { expect, test } from 'vitest'
import { maskMarked } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsService, ways } from './service.ts'

test.each(ways())('boto_ssm sets, reads and deletes parameters, %s', async (way) => {
  const service = await awsService(way, 'ssm')
  try {
    const calls = new AwsCalls(service.url)
    expect(await calls.call('boto_ssm.get_parameter', { name: 'plain' })).toBe(false)
    const plain = { Name: 'plain', Value: '{"a": [1]}', Description: 'Plain' }
    expect(await calls.call('boto_ssm.put_parameter', plain)).toBe(1)
    expect(await calls.call('boto_ssm.put_parameter', plain)).toBe(false)
    expect(await calls.call('boto_ssm.put_parameter', { ...plain, Overwrite: true })).toBe(2)
    expect(await calls.call('boto_ssm.get_parameter', { name: 'plain' })).toBe('{"a": [1]}')
    expect(await calls.call('boto_ssm.get_parameter', { name: 'plain', resp_json: true })).toEqual({ a: [1] })
    const secure = { Name: 'secure', Value: 'a-secret-of-ssm', Type: 'SecureString' }
    await expect(calls.call('boto_ssm.put_parameter', secure)).rejects.toThrow('Require KeyId with SecureString')
    await expect(calls.call('boto_ssm.put_parameter', { ...plain, Type: 'Text' })).rejects.toThrow('Type needs to be')
    expect(await calls.call('boto_ssm.put_parameter', { ...secure, KeyId: 'alias/aws/ssm' })).toBe(1)
    expect(maskMarked('as a-secret-of-ssm')).not.toContain('a-secret-of-ssm')
    expect(await calls.call('boto_ssm.get_parameter', { name: 'secure' })).not.toBe('a-secret-of-ssm')
    const decrypted = await calls.call('boto_ssm.get_parameter', { name: 'secure', withdecryption: true })
    expect(decrypted).toBe('a-secret-of-ssm')
    expect(await calls.call('boto_ssm.delete_parameter', { Name: 'secure' })).toBe(true)
    expect(await calls.call('boto_ssm.delete_parameter', { Name: 'secure' })).toBe(false)
  } finally {
    await service.close()
  }
})
