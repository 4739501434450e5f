// The driver for Proxmox VE, with answers written after the vendor's documentation; it was never tried with a Proxmox VE.
import { beforeEach, describe, expect, test } from 'vitest'
import { markedIn } from '../../src/data/mod.ts'
import proxmox from '../../src/library/cloud/proxmox/driver.ts'
import { act, ask, create, namesOf, open, Reply, startListener, watchSteps } from './listener.ts'
import { PASSWORD, ProxmoxService, TOKEN, USER } from './proxmox-service.ts'

const listener = startListener()
let service: ProxmoxService

beforeEach(() => {
  service = new ProxmoxService()
  listener.provider = service.answer
  listener.refusing = []
  listener.asked.length = 0
})

const byToken = () => open(proxmox, { url: listener.url, user: USER, token_name: 'cloud', token_value: TOKEN })
const byPassword = (password = PASSWORD) => open(proxmox, { url: listener.url, user: USER, password })

const container = {
  technology: 'lxc',
  host: 'pve1',
  image: 'local:vztmpl/debian-12.tar.zst',
  net0: 'name=eth0,bridge=vmbr0,ip=192.0.2.10/24,gw=192.0.2.1',
  memory: 512,
  unprivileged: true,
  pubkey: 'ssh-ed25519 AAAA ops',
}
const cloned = { technology: 'qemu', clone: true, clone_from: 9000, agent_get_ip: true, ignore_cidr: '172.16.0.0/12' }

describe('proxmox, by documented answers', () => {
  test('makes a container, lists it, changes its power and destroys it', async () => {
    const account = await byToken()
    const steps = watchSteps()
    const node = await create(proxmox, account, 'web1', container, steps)
    expect(node).toMatchObject({
      name: 'web1',
      id: '100',
      state: 'running',
      public_ips: [],
      private_ips: ['192.0.2.10'],
    })
    expect(service.guests.get('100')!.config).toMatchObject({
      hostname: 'web1',
      ostemplate: container.image,
      unprivileged: '1',
      memory: '512',
      'ssh-public-keys': container.pubkey,
    })
    expect(steps.events).toEqual(['requesting', 'querying'])
    expect(await namesOf(account)).toEqual(['web1'])
    expect(await act(proxmox, account, 'stop', 'web1')).toEqual({ Stopped: 'web1 was stopped.' })
    expect((await account.nodes())[0]).toMatchObject({ state: 'stopped', private_ips: ['192.0.2.10'] })
    expect(await act(proxmox, account, 'start', 'web1')).toEqual({ Started: 'web1 was started.' })
    expect(await act(proxmox, account, 'reboot', 'web1')).toEqual({ Rebooted: 'web1 was rebooted.' })
    expect(await act(proxmox, account, 'show_instance', 'web1')).toMatchObject({ vmid: 100, config: { memory: '512' } })
    expect(await act(proxmox, account, 'shutdown', 'web1')).toEqual({ Shutdown: 'web1 was shutdown.' })
    await act(proxmox, account, 'start', 'web1')
    await account.destroy(node, steps)
    expect([...service.guests.keys()]).toEqual(['9000'])
  })

  test('clones a machine, merges its settings, and asks its agent for the address', async () => {
    service.agent.silent = 2
    const account = await byPassword()
    const node = await create(proxmox, account, 'db1', {
      ...cloned,
      net0: 'bridge=vmbr7',
      cores: 4,
      sshkeys: 'ssh-ed25519 AAAA ops\n',
    })
    expect(node).toMatchObject({ name: 'db1', private_ips: ['192.0.2.44', '172.17.0.1'] })
    expect(service.guests.get('100')!.config).toMatchObject({
      net0: 'virtio=BC:24:11:00:00:02,bridge=vmbr7,firewall=1',
      cores: '4',
      sshkeys: 'ssh-ed25519%20AAAA%20ops%0A',
    })
    // the other forms: a dict of parameters, a name, a node before the id
    await create(proxmox, account, 'db2', {
      technology: 'qemu',
      clone: { vmid: 9000, newid: 222, full: true },
      agent_get_ip: true,
    })
    await create(proxmox, account, 'db3', { ...cloned, clone_from: 'debian-12' })
    await create(proxmox, account, 'db4', { ...cloned, clone_from: 'pve1:9000', host: 'pve2' })
    expect(service.guests.has('222')).toBe(true)
    expect([...service.guests.values()].map(({ node: where }) => where)).toEqual([
      'pve1',
      'pve1',
      'pve1',
      'pve1',
      'pve2',
    ])
    await expect(create(proxmox, account, 'db5', { ...cloned, clone_from: 4 })).rejects.toThrow(
      "db5: there is no qemu machine '4' to clone",
    )
  })

  test('a container with dhcp is asked for its address, and a machine of which none can be known is refused', async () => {
    const account = await byToken()
    const node = await create(proxmox, account, 'web1', { ...container, net0: 'name=eth0,bridge=vmbr0,ip=dhcp' })
    expect(node.private_ips).toEqual(['10.1.2.3'])
    const bare = { technology: 'qemu', create: { node: 'pve1', scsi0: 'local-lvm:8', memory: 1024 } }
    await expect(create(proxmox, account, 'web2', bare)).rejects.toThrow('web2 has no address that is known')
    expect(await create(proxmox, account, 'web3', { ...bare, deploy: false })).toMatchObject({ state: 'running' })
    expect(await create(proxmox, account, 'web4', { ...bare, ip_address: '45.79.1.7' })).toMatchObject({
      public_ips: ['45.79.1.7'],
    })
  })

  test('an id that another machine takes meanwhile is not used, and that machine stays', async () => {
    service.takenMeanwhile.push('foreign')
    const account = await byToken()
    expect(await create(proxmox, account, 'web1', container)).toMatchObject({ id: '101' })
    expect(await namesOf(account)).toEqual(['foreign', 'web1'])
    const names = ['a1', 'a2', 'a3']
    const made = await Promise.all(names.map((name) => create(proxmox, account, name, container)))
    expect(made.map(({ id }) => id)).toEqual(['102', '103', '104'])
  })

  test('an unfinished creation is undone by another process, and only that one', async () => {
    const steps = watchSteps()
    await create(proxmox, await byToken(), 'web1', { ...container, protection: 1 }, steps)
    await create(proxmox, await byToken(), 'web2', container)
    const other = await byToken()
    const unfinished = { name: 'web1', token: 't-web1', noted: steps.noted }
    // the id belongs to another creation
    await other.undo!({ ...unfinished, token: 't-other' }, watchSteps())
    expect(await namesOf(other)).toEqual(['web1', 'web2'])
    await other.undo!(unfinished, watchSteps())
    await other.undo!(unfinished, watchSteps())
    await other.undo!({ ...unfinished, noted: new Map() }, watchSteps())
    expect(await namesOf(other)).toEqual(['web2'])
  })

  test('a task that goes on is ended by the undo, and one that fails is the error', async () => {
    service.failing.set('vzcreate', "unable to create CT 100 - no such logical volume 'pve/data'")
    const account = await byToken()
    await expect(create(proxmox, account, 'web1', container)).rejects.toThrow(
      /UPID:pve1:.* failed: unable to create CT/,
    )
    expect(await namesOf(account)).toEqual([])
    service.failing.clear()
    service.endless.add('vzcreate')
    const ending = new AbortController()
    const steps = watchSteps()
    const settings = { url: listener.url, user: USER, token: `cloud=${TOKEN}` }
    const interrupted = create(proxmox, await open(proxmox, settings, undefined, ending.signal), 'web2', container, {
      ...steps,
      report: async (event) => {
        if (event === 'querying') ending.abort()
      },
      note: async (facts) => steps.note(facts),
    })
    await expect(interrupted).rejects.toThrow('aborted')
    await account.undo!({ name: 'web2', token: 't-web2', noted: steps.noted }, watchSteps())
    expect([...service.tasks.values()].at(-2)).toMatchObject({ exitstatus: 'interrupted by signal' })
    expect(await namesOf(account)).toEqual([])
  })

  test('a protected machine is not destroyed', async () => {
    const account = await byToken()
    const node = await create(proxmox, account, 'web1', { ...container, protection: 1 })
    await expect(account.destroy(node, watchSteps())).rejects.toThrow('web1 is protected from being destroyed')
    expect((await account.nodes())[0]!.state).toBe('running')
  })

  test('a ticket is renewed, and busy answers are waited out', async () => {
    const account = await byPassword()
    await create(proxmox, account, 'web1', container)
    service.tickets.clear()
    listener.refusing = [
      new Reply(429, { message: 'too many' }, { 'retry-after': '0' }),
      new Reply(503, {}, { 'retry-after': '0' }),
    ]
    expect(await namesOf(account)).toEqual(['web1'])
    expect(service.logins).toBe(2)
  })

  test('a login that is refused is one error that names the settings', async () => {
    const account = await byPassword('wrong horse')
    const refused = `The provider 'trial' cannot log in: ${listener.url}/api2/json refuses the login of the setting 'password': authentication failure`
    await expect(account.nodes()).rejects.toThrow(refused)
    expect(listener.asked.filter(({ path }) => path.endsWith('/access/ticket'))).toHaveLength(1)
    const stale = await open(proxmox, { url: listener.url, user: USER, token: 'cloud=old' })
    await expect(stale.nodes()).rejects.toThrow(/the login of the setting 'token_value' or 'token': authentication/)
    await expect(open(proxmox, { url: listener.url, user: USER })).rejects.toThrow(
      "needs 'token_name' and 'token_value'",
    )
    await expect(open(proxmox, { user: USER, password: 'x' })).rejects.toThrow("needs the setting 'url'")
  })

  test('errors name the parameters that the interface refuses', async () => {
    const account = await byToken()
    await expect(create(proxmox, account, 'web1', { ...container, memory: 'much' })).rejects.toThrow(
      "Parameter verification failed. memory: type check ('integer') failed",
    )
    await expect(create(proxmox, account, 'web1', { ...container, technology: 'openvz' })).rejects.toThrow(
      'lxc in its place',
    )
    await expect(create(proxmox, account, 'web1', { ...container, host: null })).rejects.toThrow(
      "the setting 'host' must name",
    )
    await expect(create(proxmox, account, 'web1', { ...container, host: '..' })).rejects.toThrow(
      "'..' is no name of a node",
    )
    await expect(create(proxmox, account, 'web1', { ...container, image: null })).rejects.toThrow(
      "needs the setting 'image'",
    )
    await expect(create(proxmox, account, 'web1', { ...container, ignore_cidr: 'x' })).rejects.toThrow(
      'which is no network',
    )
  })

  test('events hold no passwords, and tickets are marked as secrets', async () => {
    const steps = watchSteps()
    const secrets = { password: 'root of web1', env: 'DB_PASSWORD=of-the-database' }
    await create(proxmox, await byPassword(), 'web1', { ...container, ...secrets }, steps)
    expect(service.guests.get('100')!.config).toMatchObject({ password: 'root of web1' })
    for (const secret of ['root of web1', 'of-the-database']) expect(steps.shown.join()).not.toContain(secret)
    expect(markedIn([...service.tickets][0]!)).not.toEqual([])
  })

  test('lists nodes, images and resources', async () => {
    const account = await byToken()
    expect([...(await account.locations!()).keys()]).toEqual(['pve1', 'pve2'])
    expect([...(await account.images!()).keys()]).toEqual(['local:vztmpl/debian-12.tar.zst', 'qemu/9000'])
    expect(Object.keys((await ask(proxmox, account, 'avail_images')) as object)).toHaveLength(2)
    expect(await ask(proxmox, account, 'get_resources_nodes', { resFilter: 'pve1' })).toMatchObject({
      status: 'online',
    })
    expect(await ask(proxmox, account, 'get_resources_vms')).toMatchObject({ 'debian-12': { config: { agent: '1' } } })
  })
})
