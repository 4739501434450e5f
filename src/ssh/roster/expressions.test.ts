import { createServer as createHttp, type Server } from 'node:http'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../test/free-port.ts'
import { rosterTargets } from './mod.ts'
import { expandNodeSet } from './node-sets.ts'
import { rosterSite } from './roster.test-support.ts'

const open: (Server | NetServer)[] = []

afterEach(async () => {
  for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve))
})

async function listening<T extends Server | NetServer>(server: T): Promise<number> {
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const answering = () => listening(createServer((socket) => socket.end()))

describe('the scan roster', () => {
  it('has the addresses whose port is open', async () => {
    const port = await answering()
    const options = { roster: 'scan', ssh_scan_ports: `1,${port}`, ssh_scan_timeout: 5, roster_defaults: { user: 'u' } }
    const site = rosterSite({}, options)
    const found = { '127.0.0.1': { user: 'u', host: '127.0.0.1', port } }
    expect(await site.settings('127.0.0.1')).toEqual(found)
    expect(await site.settings('127.0.0.1/32')).toEqual(found)
    expect(await site.settings('127.0.0.0/29')).toEqual(found)
    expect(await site.settings('127.0.0.1,127.0.0.1', 'list')).toEqual(found)
    expect(await site.ids('notanaddress')).toEqual([])
    expect(await site.ids('127.0.0.1/8')).toEqual([])
  })

  it('has an address that is named even if no port is open', async () => {
    const site = rosterSite({}, { roster: 'scan', ssh_scan_ports: [await freePort()], ssh_scan_timeout: 5 })
    expect(await site.settings('127.0.0.1')).toEqual({ '127.0.0.1': { host: '127.0.0.1' } })
    expect(await site.ids('127.0.0.1/32')).toEqual([])
  })

  it('refuses large networks and wrong ports', async () => {
    const site = rosterSite({}, { roster: 'scan' })
    await expect(site.ids('10.0.0.0/8')).rejects.toThrow('10.0.0.0/8 has more than 65536 addresses')
    await expect(site.ids('2001:db8::/64')).rejects.toThrow('more than 65536')
    site.opts.set('ssh_scan_ports', '22,ssh')
    expect(await site.ids('127.0.0.1/32')).toEqual([])
    expect(site.lines).toEqual(["error Option 'ssh_scan_ports' names 'ssh', which is no port"])
  })
})

describe('node sets', () => {
  it('are expanded as ClusterShell does', () => {
    expect(expandNodeSet('node[1-3,5]')).toEqual(['node1', 'node2', 'node3', 'node5'])
    expect(expandNodeSet('a[08-10]b[1-2],c')).toEqual(['a08b1', 'a08b2', 'a09b1', 'a09b2', 'a10b1', 'a10b2', 'c'])
    expect(expandNodeSet('n[0-8/4]')).toEqual(['n0', 'n4', 'n8'])
    expect(expandNodeSet('n[1-5]!n[2-3]')).toEqual(['n1', 'n4', 'n5'])
    expect(expandNodeSet('n[1-5]&n[4-9]')).toEqual(['n4', 'n5'])
    expect(expandNodeSet('n[1-3]^n[3-4]')).toEqual(['n1', 'n2', 'n4'])
  })

  it('are refused when they are wrong or too large', () => {
    for (const wrong of ['n[1-', 'n[3-1]', 'n[a-b]', 'n]', 'n[1-2/0]', 'a b']) {
      expect(() => expandNodeSet(wrong), wrong).toThrow(/is no node set/)
    }
    expect(() => expandNodeSet('n[1-9999999]')).toThrow('more than 65536 names')
    expect(() => expandNodeSet('n[1-999]m[1-999]')).toThrow('more than 65536 names')
  })
})

describe('the clustershell roster', () => {
  it('has the hosts of a node set with the open port', async () => {
    const port = await answering()
    const site = rosterSite({}, { roster: 'clustershell', ssh_scan_ports: [port], ssh_scan_timeout: 5 })
    expect(await site.settings('localhost,nosuch[1-2].invalid')).toEqual({
      localhost: { host: '127.0.0.1', port },
      'nosuch1.invalid': { host: 'nosuch1.invalid' },
      'nosuch2.invalid': { host: 'nosuch2.invalid' },
    })
  })

  it('asks ClusterShell for groups', async () => {
    const site = rosterSite({
      'bin/nodeset': '#!/bin/sh\ntest "$4" = @web && printf "web1.invalid\\nweb2.invalid\\n"\n',
    })
    site.opts.set('roster', 'clustershell')
    const request = site.request('@web')
    request.host.which = async (name) => (name === 'nodeset' ? site.path('bin/nodeset') : undefined)
    expect((await rosterTargets(request)).map(({ id }) => id)).toEqual(['web1.invalid', 'web2.invalid'])
    request.host.which = async () => undefined
    expect(await rosterTargets(request)).toEqual([])
    expect(site.lines.at(-1)).toContain("the group in '@web' needs ClusterShell")
  })
})

describe('a range server', () => {
  const rangeServer = () =>
    listening(
      createHttp((request, response) => {
        const query = decodeURIComponent(request.url ?? '')
        if (query === '/range/list?%web') response.end('web1\nweb2\n')
        else response.writeHead(200, { RangeException: 'NOCLUSTER' }).end()
      }),
    )

  it('names the targets of the range roster', async () => {
    const site = rosterSite({}, { roster: 'range', range_server: `127.0.0.1:${await rangeServer()}` })
    expect(await site.settings('%web')).toEqual({
      web1: { host: 'web1', user: 'root' },
      web2: { host: 'web2', user: 'root' },
    })
    expect(await site.ids('%none')).toEqual([])
    expect(site.lines.at(-1)).toMatch(/^error Can't access roster for backend range: Range server exception: NOCLUSTER/)
  })

  it('names the targets of other rosters with -R and R@', async () => {
    const site = rosterSite(
      { roster: 'web1: a\nweb3: b\ndb: c\n' },
      { range_server: `127.0.0.1:${await rangeServer()}` },
    )
    expect(await site.ids('%web', 'range')).toEqual(['web1'])
    expect(await site.ids('R@%web or db', 'compound')).toEqual(['web1', 'db'])
  })

  it('that does not answer is a clear error', async () => {
    const server = `127.0.0.1:${await freePort()}`
    const site = rosterSite({}, { roster: 'range', range_server: server })
    expect(await site.ids('%web')).toEqual([])
    expect(site.lines.at(-1)).toMatch(new RegExp(`Range server exception: .*The option 'range_server' is '${server}'`))
  })
})
