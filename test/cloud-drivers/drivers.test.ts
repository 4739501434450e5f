// Drivers of providers whose servers cannot run here. The listeners answer with the shapes that the providers document; they were not
// recorded from the providers themselves.
import { describe, expect, test } from 'vitest'
import { toPlain } from '../../src/data/mod.ts'
import digitalocean from '../../src/library/cloud/digitalocean/driver.ts'
import hetzner from '../../src/library/cloud/hetzner/driver.ts'
import {
  act,
  ask,
  create,
  type Json,
  namesOf,
  open,
  type Provider,
  Reply,
  startListener,
  watchSteps,
} from './listener.ts'

const listener = startListener()
const steps = watchSteps()

describe('hetzner, by documented answers', () => {
  const servers = new Map<number, Json>()
  const asHetzner: Provider = ({ method, path, query, body }) => {
    const id = Number(/^\/servers\/(\d+)/.exec(path)?.[1])
    if (path === '/servers' && method === 'POST') {
      const row = {
        id: servers.size + 42,
        name: body['name'],
        status: 'initializing',
        public_net: { ipv4: { ip: '203.0.113.9' } },
        private_net: [{ network: 4711, ip: '10.0.0.2' }],
        server_type: { name: body['server_type'] },
        image: { name: body['image'] },
        labels: body['labels'],
      }
      servers.set(row.id, row)
      return { server: row, action: { id: 1, command: 'create_server', status: 'running' } }
    }
    if (path === '/servers') {
      const selector = query.get('label_selector')?.split('==')
      const all = [...servers.values()].filter(
        ({ labels }) => !selector || (labels as Json)[selector[0]!] === selector[1],
      )
      const page = Number(query.get('page'))
      const next_page = page < all.length ? page + 1 : null
      return { servers: all.slice(page - 1, page), meta: { pagination: { page, next_page } } }
    }
    const row = servers.get(id)
    if (path === '/server_types')
      return { server_types: [{ name: 'cx22', cores: 2 }], meta: { pagination: { next_page: null } } }
    if (!row) return undefined
    if (method === 'DELETE') {
      servers.delete(id)
      return { action: { command: 'delete_server', status: 'success' } }
    }
    const action = /\/actions\/(\w+)$/.exec(path)?.[1]
    if (action) return { action: { command: action } }
    row['status'] = 'running'
    return { server: row }
  }

  test('makes, lists, reboots and destroys machines, and undoes a creation', async () => {
    listener.provider = asHetzner
    const account = await open(hetzner, { key: 'token of a project', url: `${listener.url}/` })
    listener.refusing = [new Reply(429, { message: 'slow down' }, { 'retry-after': '0' })]
    const node = await create(hetzner, account, 'web1', {
      image: 'debian-12',
      size: 'cx22',
      location: 'fsn1',
      labels: { a: 'b' },
    })
    expect(node).toMatchObject({
      id: 42,
      name: 'web1',
      state: 'running',
      public_ips: ['203.0.113.9'],
      private_ips: ['10.0.0.2'],
    })
    await create(hetzner, account, 'web2', { image: 'debian-12', size: 'cx22' })
    expect(await namesOf(account)).toEqual(['web1', 'web2'])
    expect(await act(hetzner, account, 'reboot', 'web1')).toEqual({ command: 'reboot' })
    await account.undo!({ name: 'web2', token: 't-web2', noted: new Map() }, steps)
    await account.undo!({ name: 'web2', token: 't-web2', noted: new Map() }, steps)
    await account.destroy((await account.nodes())[0]!, steps)
    expect(await account.nodes()).toEqual([])
    expect([...(await account.sizes!()).keys()]).toEqual(['cx22'])
    const tokens = listener.asked.map(({ headers }) => headers.authorization)
    expect(new Set(tokens)).toEqual(new Set(['Bearer token of a project']))
    listener.refusing = [new Reply(401, { error: { code: 'unauthorized', message: 'unable to authenticate' } })]
    await expect(account.nodes()).rejects.toThrow(
      `The provider 'trial' cannot log in: ${listener.url} refuses the login of the setting 'key': unable to authenticate`,
    )
  })
})

describe('digitalocean, by documented answers', () => {
  const droplets = new Map<number, Json>()
  const asDigitalOcean: Provider = ({ method, path, query, body }) => {
    const id = Number(/^\/droplets\/(\d+)/.exec(path)?.[1])
    if (path === '/account/keys' && method === 'POST') return { ssh_key: { id: 512190, ...body } }
    if (path === '/account/keys/512190') return method === 'DELETE' ? {} : undefined
    if (path === '/floating_ips' && method === 'POST') return { floating_ip: { ip: '45.55.96.47', ...body } }
    if (path === '/floating_ips') return { floating_ips: [{ ip: '45.55.96.47' }], links: {}, meta: { total: 1 } }
    if (path === '/floating_ips/45.55.96.47/actions') return { action: { status: 'in-progress', ...body } }
    if (path === '/floating_ips/45.55.96.47') return method === 'DELETE' ? {} : { floating_ip: { ip: '45.55.96.47' } }
    if (path === '/account/keys') return { ssh_keys: [{ id: 512189, name: 'ops' }], links: {}, meta: { total: 1 } }
    if (path === '/droplets' && method === 'POST') {
      const row = {
        id: 3164444 + droplets.size,
        name: body['name'],
        status: 'new',
        size_slug: body['size'],
        image: { slug: body['image'] },
        tags: body['tags'],
        keys: body['ssh_keys'],
        networks: {
          v4: [
            { ip_address: '10.128.192.124', type: 'private' },
            { ip_address: '192.241.165.154', type: 'public' },
          ],
        },
      }
      droplets.set(row.id, row)
      return { droplet: row }
    }
    if (path === '/droplets' && method === 'DELETE') {
      for (const [key, row] of droplets)
        if ((row['tags'] as string[]).includes(query.get('tag_name')!)) droplets.delete(key)
      return {}
    }
    if (path === '/droplets') return { droplets: [...droplets.values()], links: {}, meta: { total: droplets.size } }
    const row = droplets.get(id)
    if (!row) return undefined
    if (method === 'DELETE') {
      droplets.delete(id)
      return {}
    }
    if (path.endsWith('/actions')) return { action: { status: 'in-progress', type: body['type'] } }
    row['status'] = 'active'
    return { droplet: row }
  }

  test('makes, lists, stops and destroys machines, and undoes a creation', async () => {
    listener.provider = asDigitalOcean
    const account = await open(digitalocean, { personal_access_token: 'token of an account', api_root: listener.url })
    const wanted = { image: 'debian-12-x64', size: 's-1vcpu-1gb', location: 'fra1' }
    const node = await create(digitalocean, account, 'web1', { ...wanted, ssh_key_names: ['ops'] })
    expect(node).toMatchObject({ name: 'web1', state: 'active', size: 's-1vcpu-1gb', public_ips: ['192.241.165.154'] })
    expect(toPlain(node.details!.get('keys')!)).toEqual([512189])
    expect(await ask(digitalocean, account, 'list_keypairs')).toEqual({ ops: { id: 512189, name: 'ops' } })
    await expect(create(digitalocean, account, 'web3', { ...wanted, ssh_key_names: ['none'] })).rejects.toThrow(
      "The ssh key 'none' is not known to DigitalOcean",
    )
    await create(digitalocean, account, 'web2', wanted)
    expect(await act(digitalocean, account, 'stop', 'web1')).toMatchObject({ type: 'shutdown' })
    await account.undo!({ name: 'web2', token: 't-web2', noted: new Map() }, steps)
    expect(await namesOf(account)).toEqual(['web1'])
    expect(await account.destroy(node, steps)).toBe(true)
    expect(await account.destroy(node, steps)).toBe(false)
    // a creation with an unknown result is not sent again
    listener.late = { method: 'POST', path: '/droplets', reply: new Reply(504, { message: 'a gateway gave up' }) }
    await expect(create(digitalocean, account, 'web4', wanted)).rejects.toThrow('a gateway gave up')
    expect(await account.nodes()).toHaveLength(1)
    await account.undo!({ name: 'web4', token: 't-web4', noted: new Map() }, steps)
    expect(await account.nodes()).toEqual([])
  })

  test('has functions about ssh keys and floating addresses', async () => {
    listener.provider = asDigitalOcean
    const account = await open(digitalocean, { personal_access_token: 'token of an account', api_root: listener.url })
    const call = (fun: string, kwargs: Record<string, string | number> = {}) => ask(digitalocean, account, fun, kwargs)
    const key = { name: 'new', public_key: 'ssh-ed25519 AAAA' }
    expect(await call('create_key', key)).toMatchObject({ ssh_key: key })
    expect(await call('show_keypair', { keyname: 'ops' })).toEqual({ id: 512189, name: 'ops' })
    await expect(call('show_keypair', { keyname: 'none' })).rejects.toThrow("The ssh key 'none' is not known")
    expect(await call('remove_key', { id: 512190 })).toBe(true)
    const floating_ip = '45.55.96.47'
    expect(await call('list_floating_ips')).toEqual({ [floating_ip]: { ip: floating_ip } })
    expect(await call('show_floating_ip', { floating_ip })).toEqual({ ip: floating_ip })
    expect(await call('create_floating_ip', { region: 'fra1' })).toMatchObject({ region: 'fra1' })
    await expect(call('create_floating_ip')).rejects.toThrow('Give either droplet_id or region')
    expect(await call('assign_floating_ip', { floating_ip, droplet_id: 7 })).toMatchObject({
      type: 'assign',
      droplet_id: 7,
    })
    expect(await call('unassign_floating_ip', { floating_ip })).toMatchObject({ type: 'unassign' })
    expect(await call('delete_floating_ip', { floating_ip })).toBe(true)
  })
})
