// The driver gce against a listener that answers as the reference of Compute Engine describes it; it was never tried with Google itself.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Dict, decodeMsgpack, hideMarked, type Plain, toPlain } from '../../src/data/mod.ts'
import { MemoryHost } from '../../src/host/mod.ts'
import driver from '../../src/library/cloud/gce/driver.ts'
import type { CloudAccount } from '../../src/sdk/mod.ts'
import { until } from '../until.ts'
import { Google, googleError, ZONE } from './google.ts'
import { act, ask, create, namesOf, open, Reply, startListener, watchSteps } from './listener.ts'

const listener = startListener()
const KEY = '/etc/salt/google.json'
const WANTED = { image: 'debian-cloud/debian-12', location: ZONE, size: 'e2-small' }

let google: Google
let account: CloudAccount

const provider = (more: object = {}): Plain => ({
  project: 'p1',
  service_account_private_key: KEY,
  api_url: `${listener.url}/compute/v1/`,
  operation_interval: 0,
  ...more,
})

const hostWith = (key: string, mode = 0o600): Promise<MemoryHost> =>
  MemoryHost.with({ files: { [KEY]: { text: key, mode } } })

const body = (path: string) => listener.asked.findLast((one) => one.method === 'POST' && one.path.endsWith(path))!.body
const left = () => [...google.instances.keys(), ...google.disks.keys(), ...google.addresses.keys()]
const names = () => left().map((path) => path.replace(`p1/zones/${ZONE}/`, '').replace('p1/regions/us-central1/', ''))
const undo = (name: string, noted: Dict = new Map()) => account.undo!({ name, token: `t-${name}`, noted }, watchSteps())

beforeEach(async () => {
  google = new Google()
  google.url = listener.url
  listener.provider = google.answer
  listener.asked.length = 0
  account = await open(driver, provider(), await hostWith(google.keyFile()))
})

describe('gce, by documented answers', () => {
  test('makes, lists, stops, resets and destroys a machine', async () => {
    const steps = watchSteps()
    const node = await create(
      driver,
      account,
      'web1',
      {
        ...WANTED,
        labels: "{'role': 'web'}",
        tags: '["http", "https"]',
        metadata: { 'startup-script': 'echo a-secret-word' },
        ex_service_accounts: [{ scopes: ['bigquery', 'compute-ro'] }],
        preemptible: true,
      },
      steps,
    )
    expect(node).toMatchObject({ name: 'web1', id: '7000000000000000000', state: 'RUNNING', size: 'e2-small' })
    expect(node).toMatchObject({ public_ips: ['203.0.113.9'], private_ips: ['10.128.0.2'] })
    expect(steps.events).toEqual(['requesting', 'querying'])
    expect(body('/instances')).toMatchObject({
      machineType: `zones/${ZONE}/machineTypes/e2-small`,
      labels: { role: 'web', 'salt-cloud-creation': 't-web1' },
      tags: { items: ['http', 'https'] },
      metadata: {
        items: [
          { key: 'startup-script', value: 'echo a-secret-word' },
          { key: 'salt-cloud-profile', value: 'web' },
        ],
      },
      disks: [
        {
          autoDelete: true,
          initializeParams: {
            sourceImage: 'projects/debian-cloud/global/images/debian-12-bookworm-v20260201',
            labels: { 'salt-cloud-creation': 't-web1' },
          },
        },
      ],
      networkInterfaces: [
        { network: 'projects/p1/global/networks/default', accessConfigs: [{ name: 'External NAT' }] },
      ],
      serviceAccounts: [
        { scopes: ['https://www.googleapis.com/auth/bigquery', 'https://www.googleapis.com/auth/compute.readonly'] },
      ],
      scheduling: { preemptible: true, automaticRestart: false, onHostMaintenance: 'TERMINATE' },
    })
    await create(driver, account, 'web2', WANTED)
    expect((await account.nodes()).map(({ name, image }) => [name, image])).toEqual([
      ['web1', 'debian-12-bookworm-v20260201'],
      ['web2', 'debian-12-bookworm-v20260201'],
    ])
    expect(await act(driver, account, 'stop', 'web1')).toBe(true)
    const shown = await act(driver, account, 'show_instance', 'web1')
    expect(shown).toMatchObject({
      status: 'TERMINATED',
      metadata: { items: [{ value: '**********' }, { value: 'web' }] },
    })
    expect((await account.nodes())[0]).toMatchObject({ name: 'web1', state: 'STOPPED' })
    expect(await act(driver, account, 'start', 'web1')).toBe(true)
    expect(await act(driver, account, 'reboot', 'web1')).toBe(true)
    expect(listener.asked.some(({ path }) => path.endsWith('/instances/web1/reset'))).toBe(true)
    expect(await account.destroy(node, watchSteps())).toBe(true)
    expect(await account.destroy(node, watchSteps())).toBe(false)
    expect(names()).toEqual(['instances/web2', 'disks/web2'])
    expect(google.tokens).toBe(1)
  })

  test('finds images by name, family and beginning, in public projects too', async () => {
    const imageFor = async (name: string, image: string) => {
      listener.asked.length = 0
      await create(driver, account, name, { ...WANTED, image })
      return (body('/instances')['disks'] as { initializeParams: { sourceImage: string } }[])[0]!.initializeParams
        .sourceImage
    }
    const newest = 'projects/debian-cloud/global/images/debian-12-bookworm-v20260201'
    expect(await imageFor('a', 'debian-12')).toBe(newest)
    expect(await imageFor('b', 'debian-12-book')).toBe(newest)
    expect(await imageFor('c', `https://www.googleapis.com/compute/v1/${newest}`)).toBe(newest)
    await expect(imageFor('d', 'debian-99')).rejects.toThrow("The image 'debian-99' is not in p1, debian-cloud")
    expect([...(await account.images!()).keys()]).toEqual([
      'debian-12-bookworm-v20260101',
      'debian-12-bookworm-v20260201',
    ])
    expect(toPlain(await account.locations!())).toMatchObject({ [ZONE]: { status: 'UP' } })
    expect(toPlain(await account.sizes!())).toMatchObject({ 'e2-small': { guestCpus: 2, zones: ['a', 'b'] } })
  })

  test('makes a static address and further disks, without an external address for ssh', async () => {
    const settings = { ...WANTED, external_ip: 'web-ip', subnetwork: 'inner', ssh_interface: 'private_ips' }
    const volumes = '[{"size": 20, "type": "pd-ssd", "auto_delete": true}, {"snapshot": "s1"}]'
    const steps = watchSteps()
    await create(driver, account, 'db1', { ...settings, volumes }, steps)
    expect(steps.events).toEqual(['requesting', 'querying', 'attaching_volumes'])
    expect(names()).toEqual(['instances/db1', 'disks/db1', 'disks/db1-sdb', 'disks/db1-sdc', 'addresses/web-ip'])
    expect(body('/instances')['networkInterfaces']).toEqual([
      {
        subnetwork: 'projects/p1/regions/us-central1/subnetworks/inner',
        accessConfigs: [{ name: 'External NAT', type: 'ONE_TO_ONE_NAT', natIP: '198.51.100.7' }],
      },
    ])
    await act(driver, account, 'detach_disk', 'db1', { disk_name: 'db1-sdc' })
    await act(driver, account, 'attach_disk', 'db1', { disk_name: 'db1-sdc', mode: 'read_only' })
    expect(await act(driver, account, 'show_disk', 'db1', { disk_name: 'db1-sdb' })).toMatchObject({ sizeGb: '20' })
    await expect(act(driver, account, 'detach_disk', 'db1', { disk_name: 'none' })).rejects.toThrow(
      'The disk none is not attached to db1',
    )
    await act(driver, account, 'create_attach_volumes', 'db1', { volumes: [{ size: 5 }] })
    await account.destroy((await account.nodes())[0]!, watchSteps())
    // the address has a separate name, and a disk without `auto_delete` stays
    expect(names()).toEqual(['disks/db1-sdc', 'addresses/web-ip'])
    const inner = await create(driver, account, 'in1', { ...WANTED, external_ip: 'None' })
    expect(inner).toMatchObject({ public_ips: [], private_ips: ['10.128.0.2'] })
  })

  test('a creation that fails in the middle leaves nothing, and existing resources stay', async () => {
    const settings = { ...WANTED, external_ip: 'web-ip', volumes: [{ size: 20 }] }
    google.failing = { type: 'insert', name: 'db1-sdb', code: 'QUOTA_EXCEEDED', message: 'Quota DISKS_TOTAL_GB' }
    const steps = watchSteps()
    await expect(create(driver, account, 'db1', settings, steps)).rejects.toThrow(
      'The creation of the disk db1-sdb failed: QUOTA_EXCEEDED: Quota DISKS_TOTAL_GB',
    )
    expect(names()).toEqual(['instances/db1', 'disks/db1', 'addresses/web-ip'])
    await undo('db1', steps.noted)
    expect(left()).toEqual([])
    await undo('db1', steps.noted)
    // a machine boots from a disk of its name; neither the machine of another creation nor that disk is touched
    await ask(driver, account, 'create_disk', { disk_name: 'web1', location: ZONE, size: 10 })
    await create(driver, account, 'web1', WANTED)
    expect(body('/instances')['disks']).toMatchObject([{ source: `zones/${ZONE}/disks/web1` }])
    await create(driver, account, 'other', WANTED)
    await undo('web1')
    expect(names()).toEqual(['instances/other', 'disks/web1', 'disks/other'])
  })

  test('another process undoes a creation that was killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'brine-gce-'))
    const [key, notes] = [join(folder, 'key.json'), join(folder, 'notes')]
    writeFileSync(key, google.keyFile(), { mode: 0o600 })
    google.isStuck = true
    const settings = JSON.stringify({ ...WANTED, external_ip: 'ephemeral' })
    const given = JSON.stringify(provider({ service_account_private_key: key, operation_interval: 1 }))
    const program = join(import.meta.dirname, 'creating.ts')
    const args = ['--import', 'tsx', program, 'gce', 'web1', given, settings, notes]
    const child = spawn(process.execPath, args, { stdio: 'ignore' })
    await until('the machine is being made', () => google.instances.size === 1)
    child.kill('SIGKILL')
    await once(child, 'exit')
    google.isStuck = false
    await undo('web1', decodeMsgpack(readFileSync(notes), { dialect: 'bus' }) as Dict)
    expect(left()).toEqual([])
    rmSync(folder, { recursive: true })
  })

  test('asks again when Google is busy, and makes one machine only', async () => {
    await namesOf(account)
    listener.refusing = [
      new Reply(429, {}, { 'retry-after': '0' }),
      googleError(403, 'Rate Limit Exceeded', 'rateLimitExceeded'),
      googleError(503, 'Backend error', 'backendError'),
    ]
    expect(await namesOf(account)).toEqual([])
    const fault = googleError(502, 'Bad gateway', 'backendError')
    listener.late = { method: 'POST', path: `/compute/v1/projects/p1/zones/${ZONE}/instances`, reply: fault }
    await create(driver, account, 'web1', WANTED)
    const sent = listener.asked.filter(({ method, path }) => method === 'POST' && path.endsWith('/instances'))
    expect(sent).toHaveLength(2)
    expect(new Set(sent.map(({ query }) => query.get('requestId'))).size).toBe(1)
    expect(await namesOf(account)).toEqual(['web1'])
    google.ended = google.tokens
    expect(await namesOf(account)).toEqual(['web1'])
    expect(google.tokens).toBe(2)
  })

  test('reports a wrong login once and clearly, without secrets', async () => {
    const failing = async (more: object, key = google.keyFile(), mode?: number) =>
      (await open(driver, provider(more), await hostWith(key, mode))).nodes().then(
        () => '',
        (error: Error) => error.message,
      )
    const wrong = new Google().privateKey
    expect(await failing({}, google.keyFile(wrong))).toBe(
      `The provider 'trial' cannot log in: Google refuses the service account salt@p1.iam.gserviceaccount.com with the key ${KEY}: invalid_grant: Invalid JWT Signature.`,
    )
    expect(listener.asked.filter(({ path }) => path === '/token')).toHaveLength(1)
    expect(await failing({}, google.keyFile(), 0o644)).toContain('its mode is 644, and it must be 400 or 600')
    expect(await failing({ service_account_private_key: '/none' })).toContain('there is no such file')
    expect(await failing({}, '{"type": "authorized_user"}')).toContain('its type is authorized_user')
    expect(await failing({}, google.privateKey)).toContain("needs the setting 'service_account_email_address'")
    expect(await failing({}, google.keyFile('no key'))).toContain(`The key ${KEY} has no RSA private key in PEM`)
    google.ended = 10
    expect(await failing({})).toContain(
      `${listener.url}/compute/v1 refuses the login of the setting 'service_account_private_key': Request had invalid authentication credentials.`,
    )
    const line = google.privateKey.split('\n')[3]!
    expect(hideMarked(`${line} ya29.secret-token-1`)).toBe('********** **********')
    await expect(create(driver, account, 'Web_1', WANTED)).rejects.toThrow('VM names must start with a letter')
    await expect(create(driver, account, 'web1', { ...WANTED, tags: 'none' })).rejects.toThrow(
      "The setting 'tags' must be a list, not none",
    )
    for (const metadata of ['{startup-script: a-secret-word', 'a-secret-word']) {
      const wrong = create(driver, account, 'web1', { ...WANTED, metadata })
      await expect(wrong).rejects.toThrow(/^The setting 'metadata' (is a text that cannot be read|must be a dict)$/)
    }
  })

  test('uses the service account of the machine that it runs on', async () => {
    const onGoogle = provider({ service_account_private_key: '', metadata_url: `${listener.url}/` })
    expect(await namesOf(await open(driver, onGoogle))).toEqual([])
    const elsewhere = provider({ service_account_private_key: '', metadata_url: 'http://127.0.0.1:1' })
    await expect((await open(driver, elsewhere)).nodes()).rejects.toThrow(
      "The provider 'trial' cannot log in: the metadata service http://127.0.0.1:1 does not answer: this is no machine of Google",
    )
    const unknown = provider({
      service_account_private_key: '',
      service_account_email_address: 'other@p1',
      metadata_url: listener.url,
    })
    await expect((await open(driver, unknown)).nodes()).rejects.toThrow('gives no token (status 404)')
  })

  test('makes, shows and deletes networks, rules, checks, addresses, disks and snapshots', async () => {
    const call = (name: string, args: Plain) => ask(driver, account, name, args)
    expect(await call('create_network', { name: 'n1', mode: 'auto' })).toMatchObject({ autoCreateSubnetworks: true })
    await expect(call('create_network', { name: 'n2' })).rejects.toThrow('A network CIDR range must be specified')
    expect(await call('show_network', { name: 'n1' })).toMatchObject({ name: 'n1' })
    const subnet = { name: 's1', region: 'us-central1' }
    await call('create_subnetwork', { ...subnet, network: 'n1', cidr: '10.0.0.0/24' })
    expect(await call('show_subnetwork', subnet)).toMatchObject({ ipCidrRange: '10.0.0.0/24' })
    expect(await call('delete_subnetwork', subnet)).toBe(true)
    expect(await call('delete_network', { name: 'n1' })).toBe(true)
    await expect(call('delete_network', { name: 'n1' })).rejects.toThrow("The project 'p1' has no network n1")
    await call('create_fwrule', { name: 'f1', allow: 'tcp:80,tcp:443,icmp', src_tags: 'a,b' })
    expect(await call('show_fwrule', { name: 'f1' })).toMatchObject({
      allowed: [{ IPProtocol: 'tcp', ports: ['80', '443'] }, { IPProtocol: 'icmp' }],
      sourceTags: ['a', 'b'],
    })
    await expect(call('create_fwrule', { name: 'f2', allow: 'gre' })).rejects.toThrow('Unsupported protocol gre')
    await call('delete_fwrule', { name: 'f1' })
    expect(await call('create_hc', { name: 'h1', port: 8080 })).toMatchObject({ port: 8080, requestPath: '/' })
    expect(await call('show_hc', { name: 'h1' })).toMatchObject({ checkIntervalSec: 5 })
    await call('delete_hc', { name: 'h1' })
    const address = { name: 'a1', region: 'us-central1' }
    expect(await call('create_address', address)).toMatchObject({ address: '198.51.100.7' })
    expect(await call('show_address', address)).toMatchObject({ status: 'RESERVED' })
    await call('delete_address', address)
    await call('create_disk', { disk_name: 'd1', location: ZONE, image: 'debian-12' })
    expect(await call('show_disk', { disk_name: 'd1' })).toMatchObject({
      sourceImage: 'projects/debian-cloud/global/images/debian-12-bookworm-v20260201',
    })
    expect(await call('create_snapshot', { name: 'snap', disk_name: 'd1' })).toMatchObject({ name: 'snap' })
    expect(await call('show_snapshot', { name: 'snap' })).toMatchObject({ name: 'snap' })
    await call('delete_snapshot', { name: 'snap' })
    expect(await call('delete_disk', { disk_name: 'd1' })).toBe(true)
    await expect(call('show_disk', { disk_name: 'd1' })).rejects.toThrow("The project 'p1' has no disk d1")
    await expect(call('show_network', { name: '../x' })).rejects.toThrow("'../x' is no name of a network")
    expect(left()).toEqual([])
  })
})
