// The driver azurearm against a listener that answers as the reference of Azure describes it; it was never tried with Azure itself.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Dict, decodeMsgpack, fromPlain, hideMarked, type Plain, toPlain } from '../../src/data/mod.ts'
import { MemoryHost } from '../../src/host/mod.ts'
import driver from '../../src/library/cloud/azurearm/driver.ts'
import { boundSettings, type CloudAccount } from '../../src/sdk/mod.ts'
import { until } from '../until.ts'
import { Azure, azureError, ROOT, SECRET, SUBNET } from './azure.ts'
import { act, ask, create, type Json, namesOf, open, Reply, startListener, watchSteps } from './listener.ts'

const listener = startListener()
const KEY = '/root/.ssh/id.pub'
const WANTED = {
  resource_group: 'web',
  location: 'westeurope',
  image: 'Debian|debian-12|12-gen2|latest',
  size: 'Standard_B2s',
  network: 'vnet',
  network_resource_group: 'net',
  ssh_username: 'ops',
  ssh_publickeyfile: KEY,
}

let azure: Azure
let account: CloudAccount

const provider = (more: object = {}): Plain => ({
  subscription_id: 's1',
  tenant: 't1',
  client_id: 'c1',
  secret: SECRET,
  cloud_environment: `${listener.url}/`,
  location: 'westeurope',
  operation_interval: 0,
  ...more,
})

const host = (): Promise<MemoryHost> =>
  MemoryHost.with({ files: { [KEY]: 'ssh-ed25519 AAAA ops\n', '/srv/setup.sh': 'echo a-command-with-secrets' } })

const reopen = async (more: object = {}): Promise<CloudAccount> => open(driver, provider(more), await host())
const put = (kind: string): Json =>
  listener.asked.findLast(({ method, path }) => method === 'PUT' && path.split('/').at(-2) === kind)!.body
const undo = (name: string, noted: Dict) => account.undo!({ name, token: `t-${name}`, noted }, watchSteps())
const diskOf = (name: string): string => `disks/${name}-vol0-${`t-${name}`.slice(0, 8)}`

beforeEach(async () => {
  azure = new Azure()
  azure.url = listener.url
  listener.provider = azure.answer
  listener.asked.length = 0
  account = await reopen()
})

describe('azurearm, by documented answers', () => {
  test('makes, lists, stops, restarts and destroys a machine', async () => {
    const steps = watchSteps()
    const settings = { ...WANTED, allocate_public_ip: true, tags: { role: 'web' }, security_group: 'ssh' }
    const node = await create(driver, account, 'web1', settings, steps)
    expect(node).toMatchObject({
      name: 'web1',
      id: 'b7a2',
      image: 'Debian|debian-12|12-gen2|latest',
      size: 'Standard_B2s',
      state: 'Succeeded',
      public_ips: ['203.0.113.9'],
    })
    expect(steps.events).toEqual(['requesting', 'querying'])
    const tags = { role: 'web', 'salt-cloud-creation': 't-web1' }
    expect(put('virtualMachines')).toMatchObject({
      tags,
      properties: {
        osProfile: {
          computerName: 'web1',
          adminUsername: 'ops',
          linuxConfiguration: {
            disablePasswordAuthentication: true,
            ssh: { publicKeys: [{ path: '/home/ops/.ssh/authorized_keys', keyData: 'ssh-ed25519 AAAA ops' }] },
          },
        },
      },
    })
    const group = `${ROOT}/resourceGroups/web/providers/Microsoft.Network`
    expect(put('networkInterfaces')).toMatchObject({
      tags,
      properties: {
        networkSecurityGroup: { id: `${group}/networkSecurityGroups/ssh` },
        ipConfigurations: [
          {
            name: 'web1-iface0-ip',
            properties: {
              subnet: { id: SUBNET },
              privateIPAllocationMethod: 'Dynamic',
              publicIPAddress: { id: `${group}/publicIPAddresses/web1-iface0-ip` },
            },
          },
        ],
      },
    })
    await create(driver, account, 'web2', { ...WANTED, private_ip_address: '10.0.0.9' })
    expect((await account.nodes()).map(({ name, public_ips, private_ips }) => [name, public_ips, private_ips])).toEqual(
      [
        ['web1', ['203.0.113.9'], ['10.0.0.4']],
        ['web2', [], ['10.0.0.9']],
      ],
    )
    expect(await act(driver, account, 'stop', 'web1')).toMatchObject({ status: 'Succeeded', name: 'deallocate' })
    expect(await act(driver, account, 'show_instance', 'web1')).toMatchObject({
      resource_group: 'web',
      instanceView: { statuses: [{ code: 'PowerState/deallocated' }] },
    })
    expect(await act(driver, account, 'start', 'web1')).toMatchObject({ name: 'start' })
    expect(await act(driver, account, 'restart', 'web1')).toMatchObject({ name: 'restart' })
    // interface, address and disk stay unless the provider says otherwise, and a machine of the same name gets the interface again
    expect(toPlain(await account.destroy(node, watchSteps()).then((done) => done as Dict))).toEqual({})
    const ofWeb1 = ['publicIPAddresses/web1-iface0-ip', 'networkInterfaces/web1-iface0', diskOf('web1')]
    const ofWeb2 = ['networkInterfaces/web2-iface0', 'virtualMachines/web2', diskOf('web2')]
    expect(azure.left()).toEqual([...ofWeb1, ...ofWeb2])
    expect(azure.tokens).toBe(1)
  })

  test('cleans up what the provider says', async () => {
    const cleaning = { cleanup_disks: true, cleanup_vhds: true, cleanup_data_disks: true, cleanup_interfaces: true }
    account = await reopen(cleaning)
    const volumes = [{ disk_size_gb: 50, caching: 'ReadWrite', managed_disk: { storage_account_type: 'Standard_LRS' } }]
    const node = await create(driver, account, 'db1', { ...WANTED, allocate_public_ip: true, volumes })
    expect((put('virtualMachines')['properties'] as Json)['storageProfile']).toMatchObject({
      dataDisks: [
        {
          name: 'db1-datadisk0',
          lun: 0,
          diskSizeGB: 50,
          caching: 'ReadWrite',
          createOption: 'Empty',
          managedDisk: { storageAccountType: 'Standard_LRS' },
        },
      ],
    })
    azure.reserved = 1
    const done = await account.destroy(node, watchSteps())
    expect(toPlain(done as Dict)).toEqual({
      delete_disk: { container: 'disks', blob: diskOf('db1').replace('disks/', '') },
      data: true,
      data_disks: { 'db1-datadisk0': { container: 'disks', blob: 'db1-datadisk0' } },
      cleanup_network: {
        cleanup_interfaces: true,
        resource_group: 'web',
        data: [{ 'db1-iface0': ['db1-iface0-ip'] }],
      },
    })
    expect(azure.left()).toEqual([])
  })

  test('sends userdata, a password and data for cloud-init, and shows none of it', async () => {
    const steps = watchSteps()
    const { ssh_publickeyfile: _, ...plain } = WANTED
    const settings = { ...plain, ssh_password: 'A-long-passw0rd', custom_data: '#cloud-config' }
    await create(driver, account, 'web1', { ...settings, userdata_file: '/srv/setup.sh' }, steps)
    expect(put('virtualMachines')['properties']).toMatchObject({
      osProfile: { adminPassword: 'A-long-passw0rd', customData: Buffer.from('#cloud-config').toString('base64') },
    })
    expect(put('extensions')['properties']).toMatchObject({
      type: 'CustomScript',
      protectedSettings: { commandToExecute: 'echo a-command-with-secrets' },
    })
    expect(steps.shown.join()).not.toMatch(/passw0rd|secrets/)
    await create(driver, account, 'web2', { ...WANTED, userdata_file: 'https://example.com/a/setup.py?x=1' })
    expect(put('extensions')['properties']).toMatchObject({
      protectedSettings: { fileUris: ['https://example.com/a/setup.py?x=1'], commandToExecute: './setup.py' },
    })
  })

  test('refuses settings that cannot work before anything is made', async () => {
    const failing = (more: object) => create(driver, account, 'web1', { ...WANTED, ...more }).then(String, String)
    const password = { ssh_publickeyfile: null }
    expect(await failing(password)).toContain("web1 needs the setting 'ssh_publickeyfile' or 'ssh_password'")
    expect(await failing({ ...password, ssh_password: 'short' })).toContain('must be between 8-123 characters long')
    expect(await failing({ ...password, ssh_password: 'onlylowercase' })).toContain('at least 3 of the following types')
    expect(await failing({ ssh_username: 'root' })).toContain("'ssh_username' of web1 must be the user")
    expect(await failing({ ssh_publickeyfile: '/none' })).toContain("Failed to read ssh publickey file '/none'")
    expect(await failing({ image: 'Debian' })).toContain("The image 'Debian' must be publisher|offer|sku|version")
    expect(await failing({ image: 'https://x/a.vhd' })).toContain('Azure ended unmanaged disks')
    expect(await failing({ volumes: [{ vhd: 'unmanaged' }] })).toContain('Azure ended unmanaged disks')
    expect(await failing({ load_balancer: 'lb' })).toContain(
      "'load_balancer' and 'backend_pool' must be given together",
    )
    expect(await failing({ subnet: 'none' })).toContain(
      'Azure has no such subnet (Resource Group: "net", VNET: "vnet", Subnet: "none")',
    )
    expect(await failing({ resource_group: '../x' })).toContain("'../x' is no name of a resource group")
    const disk = `${ROOT}/resourceGroups/web/providers/Microsoft.Compute/disks/data`
    azure.resources.set(disk, { id: disk, name: 'data' })
    expect(await failing({ volumes: ['data'] })).toContain('The disk data exists already')
    expect(azure.left()).toEqual(['disks/data'])
    const pools = { load_balancer_backend_address_pools: { lb: ['web', 'tls'] } }
    await create(driver, account, 'web1', { ...WANTED, ...pools, volumes: [{ name: 'data', attach: true }] })
    expect(await failing({})).toContain('The machine web1 exists already')
    expect(put('networkInterfaces')['properties']).toMatchObject({
      ipConfigurations: [{ properties: { loadBalancerBackendAddressPools: [{}, {}] } }],
    })
    await expect(create(driver, account, 'web2', { ...WANTED, iface_name: 'web1-iface0' })).rejects.toThrow(
      'The interface web1-iface0 belongs to another machine',
    )
  })

  test('a creation that fails in the middle leaves nothing, and existing resources stay', async () => {
    const settings = { ...WANTED, allocate_public_ip: true, volumes: [{ size: 20 }] }
    azure.failing = { kind: 'virtualMachines', code: 'AllocationFailed', message: 'We do not have sufficient capacity' }
    const steps = watchSteps()
    await expect(create(driver, account, 'db1', settings, steps)).rejects.toThrow(
      'The creation of db1 failed: AllocationFailed: We do not have sufficient capacity',
    )
    expect(azure.left()).toHaveLength(5)
    azure.reserved = 2
    await undo('db1', steps.noted)
    expect(azure.left()).toEqual([])
    await undo('db1', steps.noted)
    await undo('db1', new Map())
    // the interface and the disks of a destroyed machine stay, whatever happens to the next one
    const old = await create(driver, account, 'db1', settings)
    await account.destroy(old, watchSteps())
    const kept = azure.left()
    azure.failing = { kind: 'virtualMachines', code: 'SkuNotAvailable', message: 'no' }
    const again = watchSteps()
    const further = { ...settings, volumes: [{ name: 'db1-datadisk0', attach: true }] }
    const written = fromPlain(further) as Dict
    const bound = boundSettings(driver.machine, written, 'db1')
    const attempt = account.create({ name: 'db1', written, token: 'x-other', settings: bound }, again)
    await expect(attempt).rejects.toThrow('SkuNotAvailable')
    await account.undo!({ name: 'db1', token: 'x-other', noted: again.noted }, again)
    expect(azure.left()).toEqual(kept)
  })

  test('another process undoes a creation that was killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'brine-azure-'))
    const [key, notes] = [join(folder, 'id.pub'), join(folder, 'notes')]
    writeFileSync(key, 'ssh-ed25519 AAAA ops')
    const settings = JSON.stringify({ ...WANTED, allocate_public_ip: true, ssh_publickeyfile: key })
    const program = join(import.meta.dirname, 'creating.ts')
    const args = ['azurearm', 'web1', JSON.stringify(provider({ operation_interval: 1 })), settings, notes]
    const machines = () => azure.left().filter((id) => id.startsWith('virtualMachines/'))
    const carryOut = azure.answer
    listener.provider = (asked) => {
      azure.isStuck = machines().length > 0
      return carryOut(asked)
    }
    const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], { stdio: 'ignore' })
    await until('the machine is being made', () => machines().length === 1)
    child.kill('SIGKILL')
    await once(child, 'exit')
    listener.provider = carryOut
    azure.isStuck = false
    expect(azure.left()).toHaveLength(4)
    await undo('web1', decodeMsgpack(readFileSync(notes), { dialect: 'bus' }) as Dict)
    expect(azure.left()).toEqual([])
    rmSync(folder, { recursive: true })
  })

  test('asks again when Azure is busy', async () => {
    await namesOf(account)
    listener.refusing = [
      azureError(429, 'TooManyRequests', 'The request is being throttled.', { 'retry-after': '0' }),
      azureError(503, 'ServiceUnavailable', 'later', { 'retry-after': '0' }),
    ]
    expect(await namesOf(account)).toEqual([])
    azure.ended = azure.tokens
    expect(await namesOf(account)).toEqual([])
    expect(azure.tokens).toBe(2)
    listener.refusing = [new Reply(200, { value: [], nextLink: 'https://example.com/next' })]
    await expect(account.nodes()).rejects.toThrow('answers with a link to https://example.com/next')
  })

  test('reports a wrong login once and clearly, without secrets', async () => {
    const failing = async (more: object) => (await reopen(more)).nodes().then(String, String)
    const wrong = 'another-wrong-secret'
    expect(await failing({ secret: wrong })).toBe(
      "SaltCloudSystemExit: The provider 'trial' cannot log in: Azure refuses the service principal c1: AADSTS7000215: Invalid client secret provided.",
    )
    expect(listener.asked.filter(({ path }) => path.startsWith('/login/'))).toHaveLength(1)
    expect(await failing({ tenant: null })).toContain("needs the settings 'tenant' and 'client_id' with 'secret'")
    expect(await failing({ secret: null, username: 'larry', password: 'no' })).toContain('Azure refuses the user larry')
    expect(await failing({ secret: null, username: 'larry' })).toContain("needs the setting 'password'")
    expect(await failing({ cloud_environment: 'AZURE_MOON_CLOUD' })).toContain(
      'The azure AZURE_MOON_CLOUD cloud environment is not available.',
    )
    expect(await failing({ cloud_environment: `${listener.url}/none` })).toContain('does not tell where to log in')
    expect(await failing({ secret: null, username: 'larry', password: '123-pass' })).toBe('')
    azure.ended = 10
    expect(await failing({})).toContain("refuses the login of the setting 'secret': The access token expiry UTC time")
    expect(hideMarked('eyJ0-secret-token-1')).toBe('**********')
    const declared = { ...driver.provider, ...driver.machine }
    const secret = Object.entries(declared).filter(([, one]) => one.secret)
    expect(secret.map(([name]) => name)).toEqual(['secret', 'password', 'ssh_password', 'userdata', 'custom_data'])
  })

  test('uses the managed identity of the machine that it runs on', async () => {
    const onAzure = { tenant: null, client_id: null, secret: null, metadata_url: listener.url }
    expect(await namesOf(await reopen(onAzure))).toEqual([])
    await expect((await reopen({ ...onAzure, client_id: 'none' })).nodes()).rejects.toThrow(
      'gives no token (status 400): Identity not found',
    )
    await expect((await reopen({ ...onAzure, metadata_url: 'http://127.0.0.1:1' })).nodes()).rejects.toThrow(
      'does not answer: this is no machine of Azure',
    )
  })

  test('lists locations, sizes, images, groups, networks and accounts, and deletes what is asked', async () => {
    expect([...(await account.locations!()).keys()]).toEqual(['westeurope'])
    expect([...(await account.sizes!()).keys()]).toEqual(['Standard_B2s'])
    expect([...(await account.images!()).keys()]).toEqual([
      'Debian|debian-12|12-gen2|0.20260101.1',
      'Debian|debian-12|12-gen2|0.20260201.1',
    ])
    await expect((await reopen({ location: null })).sizes!()).rejects.toThrow("needs the setting 'location'")
    const call = (name: string, args: Plain = {}) => ask(driver, account, name, args)
    expect(await call('list_resource_groups')).toMatchObject({ web: { location: 'westeurope' } })
    expect(await call('list_storage_accounts')).toEqual({})
    expect(await call('list_virtual_networks')).toMatchObject({ default: {} })
    const subnets = await call('list_subnets', { resource_group: 'net', network: 'vnet' })
    expect(subnets).toMatchObject({ default: { resource_group: 'net', ip_configurations: { 'n-ip': {} } } })
    await expect(call('list_subnets', { network: 'vnet' })).rejects.toThrow('A resource group must be specified')
    await expect(call('list_subnets', { resource_group: 'net' })).rejects.toThrow('A "network" must be specified')
    const node = await create(driver, account, 'web1', { ...WANTED, allocate_public_ip: true })
    const blob = diskOf('web1').replace('disks/', '')
    const group = { resource_group: 'web' }
    await expect(call('delete_managed_disk', { ...group, blob })).rejects.toThrow(
      `The disk ${blob} is attached to web1`,
    )
    const extension = { ...group, extension_name: 'e', virtual_machine_name: 'web1' }
    const made = await call('create_or_update_vmextension', { ...extension, settings: { commandToExecute: 'id' } })
    expect(made).toMatchObject({ properties: { settings: { commandToExecute: 'id' } } })
    await expect(call('create_or_update_vmextension', { ...extension, settings: {} })).rejects.toThrow(
      'VM extension settings are not valid',
    )
    await account.destroy(node, watchSteps())
    expect(await call('delete_managed_disk', { ...group, blob })).toBe(true)
    await expect(call('delete_managed_disk', { ...group, blob })).rejects.toThrow(
      `Azure has no resourceGroups/web/disks/${blob}`,
    )
    expect(await call('delete_interface', { ...group, iface_name: 'web1-iface0' })).toEqual({
      'web1-iface0': ['web1-iface0-ip'],
    })
    expect(azure.left()).toEqual([])
  })
})
