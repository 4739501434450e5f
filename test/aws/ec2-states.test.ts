// Machines, network interfaces, volumes and images of EC2 by the states of boto_ec2 and the functions behind them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { type AwsService, awsService, ways } from './service.ts'

const IMAGE = 'ami-03cf127a'

describe.each(ways())('states of EC2, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  beforeAll(async () => {
    service = await awsService(way, 'ec2-states')
    calls = new AwsCalls(service.url)
    await call('boto_vpc.create', { vpc_name: 'main', cidr_block: '10.1.0.0/16' })
    const subnet = { vpc_name: 'main', subnet_name: 'a', cidr_block: '10.1.1.0/24', availability_zone: 'us-east-1a' }
    await call('boto_vpc.create_subnet', subnet)
    for (const name of ['web', 'db']) await call('boto_secgroup.create', { name, description: name, vpc_name: 'main' })
  })
  afterAll(() => service.close())
  const call = (name: string, given?: Plain) => calls.call(name, given)
  const apply = (name: string, given: Plain) => calls.apply(name, given)
  const machine = { name: 'web1', image_id: IMAGE, subnet_name: 'a', instance_type: 't3.micro' }

  test('a machine is made once, keeps its name, and gets tags and attributes', async () => {
    const made = await apply('boto_ec2.instance_present', { ...machine, tags: { team: 'web' } })
    expect(made.foreseen).toMatchObject({ result: null, comment: 'The instance web1 is set to be created.' })
    expect(made.done.changes).toMatchObject({ old: { instance_id: null } })
    expect(made.again.comment).toBe('Instance web1 is in the correct state')
    const tags = { team: 'shop', stage: 'live' }
    const changed = await apply('boto_ec2.instance_present', { ...machine, tags })
    expect(changed.foreseen.comment).toBe('Tags would be updated on instance web1.')
    expect(await call('boto_ec2.find_instances', { name: 'web1', return_objs: true })).toMatchObject([
      { state: 'running', placement: 'us-east-1a', tags: { ...tags, Name: 'web1' } },
    ])
    const guarded = await apply('boto_ec2.instance_present', {
      ...machine,
      attributes: { disableApiTermination: true },
    })
    expect(guarded.done.changes).toEqual({
      old: { disableApiTermination: false },
      new: { disableApiTermination: true },
    })
    expect(await calls.run('boto_ec2.instance_absent', { name: 'web1' }, false)).toMatchObject({
      result: false,
      comment: expect.stringMatching(/^Termination of instance i-\w+ via the API is disabled\.$/),
    })
    await apply('boto_ec2.instance_present', { ...machine, attributes: { disableApiTermination: false } })
  })

  test('a public address goes to a machine and is released with it', async () => {
    const given = { ...machine, name: 'gone1', allocate_eip: true }
    const made = await apply('boto_ec2.instance_present', given)
    const address = made.done.changes['new']!['public_ip'] as string
    expect(await call('boto_ec2.get_all_eip_addresses')).toContain(address)
    const gone = await apply('boto_ec2.instance_absent', { name: 'gone1', release_eip: true })
    expect(gone.foreseen.comment).toBe('The instance gone1 is set to be deleted.')
    expect(gone.done.changes['old']).toMatchObject({ public_ip: address })
    expect(gone.again.comment).toBe('Instance gone1 is already gone.')
    expect(await call('boto_ec2.get_all_eip_addresses')).not.toContain(address)
  })

  test('a network interface has groups, a public address and private addresses', async () => {
    const given = { name: 'eth1', subnet_name: 'a', groups: ['web'], private_ip_address: '10.1.1.10' }
    const made = await apply('boto_ec2.eni_present', { ...given, description: 'web', allocate_eip: 'vpc' })
    expect(made.foreseen.comment).toBe('ENI is set to be created.')
    expect(made.done.changes['id']).toMatch(/^eni-/)
    expect(made.again.comment).toBe('An EIP is already allocated/assocaited to the ENI')
    const other = await apply('boto_ec2.eni_present', { ...given, groups: ['db'], source_dest_check: false })
    expect(other.foreseen.comment).toBe('ENI set to have groups updated. ENI set to have source_dest_check updated.')
    expect(other.done.changes).toMatchObject({ source_dest_check: { old: true, new: false } })
    const addresses = { name: 'more', network_interface_name: 'eth1', private_ip_addresses: ['10.1.1.11'] }
    const more = await apply('boto_ec2.private_ips_present', addresses)
    expect(more.foreseen.comment).toBe('ips on eni: 10.1.1.10. ips to be added: 10.1.1.11')
    expect(more.done.changes).toEqual({ old: ['10.1.1.10'], new: ['10.1.1.10', '10.1.1.11'] })
    const less = await apply('boto_ec2.private_ips_absent', addresses)
    expect(less.done.changes).toEqual({ old: ['10.1.1.10', '10.1.1.11'], new: ['10.1.1.10'] })
    const first = { ...addresses, private_ip_addresses: ['10.1.1.10'] }
    expect((await calls.run('boto_ec2.private_ips_absent', first, false)).comment).toContain(
      'cannot unassign the primary',
    )
    const attached = await call('boto_ec2.attach_network_interface', {
      device_index: 1,
      name: 'eth1',
      instance_name: 'web1',
    })
    expect(attached).toEqual({ result: expect.stringMatching(/^eni-attach-/) })
    expect(await call('boto_ec2.get_network_interface', { name: 'eth1' })).toMatchObject({
      result: { attachment: { device_index: 1 }, groups: [{ name: 'db' }] },
    })
    const gone = await apply('boto_ec2.eni_absent', { name: 'eth1', release_eip: true })
    expect(gone.done.comment).toBe('Deleted ENI eth1 EIP released.')
    expect(gone.again.comment).toBe('ENI eth1 does not exist.')
    expect(await call('boto_ec2.get_network_interface_id', { name: 'eth1' })).toEqual({
      error: { message: 'No ENIs found.' },
    })
  })

  test('a volume is made, attached, moved, tagged and deleted', async () => {
    const given = { name: 'data', volume_name: 'data', instance_name: 'web1', device: '/dev/sdh', size: 8 }
    const made = await apply('boto_ec2.volume_present', given)
    expect(made.foreseen.comment).toMatch(/^The volume with name data is set to be created and attached on i-\w+\(/)
    expect(made.done.changes['new']).toMatchObject({ volume_id: expect.stringMatching(/^vol-/), device: '/dev/sdh' })
    expect(made.again.comment).toMatch(/^The volume vol-\w+ is attached on i-\w+\(\/dev\/sdh\)\.$/)
    const moved = await apply('boto_ec2.volume_present', { ...given, device: '/dev/sdi' })
    expect(moved.foreseen.comment).toContain('is set to be detached from')
    expect(moved.done.changes).toMatchObject({ old: { device: '/dev/sdh' }, new: { device: '/dev/sdi' } })
    const tag_maps = [{ filters: { 'tag:Name': 'data' }, tags: { team: 'web' } }]
    const tagged = await apply('boto_ec2.volumes_tagged', { name: 'tags', tag_maps })
    expect(tagged.foreseen.comment).toBe('Tags would be updated.')
    expect(
      await call('boto_ec2.get_all_volumes', { filters: { 'tag:Name': 'data' }, return_objs: true }),
    ).toMatchObject([{ tags: { Name: 'data', team: 'web' }, size: 8 }])
    const all = [{ filters: { instance_name: 'web1', 'tag:Name': 'data' }, tags: { Name: 'data' } }]
    await apply('boto_ec2.volumes_tagged', { name: 'tags', tag_maps: all, authoritative: true })
    const gone = await apply('boto_ec2.volume_absent', { name: 'data', instance_name: 'web1', device: '/dev/sdi' })
    expect(gone.done.comment).toMatch(/^Volume vol-\w+ deleted\.$/)
  })

  test('functions about interfaces and tags of volumes', async () => {
    const face = { name: 'eth2' }
    const made = await call('boto_ec2.create_network_interface', { ...face, subnet_name: 'a', groups: ['web'] })
    expect(made).toMatchObject({ result: { groups: [{ name: 'web' }], tags: { Name: 'eth2' } } })
    const again = await call('boto_ec2.create_network_interface', { ...face, subnet_name: 'a', groups: ['web'] })
    expect(again).toEqual({ error: { message: 'An ENI with this Name tag already exists.' } })
    const attribute = { ...face, attr: 'groups', value: ['db'] }
    expect(await call('boto_ec2.modify_network_interface_attribute', attribute)).toEqual({ result: true })
    await expect(call('boto_ec2.modify_network_interface_attribute', { ...face, attr: 'color' })).rejects.toThrow(
      'attr must be one of',
    )
    const addresses = { network_interface_name: 'eth2', private_ip_addresses: ['10.1.1.77'] }
    expect(await call('boto_ec2.assign_private_ip_addresses', addresses)).toBe(true)
    expect(await call('boto_ec2.unassign_private_ip_addresses', addresses)).toBe(true)
    const none = { ...addresses, network_interface_name: 'none' }
    expect(await call('boto_ec2.unassign_private_ip_addresses', none)).toBe(false)
    await call('boto_ec2.attach_network_interface', { ...face, device_index: 2, instance_name: 'web1' })
    expect(await call('boto_ec2.detach_network_interface', face)).toEqual({ result: true })
    expect(await call('boto_ec2.detach_network_interface', face)).toEqual({
      error: { message: 'Attachment id not found for this ENI.' },
    })
    expect(await call('boto_ec2.delete_network_interface', face)).toEqual({ result: true })
    const tag_maps = [{ filters: { instance_name: 'nosuch' }, tags: { a: 'b' } }]
    await expect(call('boto_ec2.set_volumes_tags', { tag_maps })).rejects.toThrow(
      "Couldn't resolve instance Name nosuch",
    )
  })

  test('an image of a machine is made once', async () => {
    const given = { name: 'image', ami_name: 'web-1', instance_name: 'web1' }
    const made = await apply('boto_ec2.snapshot_created', given)
    expect(made.done).toMatchObject({ comment: 'Created new AMI web-1', changes: { new: { 'web-1': 'web-1' } } })
    expect(await call('boto_ec2.find_images', { ami_name: 'web-1' })).toHaveLength(1)
    expect(await call('boto_ec2.create_image', { ami_name: 'web-2', instance_name: 'nosuch' })).toBe(false)
  })
})
