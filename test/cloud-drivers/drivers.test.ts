// Drivers of providers whose servers cannot run here. The listeners answer with the shapes that the providers document; they were not
// recorded from the providers themselves.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain } from '../../src/data/mod.ts'
import { MemoryHost } from '../../src/host/mod.ts'
import digitalocean from '../../src/library/cloud/digitalocean/driver.ts'
import hetzner from '../../src/library/cloud/hetzner/driver.ts'
import {
  boundSettings,
  type CloudAccount,
  type CloudDriver,
  type CloudSteps,
  toValue,
  tryDriver,
} from '../../src/sdk/mod.ts'

type Json = Record<string, unknown>

interface Request {
  method: string
  path: string
  query: URLSearchParams
  body: Json
}

/** Answer a request, or undefined for status 404. */
type Provider = (request: Request) => Json | undefined

let server: Server
let url = ''
let provider: Provider = () => undefined
let busy = 0
/** The status with which the next request is answered after it was carried out. */
let lateFault: number | undefined
let tokens: (string | undefined)[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const { pathname: path, searchParams: query } = new URL(request.url!, url)
    tokens.push(request.headers.authorization)
    if (busy-- > 0) return void response.writeHead(429).end('{"message": "slow down"}')
    const answer = provider({ method: request.method!, path, query, body: text === '' ? {} : JSON.parse(text) })
    const fault = lateFault
    lateFault = undefined
    if (fault !== undefined) return void response.writeHead(fault).end('{"message": "a gateway gave up"}')
    response.writeHead(answer === undefined ? 404 : 200).end(answer === undefined ? '{}' : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const dict = (plain: Plain): Dict => fromPlain(plain) as Dict
const reported: string[] = []
const steps: CloudSteps = { report: async (event) => void reported.push(event), note: async () => {} }

const open = (driver: CloudDriver, settings: Plain): Promise<CloudAccount> =>
  tryDriver(driver, { provider: dict(settings), host: new MemoryHost() })

const create = (driver: CloudDriver, account: CloudAccount, name: string, settings: Plain) => {
  const written = dict({ wait_for_ip_interval: 0, ...(settings as object) })
  return account.create(
    { name, written, token: `t-${name}`, settings: boundSettings(driver.machine, written, name) },
    steps,
  )
}

const act = async (driver: CloudDriver, account: CloudAccount, action: string, name: string) => {
  const node = (await account.nodes()).find((one) => one.name === name)!
  const declared = driver.actions![action]!
  return toPlain(
    toValue(await declared.run(account, node, boundSettings(declared.args ?? {}, new Map(), action), steps)),
  )
}

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
    provider = asHetzner
    tokens = []
    const account = await open(hetzner, { key: 'token of a project', url })
    busy = 1
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
    expect((await account.nodes()).map(({ name }) => name)).toEqual(['web1', 'web2'])
    expect(await act(hetzner, account, 'reboot', 'web1')).toEqual({ command: 'reboot' })
    await account.undo!({ name: 'web2', token: 't-web2', noted: new Map() }, steps)
    await account.undo!({ name: 'web2', token: 't-web2', noted: new Map() }, steps)
    await account.destroy((await account.nodes())[0]!, steps)
    expect(await account.nodes()).toEqual([])
    expect([...(await account.sizes!()).keys()]).toEqual(['cx22'])
    expect(new Set(tokens)).toEqual(new Set(['Bearer token of a project']))
  })
})

describe('digitalocean, by documented answers', () => {
  const droplets = new Map<number, Json>()
  const asDigitalOcean: Provider = ({ method, path, query, body }) => {
    const id = Number(/^\/droplets\/(\d+)/.exec(path)?.[1])
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
    provider = asDigitalOcean
    const account = await open(digitalocean, { personal_access_token: 'token of an account', api_root: url })
    const wanted = { image: 'debian-12-x64', size: 's-1vcpu-1gb', location: 'fra1' }
    const node = await create(digitalocean, account, 'web1', { ...wanted, ssh_key_names: ['ops'] })
    expect(node).toMatchObject({ name: 'web1', state: 'active', size: 's-1vcpu-1gb', public_ips: ['192.241.165.154'] })
    expect(toPlain(node.details!.get('keys')!)).toEqual([512189])
    await expect(create(digitalocean, account, 'web3', { ...wanted, ssh_key_names: ['none'] })).rejects.toThrow(
      "The ssh key 'none' is not known to DigitalOcean",
    )
    await create(digitalocean, account, 'web2', wanted)
    expect(await act(digitalocean, account, 'stop', 'web1')).toMatchObject({ type: 'shutdown' })
    await account.undo!({ name: 'web2', token: 't-web2', noted: new Map() }, steps)
    expect((await account.nodes()).map(({ name }) => name)).toEqual(['web1'])
    expect(await account.destroy(node, steps)).toBe(true)
    expect(await account.destroy(node, steps)).toBe(false)
    // a creation of which nobody knows whether it was carried out is not sent again
    lateFault = 504
    await expect(create(digitalocean, account, 'web4', wanted)).rejects.toThrow('a gateway gave up')
    expect(await account.nodes()).toHaveLength(1)
    await account.undo!({ name: 'web4', token: 't-web4', noted: new Map() }, steps)
    expect(await account.nodes()).toEqual([])
  })
})
