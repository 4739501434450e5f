import { expect, test } from 'vitest'
import type { Value } from '../data/mod.ts'
import { driverTable } from '../loader/mod.ts'
import { boundSettings, type CloudNode } from '../sdk/mod.ts'
import { listedAddress, withoutProviderLogin } from './login.ts'
import { refuseReaching } from './outside.ts'
import { DEPLOY_SETTINGS } from './settings.ts'

const node: CloudNode = {
  ...{ name: 'web1', id: '1', image: null, size: null, state: 'ACTIVE' },
  private_ips: ['10.0.0.5'],
  public_ips: ['198.41.0.10'],
  details: new Map<Value, Value>([
    ['floating_ips', ['198.41.0.10']],
    ['fixed_ips', []],
    ['public_ips', ['192.0.2.1']],
    ['tags', ['db.example']],
  ]),
}

test.each([
  ['floating_ips', '198.41.0.10'],
  ['fixed_ips', undefined],
  ['public_ips', undefined],
  ['other_ips', undefined],
  ['tags', undefined],
])("ssh_interface %s means %s of a driver's address lists", (name, address) => {
  const settings = boundSettings(DEPLOY_SETTINGS, new Map([['ssh_interface', name]]), 'test')
  expect(listedAddress(node, settings)).toBe(address)
  expect(listedAddress(node, { ...settings, ssh_host: 'web1.example' })).toBeUndefined()
})

test('the password of a provider is no password of its machines, unless the driver says so', async () => {
  const azurearm = (await driverTable['azurearm']!()).default
  const proxmox = (await driverTable['proxmox']!()).default
  const settings = new Map<Value, Value>([
    ['username', 'ops@example.com'],
    ['password', 'of the account'],
  ])
  const all = new Map<Value, Value>([...settings, ['ssh_password', 'of the machine']])
  expect(withoutProviderLogin({ driver: azurearm, settings }, all).get('password')).toBeUndefined()
  expect(withoutProviderLogin({ driver: azurearm, settings }, all).get('ssh_password')).toBe('of the machine')
  const own = new Map<Value, Value>([...all, ['password', 'of the profile']])
  expect(withoutProviderLogin({ driver: azurearm, settings }, own).get('password')).toBe('of the profile')
  expect(withoutProviderLogin({ driver: proxmox, settings }, all).get('password')).toBe('of the account')
})

test('callers give user data as text, and not as a path of a file of the master', () => {
  expect(() => refuseReaching(new Map([['userdata', '#cloud-config']]))).not.toThrow()
  expect(() => refuseReaching(new Map([['userdata', '/etc/shadow']]))).toThrow(
    "The setting 'userdata' with a path cannot be given by a caller",
  )
})
