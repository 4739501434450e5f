// The driver ec2 against moto, and against answers recorded from it.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import driver from '../../src/library/aws/ec2/driver.ts'
import { boundSettings, type CloudAccount, type CloudSteps, toValue, tryDriver } from '../../src/sdk/mod.ts'
import { type AwsService, awsService, hasMoto, ways, withoutMoto } from './service.ts'

const dict = (plain: Plain): Dict => fromPlain(plain) as Dict

describe.each(ways())('the driver ec2, %s', (way) => {
  let service: AwsService
  let account: CloudAccount
  let reported: string[] = []
  let noted: Dict = new Map()
  const steps: CloudSteps = {
    report: async (event) => void reported.push(event),
    note: async (facts) => {
      noted = new Map([...noted, ...facts])
    },
  }

  beforeAll(async () => {
    service = await awsService(way, 'ec2-driver')
    const provider = dict({ id: 'AKID', key: 'a secret key', endpoint: service.url, location: 'us-east-1' })
    account = await tryDriver(driver, { provider, host: new LocalHost() })
  })
  afterAll(() => service.close())

  const IMAGE = 'ami-03cf127a'
  const create = (name: string, settings: Plain = {}) => {
    const written = dict({
      image: IMAGE,
      size: 't2.micro',
      wait_for_ip_interval: 0,
      wait_for_spot_interval: 0,
      ...(settings as object),
    })
    const bound = boundSettings(driver.machine, written, name)
    return account.create({ name, written, token: `token-of-${name}`, settings: bound }, steps)
  }
  const nodeOf = async (name: string) => (await account.nodes()).find((node) => node.name === name)!
  const act = async (action: string, name: string, given: Plain = {}) => {
    const { run, args = {} } = driver.actions![action]!
    const bound = { ...boundSettings(args, dict(given), action), ...(action === 'set_tags' && { tags: dict(given) }) }
    return toPlain(toValue(await run(account, await nodeOf(name), bound, steps)))
  }
  const ask = async (name: string, given: Plain = {}) => {
    const { run, args = {} } = driver.functions![name]!
    return toPlain(toValue(await run(account, boundSettings(args, dict(given), name))))
  }

  test('makes a machine with tags, volumes and a key pair, and reports each step', async () => {
    await ask('create_keypair', { keyname: 'ops' })
    reported = []
    const node = await create('web1', {
      keyname: 'ops',
      tag: { role: 'web' },
      del_root_vol_on_destroy: true,
      block_device_mappings: [{ DeviceName: '/dev/sdb', 'Ebs.VolumeSize': 5, tag: { use: 'data' } }],
      volumes: [{ device: '/dev/sdf', size: 3 }],
      userdata: '#!/bin/sh\ntrue',
    })
    expect(node).toMatchObject({ name: 'web1', image: IMAGE, size: 't2.micro', state: 'running' })
    expect(node.public_ips).toHaveLength(1)
    expect(reported).toEqual(['requesting', 'tagging', 'querying', 'attaching_volumes'])
    expect(await nodeOf('web1')).toMatchObject({ id: node.id, state: 'running' })
    const tags = (await act('get_tags', 'web1')) as { key: string; value: string }[]
    expect(tags.map(({ key, value }) => `${key}=${value}`).sort()).toEqual([
      'Name=web1',
      'role=web',
      'salt-cloud:creation=token-of-web1',
    ])
    const devices = (await act('show_delvol_on_destroy', 'web1')) as Record<string, string>[]
    expect(devices.map((one) => one['device_name'])).toContain('/dev/sdf')
  })

  test('changes tags, protection and power, in the shapes of Salt', async () => {
    expect(await act('set_tags', 'web1', { team: 'a' })).toContainEqual(
      expect.objectContaining({ key: 'team', value: 'a' }),
    )
    expect(await act('del_tags', 'web1', { tags: 'team' })).not.toContainEqual(expect.objectContaining({ key: 'team' }))
    expect(await act('enable_term_protect', 'web1')).toBe('true')
    await expect(account.destroy(await nodeOf('web1'), steps)).rejects.toThrow(
      'salt-cloud -a disable_term_protect web1',
    )
    expect(await act('disable_term_protect', 'web1')).toBe('false')
    expect(await act('stop', 'web1')).toMatchObject([{ currentState: { name: 'stopping' } }])
    expect(await act('start', 'web1')).toMatchObject([{ currentState: { name: 'pending' } }])
    expect(await act('reboot', 'web1')).toEqual({ Reboot: 'Complete' })
    expect(await act('show_instance', 'web1')).toMatchObject({ name: 'web1', keyName: 'ops' })
  })

  test('makes a network interface of its own, and an address for it', async () => {
    const { subnetId } = (await ask('show_instance', { name: 'web1' })) as { subnetId: string }
    const node = await create('db1', {
      network_interfaces: [{ DeviceIndex: 0, SubnetId: subnetId, allocate_new_eip: true, SourceDestCheck: false }],
      ssh_interface: 'private_ips',
    })
    expect(node.private_ips).toHaveLength(1)
    await account.destroy(await nodeOf('db1'), steps)
    expect(await nodeOf('db1')).toBeUndefined()
  })

  test('bids for a machine', async () => {
    reported = []
    const node = await create('spot1', { spot_config: { spot_price: '0.10' }, tag: { role: 'batch' } })
    expect(reported).toContain('waiting_for_spot')
    expect(node).toMatchObject({ name: 'spot1', state: 'running' })
    await expect(create('spot2', { spot_config: { type: 'one-time' } })).rejects.toThrow('requires a spot_price')
  })

  test('removes all that an unfinished creation left, again and again', async () => {
    await create('lost1', { termination_protection: true, volumes: [{ device: '/dev/sdf', size: 1 }] })
    const unfinished = { name: 'lost1', token: 'token-of-lost1', noted: dict({ location: 'us-east-1' }) }
    await account.undo!(unfinished, steps)
    expect((await nodeOf('lost1')).state).toBe('terminated')
    const volumes = (await ask('describe_volumes')) as { tagSet: unknown }[]
    expect(JSON.stringify(volumes)).not.toContain('token-of-lost1')
    await account.undo!(unfinished, steps)
    await account.undo!({ ...unfinished, token: 'never-made', noted: new Map() }, steps)
  })

  test('makes, attaches and deletes volumes, snapshots and key pairs', async () => {
    const volume = (await ask('create_volume', { zone: 'us-east-1a', size: 4, tags: { Name: 'spare' } })) as Record<
      string,
      string
    >
    expect(volume['size']).toBe('4')
    const snapshot = (await ask('create_snapshot', { volume_id: volume['volumeId']! })) as Record<string, string>
    expect(snapshot['snapshotId']).toMatch(/^snap-/)
    await ask('delete_snapshot', { snapshot_id: snapshot['snapshotId']! })
    await ask('delete_volume', { volume_id: volume['volumeId']! })
    expect(await ask('show_keypair', { keyname: 'ops' })).toMatchObject([{ keyName: 'ops' }])
    await ask('delete_keypair', { keyname: 'ops' })
    expect(Object.keys((await ask('list_availability_zones')) as object)).toContain('us-east-1a')
  })

  test.runIf(way === 'moto')('lists sizes and images', async () => {
    expect(toPlain((await account.sizes!()).get('t2.micro')!)).toMatchObject({ id: 't2.micro', cores: 1 })
    expect([...(await account.images!()).keys()]).toContain(IMAGE)
  })

  test('lists regions, and names what a profile lacks', async () => {
    expect([...(await account.locations!()).keys()]).toContain('eu-central-1')
    await expect(create('bad1', { image: 'no such image' })).rejects.toThrow("No image has the name 'no such image'")
    await expect(create('bad1', { max_instance: 3 })).rejects.toThrow('must be 1')
    expect(() => boundSettings(driver.machine, new Map(), 'The profile x')).toThrow(
      "The profile x needs the setting 'image'",
    )
  })

  test('renames a machine that it destroys', async () => {
    const gone = toPlain(toValue(await account.destroy(await nodeOf('web1'), steps))) as Record<string, string>
    expect(gone['newname']).toMatch(/^web1-DEL[0-9a-f]{32}$/)
    expect(await nodeOf('web1')).toBeUndefined()
  })

  test.runIf(way === 'moto')('is seen by aws-cli, and sees what aws-cli makes', async () => {
    const env = {
      ...process.env,
      AWS_ACCESS_KEY_ID: 'AKID',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_DEFAULT_REGION: 'us-east-1',
    }
    const aws = async (...words: string[]) => {
      const { stdout } = await promisify(execFile)('aws', ['--endpoint-url', service.url, 'ec2', ...words], { env })
      return JSON.parse(stdout || '{}')
    }
    await create('seen1')
    const seen = await aws('describe-instances', '--filters', 'Name=tag:Name,Values=seen1')
    expect(seen.Reservations[0].Instances[0].State.Name).toBe('running')
    const tag = 'ResourceType=instance,Tags=[{Key=Name,Value=theirs1}]'
    await aws('run-instances', '--image-id', IMAGE, '--tag-specifications', tag)
    await account.destroy(await nodeOf('theirs1'), steps)
    const after = await aws('describe-instances', '--filters', `Name=image-id,Values=${IMAGE}`)
    const states = after.Reservations.flatMap(
      (one: { Instances: { State: { Name: string }; Tags: { Value: string }[] }[] }) =>
        one.Instances.filter(({ Tags }) => Tags.some(({ Value }) => Value.startsWith('theirs1-DEL'))).map(
          ({ State }) => State.Name,
        ),
    )
    expect(states).toEqual(['terminated'])
  })
})

test.skipIf(hasMoto())(`the driver ec2 against moto (${withoutMoto})`, (ctx) => ctx.skip())
