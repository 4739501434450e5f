// salt-cloud itself, beside a real master, with the drivers gce and azurearm against their listeners: files, events,
// kill -9, and output.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saltCloud } from '../../src/cli/cloud/main.ts'
import { toPlain } from '../../src/data/mod.ts'
import { type TestMaster, TestSite } from '../integration/site.ts'
import { until } from '../until.ts'
import { Azure, SECRET } from './azure.ts'
import { Google, ZONE } from './google.ts'
import { startListener } from './listener.ts'

const listener = startListener()
const google = new Google()
const azure = new Azure()

let site: TestSite
let master: TestMaster

interface Service {
  /** Return the billed resources. */
  left: () => string[]
  stick: (isStuck: boolean) => void
  secrets: () => string[]
}

const services: Record<string, Service> = {
  gce: {
    left: () => [...google.instances.keys(), ...google.disks.keys()],
    stick: (isStuck) => {
      google.isStuck = isStuck
    },
    secrets: () => ['ya29.secret-token', 'echo a-secret-word', ...google.privateKey.split('\n').slice(1, 5)],
  },
  azurearm: {
    left: () => azure.left(),
    stick: (isStuck) => {
      azure.isStuck = isStuck
    },
    secrets: () => ['eyJ0-secret-token', SECRET, 'A-long-passw0rd', 'echo a-secret-word'],
  },
}

beforeAll(async () => {
  for (const service of [google, azure]) service.url = listener.url
  listener.provider = (asked) => (/^\/(token$|compute)/.test(asked.path) ? google.answer(asked) : azure.answer(asked))
  site = await TestSite.open()
  master = await site.master('master', '127.0.0.1', { auto_accept: false, keysize: 2048 })
  const write = (name: string, content: object | string): void => {
    mkdirSync(join(master.config, name, '..'), { recursive: true })
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(join(master.config, name), text, { mode: 0o600 })
  }
  write('google.json', google.keyFile())
  write('cloud', { cachedir: join(site.root, 'cloud'), deploy: false })
  write('cloud.providers.d/all.conf', {
    gce: {
      driver: 'gce',
      project: 'p1',
      service_account_private_key: join(master.config, 'google.json'),
      api_url: `${listener.url}/compute/v1`,
      operation_interval: 1,
    },
    azurearm: {
      ...{ driver: 'azurearm', subscription_id: 's1', tenant: 't1', client_id: 'c1', secret: SECRET },
      ...{ cloud_environment: listener.url, operation_interval: 1, cleanup_interfaces: true },
      ...{ cleanup_disks: true, cleanup_vhds: true },
    },
  })
  write('cloud.profiles.d/all.conf', {
    gce: {
      ...{ provider: 'gce', image: 'debian-12', location: ZONE, wait_for_ip_interval: 0 },
      metadata: { 'startup-script': 'echo a-secret-word' },
    },
    azurearm: {
      ...{ provider: 'azurearm', image: 'Debian|debian-12|12-gen2|latest', size: 'Standard_B2s', location: 'west' },
      ...{ resource_group: 'web', network: 'vnet', network_resource_group: 'net', ssh_username: 'ops' },
      ...{ ssh_password: 'A-long-passw0rd', userdata: 'echo a-secret-word' },
    },
  })
})
afterAll(() => site.close())

async function cloud(...words: string[]): Promise<{ status: number; out: string; err: string }> {
  const ended = { status: -1, out: '', err: '' }
  const streams = {
    out: (text: string) => void (ended.out += text),
    err: (text: string) => void (ended.err += text),
    terminal: false,
  }
  ended.status = await saltCloud(['-c', master.config, '--out=json', ...words], streams)
  return ended
}

const program = ['--import', 'tsx', join(import.meta.dirname, '..', 'cloud', 'salt-cloud.ts')]

describe.each(Object.entries(services))('salt-cloud with %s', (driver, { left, stick, secrets }) => {
  it('creates, shows and destroys a machine of a profile, and reveals no secret', async () => {
    const name = `${driver}-1`
    const made = await cloud('-l', 'all', '-p', driver, name)
    expect(JSON.parse(made.out)).toMatchObject({ [name]: { name, private_ips: [expect.any(String)] } })
    expect(made.status).toBe(0)
    expect(made.err).not.toMatch(/nothing reads/i)
    expect(JSON.parse((await cloud('-Q')).out)[driver]).toMatchObject({ [driver]: { [name]: { name } } })
    expect((await cloud('-a', driver === 'gce' ? 'reboot' : 'restart', name, '-y')).status).toBe(0)
    const gone = await cloud('-l', 'all', '-d', name, '-y')
    expect(gone.status).toBe(0)
    expect(left()).toEqual([])
    await master.event(new RegExp(`^salt/cloud/${name}/destroyed$`))
    const tags = master.seen.map(({ tag }) => tag).filter((tag) => tag.startsWith(`salt/cloud/${name}/`))
    expect(tags.map((tag) => tag.split('/')[3])).toEqual([
      ...['creating', 'requesting', 'querying', 'created'],
      ...(driver === 'gce' ? ['rebooting', 'rebooted'] : ['rebooting']),
      ...['destroying', 'destroyed'],
    ])
    const told = [
      made.out,
      made.err,
      gone.out,
      gone.err,
      JSON.stringify(master.seen.map(({ data }) => toPlain(data))),
    ].join()
    for (const secret of secrets()) expect(told).not.toContain(secret)
  })

  it('removes after kill -9 what the killed run had made', async () => {
    const name = `${driver}-2`
    stick(true)
    const child = spawn(process.execPath, [...program, '-c', master.config, '-p', driver, name], { stdio: 'ignore' })
    await until('something is billed', () => left().length > 0)
    child.kill('SIGKILL')
    await once(child, 'exit')
    stick(false)
    const after = await cloud('-Q')
    expect(after.err).toContain(`An earlier run was ended while it created ${name}`)
    expect(after.status).toBe(0)
    expect(left()).toEqual([])
  })
})
