import { expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { type Plain, toPlain, type Value } from '../data/mod.ts'
import { callerOptions } from './caller-options.ts'

const taken = (given: Record<string, Value>, isOwner = false, roster = 'flat'): Plain =>
  toPlain(
    callerOptions(new Map([['roster', roster]]), new Map<Value, Value>(Object.entries(given)), { isOwner }, silentLog),
  )

test('callers of the API choose how to log in, and no files, programs or forwards of the master', () => {
  const harmless = { ssh_user: 'deploy', ssh_port: '2222', ssh_sudo: 1, ssh_passwd: 'x' }
  expect(taken(harmless)).toEqual({ ssh_user: 'deploy', ssh_port: 2222, ssh_sudo: true, ssh_passwd: 'x' })
  const others = {
    ssh_priv: '/root/.ssh/id_rsa',
    ssh_options: ['Compression=yes'],
    ssh_pre_hook: 'id',
    ssh_remote_port_forwards: '1:a:2',
    ssh_update_roster: true,
    rosters: ['/'],
    cachedir: '/',
    pki_dir: '/',
  }
  expect(taken(others)).toEqual({})
  expect(taken({ roster_file: 'few' })).toEqual({ roster_file: 'few', __disable_custom_roster: true })
})

test('the owner may give all options of salt-ssh, but for a proxy command', () => {
  expect(taken({ ssh_priv: '/k', ssh_options: ['Compression=yes'], cachedir: '/' }, true)).toEqual({
    ssh_priv: '/k',
    ssh_options: ['Compression=yes'],
  })
  expect(taken({ ssh_options: ['proxycommand=id'], ssh_user: 'a\nb', ssh_timeout: 'x' }, true)).toEqual({})
})

test('rosters of expressions are for callers of the API only where the master has them', () => {
  expect(taken({ roster: 'scan' })).toEqual({})
  expect(taken({ roster: 'flat, scan' })).toEqual({})
  expect(taken({ roster: 'scan' }, false, 'flat,scan')).toEqual({ roster: 'scan' })
  expect(taken({ roster: 'cache' })).toEqual({ roster: 'cache' })
})
