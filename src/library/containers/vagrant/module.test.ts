import { expect, test } from 'vitest'
import { dictFrom, hideMarked, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import vagrant from './module.ts'

const STATUS = `Current machine states:

web                       running (virtualbox)
db                        not created (virtualbox)

This environment represents multiple VMs.`
const GLOBAL = `id       name   provider   state   directory
----------------------------------------------------
3ad1f2c  web    virtualbox running /srv/lab
77aa001  other  virtualbox running /srv/other
`
const SSH = `Host web
  HostName 127.0.0.1
  User vagrant
  Port 2222
  UserKnownHostsFile /dev/null
  StrictHostKeyChecking no
  IdentityFile /srv/lab/key
`
const OUTPUTS: Record<string, string> = {
  'vagrant -v': 'Vagrant 2.3.7',
  'vagrant status': STATUS,
  'vagrant status web': STATUS.replace(/^db.*\n/m, ''),
  'vagrant global-status': GLOBAL,
  'vagrant up': "Bringing machine 'default' up\n==> default: Importing base box\n",
  'vagrant ssh-config web': SSH,
  'ip addr show': '    inet 127.0.0.1/8 scope host lo\n    inet 10.240.3.7/24 brd 10.240.3.255 scope global eth1\n',
}

/** A machine with Vagrant, and an sdb that keeps values. */
function lab() {
  const kept = new Map<string, Value>()
  const calls: string[] = []
  const host = new MemoryHost()
  const others = {
    'sdb.get': ([uri]: readonly Value[]) => kept.get(String(uri)) ?? null,
    'sdb.set': ([uri, value]: readonly Value[]) => kept.set(String(uri), value!) && true,
    'sdb.delete': ([uri]: readonly Value[]) => kept.delete(String(uri)),
    'cmd.run_all': ([argv]: readonly Value[], given: object) => {
      const line = (argv as string[]).join(' ')
      calls.push(`${String((given as Record<string, Value>)['cwd'] ?? '')}$ ${line}`)
      const stdout = OUTPUTS[line] ?? (line.endsWith('ip addr show') ? OUTPUTS['ip addr show']! : '')
      return dictFrom({ retcode: 0, stdout, stderr: '' })
    },
  }
  const call = async (name: string, args: Value[] = [], kwargs: Record<string, Value> = {}) =>
    toPlain((await tryFunction(vagrant, name, { args, kwargs, others, host })) as Value)
  return { call, kept, calls, host }
}

test("stores Salt's data about a machine, and finds it by both names", async () => {
  const { call } = lab()
  expect(await call('init', ['web1', '/srv/lab'], { machine: 'web', runas: 'ann' })).toBe(
    'Name web1 defined using VM web',
  )
  expect(await call('get_vm_info', ['web1'])).toMatchObject({ machine: 'web', cwd: '/srv/lab', runas: 'ann' })
  expect(await call('get_machine_id', ['web', '/srv/lab'])).toBe('web1')
  expect(await call('list_domains')).toEqual(['web1'])
  expect(await call('vm_state', ['web1'])).toEqual([
    { machine: 'web', state: 'running', provider: 'virtualbox', name: 'web1' },
  ])
  await expect(call('get_vm_info', ['none'])).rejects.toThrow('No Vagrant machine defined for Salt_id none')
  await expect(call('init', ['x'])).rejects.toThrow('Path to Vagrantfile must be defined')
  await expect(call('init', ['x', '/srv'], { machine: '-f' })).rejects.toThrow("'-f' is no name of a machine")
})

test('lists machines by their state', async () => {
  const { call } = lab()
  expect(await call('version')).toBe('Vagrant 2.3.7')
  expect(await call('list_active_vms', ['/srv/lab'])).toEqual(['web'])
  expect(await call('list_inactive_vms', ['/srv/lab'])).toEqual(['db'])
  await expect(call('vm_state')).rejects.toThrow('must be given as cwd')
})

test('starts, stops and destroys machines in the directory of their Vagrantfile', async () => {
  const { call, calls, kept } = lab()
  expect(await call('init', ['one', '/srv/lab'], { start: true })).toBe(
    'Started "one" using Vagrant machine "default".',
  )
  expect(await call('start', ['one'])).toBe('Started "one" using Vagrant machine "default".')
  for (const name of ['stop', 'shutdown', 'pause']) expect(await call(name, ['one'])).toBe(true)
  expect(await call('reboot', ['one'], { provision: true })).toBe(true)
  expect(await call('destroy', ['one'])).toBe('Destroyed VM one')
  expect(kept.size).toBe(0)
  expect(calls).toEqual([
    '/srv/lab$ vagrant up',
    '/srv/lab$ vagrant up default',
    '/srv/lab$ vagrant halt default',
    '/srv/lab$ vagrant halt default',
    '/srv/lab$ vagrant suspend default',
    '/srv/lab$ vagrant reload default --provision',
    '/srv/lab$ vagrant destroy -f default',
  ])
})

test('returns the SSH settings of a machine, and marks its key as a secret', async () => {
  const { call, host } = lab()
  await host.makeDirectory('/srv/lab', { parents: true })
  await host.write('/srv/lab/key', 'PRIVATE-KEY-OF-WEB')
  await call('init', ['web1', '/srv/lab'], { machine: 'web' })
  expect(await call('get_ssh_config', ['web1'], { network_mask: '10.240.0.0/16', get_private_key: true })).toEqual({
    ...{ key_filename: '/srv/lab/key', ssh_username: 'vagrant', ssh_host: '127.0.0.1', ssh_port: '2222' },
    ...{ ip_address: '10.240.3.7', private_key: 'PRIVATE-KEY-OF-WEB' },
  })
  expect(hideMarked('PRIVATE-KEY-OF-WEB')).not.toContain('PRIVATE')
  await call('init', ['db1', '/srv/lab'], { machine: 'db' })
  await expect(call('get_ssh_config', ['db1'])).rejects.toThrow('Insufficient SSH information to contact VM db')
})
