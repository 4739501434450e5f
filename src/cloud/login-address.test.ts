import { expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain } from '../data/mod.ts'
import { boundSettings, type CloudNode } from '../sdk/mod.ts'
import { addressOf } from './login.ts'
import { DEPLOY_SETTINGS } from './settings.ts'

const NODE: CloudNode = {
  ...{ name: 'web1', id: 1, image: null, size: null, state: 'running' },
  private_ips: ['10.0.0.4'],
  public_ips: ['203.0.113.9'],
}

const address = (settings: Plain): string =>
  addressOf(NODE, boundSettings(DEPLOY_SETTINGS, fromPlain(settings) as Dict, 'web1'))

test('addressOf() takes the address that ssh_interface or bootstrap_interface names', () => {
  expect(address({})).toBe('203.0.113.9')
  expect(address({ ssh_interface: 'private_ips' })).toBe('10.0.0.4')
  expect(address({ bootstrap_interface: 'private' })).toBe('10.0.0.4')
  expect(() => address({ bootstrap_interface: 'both' })).toThrow('bootstrap_interface of web1 is')
})
