// The driver for OpenStack, with answers written after its documentation; it was never tried with an OpenStack.
import { beforeEach, describe, expect, test } from 'vitest'
import { markedIn, type Plain } from '../../src/data/mod.ts'
import { MemoryHost } from '../../src/host/mod.ts'
import openstack from '../../src/library/cloud/openstack/driver.ts'
import { act, ask, create, namesOf, open, Reply, startListener, watchSteps } from './listener.ts'
import { IMAGE, OpenStackService, PASSWORD, SECRET } from './openstack-service.ts'

const listener = startListener()
let service: OpenStackService

beforeEach(() => {
  service = new OpenStackService(listener)
  listener.provider = service.answer
  listener.refusing = []
  listener.late = undefined
  listener.asked.length = 0
})

const authUrl = (): string => `${listener.url}/identity`
const byPassword = (more: Record<string, Plain> = {}, password = PASSWORD) =>
  open(openstack, {
    region_name: 'RegionOne',
    auth: { auth_url: authUrl(), username: 'demo', password, project_name: 'demo', user_domain_name: 'default' },
    ...more,
  })

const small = { image: 'debian-12', size: 'm1.small', network: 'inside', ssh_key_name: 'ops' }
const bodyOf = (): Record<string, unknown> => service.requested['server'] as Record<string, unknown>

describe('openstack, by documented answers', () => {
  test('makes a machine with a floating address, lists it, changes its power and destroys it', async () => {
    const account = await byPassword()
    const steps = watchSteps()
    const node = await create(
      openstack,
      account,
      'web1',
      { ...small, security_groups: ['default'], meta: { role: 'web' }, userdata: '#cloud-config' },
      steps,
    )
    expect(node).toMatchObject({
      name: 'web1',
      state: 'ACTIVE',
      size: 'm1.small',
      image: 'debian-12',
      private_ips: ['10.0.0.5'],
      public_ips: ['198.41.0.10'],
    })
    expect(bodyOf()).toEqual({
      name: 'web1',
      flavorRef: '2',
      imageRef: IMAGE,
      networks: [{ uuid: 'net-1' }],
      key_name: 'ops',
      security_groups: [{ name: 'default' }],
      metadata: { role: 'web', 'salt-cloud-creation': 't-web1' },
      user_data: Buffer.from('#cloud-config').toString('base64'),
    })
    expect(steps.events).toEqual(['requesting', 'querying'])
    for (const name of ['web2', 'web3'])
      await create(openstack, account, name, { ...small, auto_ip: false, ssh_interface: 'private_ips' })
    expect(await namesOf(account)).toEqual(['web1', 'web2', 'web3'])
    expect(await act(openstack, account, 'stop', 'web1')).toBe(true)
    expect((await account.nodes())[0]!.state).toBe('SHUTOFF')
    expect(await act(openstack, account, 'start', 'web1')).toBe(true)
    expect(await act(openstack, account, 'reboot', 'web1')).toBe(true)
    expect(await act(openstack, account, 'show_instance', 'web1')).toMatchObject({
      floating_ips: ['198.41.0.10'],
      fixed_ips: ['10.0.0.5'],
    })
    expect(await account.destroy(node, steps)).toBe(true)
    expect([await namesOf(account), service.floating.size]).toEqual([['web2', 'web3'], 0])
  })

  test('takes a free address first, one that is named, and none that another machine uses', async () => {
    const account = await byPassword()
    service.addFloating('198.41.0.77')
    const names = ['web1', 'web2']
    const made = await Promise.all(
      names.map((name) => create(openstack, account, name, { ...small, ssh_interface: 'floating_ips' })),
    )
    expect(made.flatMap(({ public_ips }) => public_ips).sort()).toEqual(['198.41.0.11', '198.41.0.77'])
    service.addFloating('198.41.0.80')
    expect(await create(openstack, account, 'web3', { ...small, ips: ['198.41.0.80'] })).toMatchObject({
      public_ips: ['198.41.0.80'],
    })
    await expect(create(openstack, account, 'web4', { ...small, ips: ['198.41.0.80'] })).rejects.toThrow(
      'is used by another machine',
    )
    await expect(create(openstack, account, 'web5', { ...small, ips: ['198.41.0.1'] })).rejects.toThrow(
      'no floating address 198.41.0.1',
    )
    // an address that was there before stays
    for (const node of await account.nodes()) await account.destroy(node, watchSteps())
    expect([...service.floating.values()].map((one) => one['floating_ip_address'])).toEqual([
      '198.41.0.77',
      '198.41.0.80',
    ])
  })

  test('a destroyed machine leaves the address that another machine has taken from it', async () => {
    const account = await byPassword()
    const node = await create(openstack, account, 'web1', small)
    const [address] = [...service.floating.values()]
    listener.provider = (asked) => {
      const answer = service.answer(asked)
      if (asked.method === 'DELETE' && asked.path.includes('/servers/')) address!['port_id'] = 'port-of-web2'
      return answer
    }
    expect(await account.destroy(node, watchSteps())).toBe(true)
    expect([...service.floating.values()]).toEqual([address])
  })

  test('a machine that no router leads to has its own address only', async () => {
    service.reachable = []
    const account = await byPassword()
    expect(await create(openstack, account, 'web1', { ...small, ssh_interface: 'fixed_ips' })).toMatchObject({
      public_ips: [],
    })
    await expect(create(openstack, account, 'web2', { ...small, ip_pool: 'public' })).rejects.toThrow(
      'web2 gets no floating address: POST /floatingips failed with status 404: External network is not reachable from subnet.',
    )
  })

  test('boots from a volume of its image, attaches volumes, and the undo removes what it made', async () => {
    const account = await byPassword()
    service.volumes.set('volume-old', { id: 'volume-old', name: 'data', status: 'available', metadata: {} })
    const steps = watchSteps()
    await create(
      openstack,
      account,
      'db1',
      { ...small, boot_from_volume: true, volume_size: 20, volumes: ['data'] },
      steps,
    )
    const [device] = bodyOf()['block_device_mapping_v2'] as Record<string, unknown>[]
    expect(device).toMatchObject({ source_type: 'volume', boot_index: 0, delete_on_termination: false })
    expect(service.volumes.get(String(device!['uuid']))).toMatchObject({ size: 20, imageRef: IMAGE, status: 'in-use' })
    expect(service.volumes.get('volume-old')!['status']).toBe('in-use')
    await create(openstack, account, 'db2', { ...small, boot_volume: 'volume-old' })
    const other = await byPassword()
    const unfinished = { name: 'db1', token: 't-db1', noted: steps.noted }
    await other.undo!({ ...unfinished, token: 't-other' }, watchSteps())
    expect(await namesOf(other)).toEqual(['db1', 'db2'])
    await other.undo!(unfinished, watchSteps())
    await other.undo!(unfinished, watchSteps())
    expect(await namesOf(other)).toEqual(['db2'])
    expect([...service.volumes.keys()]).toEqual(['volume-old'])
    expect(service.floating.size).toBe(1)
  })

  test('a server that fails is the error with its fault, and nothing of it stays after the undo', async () => {
    const account = await byPassword()
    service.fault = 'No valid host was found.'
    const steps = watchSteps()
    await expect(create(openstack, account, 'web1', small, steps)).rejects.toThrow(
      'web1 could not be made: No valid host was found.',
    )
    service.fault = undefined
    await account.undo!({ name: 'web1', token: 't-web1', noted: steps.noted }, watchSteps())
    expect(service.servers.size).toBe(0)
    await expect(create(openstack, account, 'web2', { ...small, ssh_key_name: 'none' })).rejects.toThrow(
      'status 400: Invalid key_name provided.',
    )
  })

  test('an undo finds a server whose name has signs of regular expressions', async () => {
    const account = await byPassword()
    const name = 'web(1)$|{2}'
    await create(openstack, account, name, { ...small, auto_ip: false, ssh_interface: 'private_ips' })
    await account.undo!({ name, token: `t-${name}`, noted: new Map() }, watchSteps())
    expect(service.servers.size).toBe(0)
  })

  test('a request with an unknown result is not repeated, and is undone', async () => {
    const account = await byPassword()
    listener.late = {
      method: 'POST',
      path: '/compute/v2.1/servers',
      reply: new Reply(504, { message: 'a gateway gave up' }),
    }
    await expect(create(openstack, account, 'web1', small)).rejects.toThrow('a gateway gave up')
    expect(service.servers.size).toBe(1)
    await (await byPassword()).undo!({ name: 'web1', token: 't-web1', noted: new Map() }, watchSteps())
    expect(service.servers.size).toBe(0)
  })

  test('a token that ends is renewed, and busy answers are waited out', async () => {
    const account = await byPassword()
    await account.nodes()
    service.tokens.clear()
    const busy = { 'retry-after': '0' }
    listener.refusing = [new Reply(429, { overLimit: { message: 'slow down' } }, busy), new Reply(503, {}, busy)]
    expect(await namesOf(account)).toEqual([])
    expect(service.logins).toHaveLength(2)
    expect(markedIn('gAAAAA-2')).not.toEqual([])
  })

  test('logs in by clouds.yaml, an application credential or a token', async () => {
    const files = {
      '/etc/openstack/clouds.yaml': `clouds:\n  lab:\n    region_name: RegionOne\n    auth:\n      auth_url: ${authUrl()}/v3\n      application_credential_id: app1\n  vendor: {profile: rackspace}\n`,
      '/etc/openstack/secure.yaml': `clouds: {lab: {auth: {application_credential_secret: ${SECRET}}}}\n`,
    }
    const host = await MemoryHost.with({ files })
    expect(await namesOf(await open(openstack, { cloud: 'lab' }, host))).toEqual([])
    expect(service.logins[0]).toEqual({
      auth: {
        identity: { methods: ['application_credential'], application_credential: { id: 'app1', secret: SECRET } },
      },
    })
    expect(markedIn(SECRET)).not.toEqual([])
    await (await open(openstack, { auth: { auth_url: authUrl(), token: 'old', project_id: 'p1' } })).nodes()
    expect(service.logins[1]).toEqual({
      auth: { identity: { methods: ['token'], token: { id: 'old' } }, scope: { project: { id: 'p1' } } },
    })
    await expect((await open(openstack, { cloud: 'nowhere' }, host)).nodes()).rejects.toThrow(
      "/etc/openstack/clouds.yaml has no cloud 'nowhere'",
    )
    await expect((await open(openstack, { cloud: 'vendor' }, host)).nodes()).rejects.toThrow(
      "has a 'profile' of a vendor",
    )
    await expect((await open(openstack, { cloud: 'lab' })).nodes()).rejects.toThrow('and no file has it')
  })

  test('a login that is refused is sent once, and is one error that names the setting', async () => {
    const account = await byPassword({}, 'wrong horse')
    await expect(account.nodes()).rejects.toThrow(
      `The provider 'trial' cannot log in: ${authUrl()}/v3 refuses the login of the setting 'auth': The request you have made requires`,
    )
    expect(service.logins).toHaveLength(1)
    await expect((await byPassword({ region_name: 'Elsewhere' })).nodes()).rejects.toThrow(
      "no service 'compute' with the interface 'public' in the region 'Elsewhere'",
    )
    await expect((await open(openstack, { auth: { auth_url: authUrl() } })).nodes()).rejects.toThrow(
      "needs 'username' and 'password'",
    )
    await expect((await open(openstack, { auth: {} })).nodes()).rejects.toThrow("needs 'auth_url' in 'auth'")
  })

  test('settings that cannot count are refused before anything is made', async () => {
    const account = await byPassword()
    const refused = (settings: Plain) => expect(create(openstack, account, 'web1', settings)).rejects
    await refused({ size: 'm1.small' }).toThrow("needs the setting 'image'")
    await refused({ image: 'debian-12' }).toThrow("needs the setting 'size'")
    await refused({ ...small, size: 'm9' }).toThrow("OpenStack has no flavor 'm9'")
    await refused({ ...small, image: 'twice' }).toThrow('write one of the ids image-2, image-3')
    await refused({ ...small, nics: [{ tag: 'x' }] }).toThrow('neither net-id, net-name nor port-id')
    await refused({ ...small, userdata: '/srv/none' }).toThrow('the file /srv/none of userdata does not exist')
    expect(service.servers.size).toBe(0)
  })

  test('further settings reach the request, and secrets stay out of events', async () => {
    const host = await MemoryHost.with({ files: { '/srv/init': '#!/bin/sh' } })
    const auth = { auth_url: authUrl(), username: 'demo', password: PASSWORD, project_name: 'demo' }
    const account = await open(openstack, { auth }, host)
    const steps = watchSteps()
    const settings = {
      image: IMAGE,
      flavor: '1',
      nics: [{ 'net-name': 'inside', 'v4-fixed-ip': '10.0.0.5' }, { 'port-id': 'port-9' }],
      group: 'apart',
      userdata: '/srv/init',
      files: { '/etc/motd': 'Hello' },
      extra: { name: 'other', metadata: { tier: 'front', 'salt-cloud-creation': 'none' }, min_count: 1 },
      admin_pass: 'for the admin',
      config_drive: true,
      wait_for_metadata: { 'salt-cloud-creation': 't-web1' },
      nat_destination: 'inside',
    }
    const node = await create(openstack, account, 'web1', settings, steps)
    expect(service.requested).toMatchObject({
      server: {
        networks: [{ uuid: 'net-1', fixed_ip: '10.0.0.5' }, { port: 'port-9' }],
        user_data: Buffer.from('#!/bin/sh').toString('base64'),
        personality: [{ path: '/etc/motd', contents: Buffer.from('Hello').toString('base64') }],
        adminPass: 'for the admin',
        config_drive: true,
        name: 'web1',
        metadata: { tier: 'front', 'salt-cloud-creation': 't-web1' },
        min_count: 1,
      },
      'os:scheduler_hints': { group: 'group-1' },
    })
    expect(steps.shown.join()).not.toContain('for the admin')
    expect(node.details!.has('adminPass')).toBe(false)
  })

  test('lists images, flavors, zones, networks and keys', async () => {
    const account = await byPassword()
    expect([...(await account.images!()).keys()]).toEqual(['debian-12', 'twice'])
    expect([...(await account.sizes!()).keys()]).toEqual(['m1.tiny', 'm1.small'])
    expect([...(await account.locations!()).keys()]).toEqual(['nova'])
    expect(await ask(openstack, account, 'list_networks')).toHaveLength(2)
    expect(await ask(openstack, account, 'list_subnets', { network: 'inside' })).toMatchObject([
      { network_id: 'net-1' },
    ])
    expect(await ask(openstack, account, 'list_security_groups')).toMatchObject([{ name: 'default' }])
    expect(Object.keys((await ask(openstack, account, 'list_keypairs')) as object)).toEqual(['ops'])
  })
})
