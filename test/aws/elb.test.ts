// The module and the states boto_elb against moto, and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, ways } from './service.ts'

describe.each(ways())('boto_elb, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  let machine = ''
  let subnets: string[] = []
  let group = ''
  beforeAll(async () => {
    service = await awsService(way, 'elb')
    calls = new AwsCalls(service.url)
    await call('boto_vpc.create', { cidr_block: '10.4.0.0/16', vpc_name: 'net' })
    for (const [name, zone] of [
      ['one', 'a'],
      ['two', 'b'],
    ]) {
      const cidr_block = `10.4.${zone === 'a' ? 1 : 2}.0/24`
      const subnet = { vpc_name: 'net', subnet_name: name!, cidr_block, availability_zone: `us-east-1${zone}` }
      subnets.push(((await call('boto_vpc.create_subnet', subnet)) as { id: string }).id)
    }
    await call('boto_secgroup.create', { name: 'front', description: 'Front', vpc_name: 'net' })
    group = (await call('boto_secgroup.get_group_id', { name: 'front', vpc_name: 'net' })) as string
    const run = { image_id: 'ami-03cf127a', name: 'web', instance_type: 't2.micro' }
    machine = ((await call('boto_ec2.run', run)) as { instance_id: string }).instance_id
  })
  afterAll(() => {
    subnets = []
    return service.close()
  })
  const call = (name: string, given?: Plain) => calls.call(name, given)
  const listener = { elb_port: 80, instance_port: 8080, elb_protocol: 'http' }
  const zones = ['us-east-1a']

  test('a load balancer is made, changed and deleted by states', async () => {
    const web = { name: 'web', availability_zones: zones, listeners: [listener] }
    const made = await calls.apply('boto_elb.present', web)
    expect(made.foreseen).toMatchObject({ result: null, comment: '  ELB web is set to be created.' })
    expect(made.done.changes).toEqual({ old: { elb: null }, new: { elb: 'web' } })
    expect(made.done.comment).toContain('  ELB web created.')
    expect(made.again.comment).toContain('  ELB web present.  Listeners already set on ELB web.')
    if (way === 'moto') {
      const found = await awsCli(service.url)('elb', 'describe-load-balancers', '--load-balancer-names', 'web')
      expect(found.LoadBalancerDescriptions[0].ListenerDescriptions[0].Listener).toMatchObject({
        Protocol: 'HTTP',
        LoadBalancerPort: 80,
        InstancePort: 8080,
      })
    }
    const more = {
      ...web,
      availability_zones: [...zones, 'us-east-1b'],
      listeners: [{ ...listener, elb_port: 81 }],
      health_check: { target: 'HTTP:8080/health', interval: 20 },
      attributes: {
        cross_zone_load_balancing: { enabled: true },
        connection_draining: { enabled: true },
        connecting_settings: { idle_timeout: 70 },
        access_log: { enabled: true, s3_bucket_name: 'logs', s3_bucket_prefix: 'web', emit_interval: 5 },
      },
      tags: { team: 'web', tier: 'front' },
      instance_names: ['web'],
    }
    const other = await calls.apply('boto_elb.present', more)
    expect(other.foreseen.result).toBe(null)
    for (const line of [
      "ELB web set to have listeners modified:  Listener (81, 8080, 'HTTP', 'HTTP') added.  Listener (80, 8080, 'HTTP', 'HTTP') deleted.",
      'ELB web to have availability zones set.',
      'ELB web set to have attributes set.',
      'ELB web set to have health check set.',
      'The following tags are set to be added: team, tier.',
      'ELB web instances would be updated.',
    ]) {
      expect(other.foreseen.comment).toContain(line)
    }
    expect(other.done.changes).toMatchObject({
      listeners: { old: [{ elb_port: 80 }], new: [{ elb_port: 81 }] },
      old: { availability_zones: zones, health_check: {}, attributes: {}, instances: [] },
      new: { availability_zones: more.availability_zones, health_check: { interval: 20 }, instances: [machine] },
    })
    expect(other.done.comment).toContain('Deleted listeners on web ELB. Created listeners on web ELB.')
    const fewer = { ...more, availability_zones: zones, tags: { team: 'api' } }
    const less = await calls.apply('boto_elb.present', fewer)
    expect(less.done.comment).toContain('Disabled availability zones on web ELB.')
    expect(less.done.changes['old']).toMatchObject({ tags: { team: 'web', tier: 'front' } })
    const gone = await calls.apply('boto_elb.absent', { name: 'web' })
    expect(gone.foreseen).toMatchObject({ result: null, comment: 'ELB web is set to be removed.' })
    expect(gone.done).toMatchObject({
      comment: 'ELB web deleted.',
      changes: { old: { elb: 'web' }, new: { elb: null } },
    })
    expect(gone.again.comment).toBe('web ELB does not exist.')
  })

  test('subnets and security groups are found by names', async () => {
    const inside = {
      name: 'inside',
      subnet_names: ['one'],
      security_groups: 'front',
      scheme: 'internal',
      listeners: [listener],
    }
    await calls.apply('boto_elb.present', inside)
    expect(await call('boto_elb.get_elb_config', { name: 'inside' })).toMatchObject({
      subnets: [subnets[0]],
      security_groups: [group],
      scheme: 'internal',
      tags: null,
    })
    const moved = await calls.apply('boto_elb.present', { ...inside, subnet_names: ['two'] })
    expect(moved.foreseen.comment).toContain('ELB inside to have subnets set.')
    expect(moved.done.comment).toContain('Attached subnets on inside ELB.  Detached subnets on inside ELB.')
    const none = await calls.run('boto_elb.present', { ...inside, subnet_names: ['three'] }, false)
    expect(none).toMatchObject({ result: false })
    const both = { ...inside, availability_zones: zones }
    await expect(calls.run('boto_elb.present', both, false)).rejects.toThrow('Exactly one of availability_zones')
  })

  test('policies, alarms and names come with a load balancer', async () => {
    const sticky = {
      policy_name: 'sticky',
      policy_type: 'LBCookieStickinessPolicyType',
      policy: { CookieExpirationPeriod: 3600 },
    }
    const cname = 'LBCookieStickinessPolicy-sticky-257577b54543c1433eb727cd8f7c9748'
    const proxy = { policy_name: 'proxy', policy_type: 'ProxyProtocolPolicyType', policy: { ProxyProtocol: true } }
    await call('boto_route53.create_zone', { zone: 'example.org' })
    const attributes = {
      metric: 'HealthyHostCount',
      namespace: 'AWS/ELB',
      statistic: 'Minimum',
      comparison: '<',
      threshold: 1,
      period: 60,
      evaluation_periods: 1,
      description: 'No machines',
    }
    const app = {
      name: 'app',
      availability_zones: zones,
      listeners: [{ ...listener, policies: ['sticky'] }],
      backends: [{ instance_port: 8080, policies: ['proxy'] }],
      policies: [sticky, proxy],
      alarms: { none: { name: 'is empty', attributes } },
      cnames: [{ name: 'app.example.org', zone: 'example.org', ttl: 60 }],
    }
    const made = await calls.apply('boto_elb.present', app)
    expect(made.done.comment).toContain('Added app.example.org Route53 record.')
    expect(made.done.comment).toContain(' was created on ELB app listener 80')
    expect(Object.keys(made.done.changes)).toContain('app is empty')
    const config = (await call('boto_elb.get_elb_config', { name: 'app' })) as { policies: string[]; dns_name: string }
    expect(config.policies.find((name) => name.includes('sticky'))).toBe(cname)
    expect(await call('boto_cloudwatch.get_alarm', { name: 'app is empty' })).toMatchObject({
      description: 'app No machines',
      dimensions: { LoadBalancerName: ['app'] },
    })
    const record = { name: 'app.example.org', zone: 'example.org', record_type: 'CNAME' }
    expect(await call('boto_route53.get_record', record)).toMatchObject({ value: config.dns_name })
    const without = { ...app, listeners: [listener], policies: [proxy], cnames: [], alarms: {} }
    const less = await calls.apply('boto_elb.present', without)
    expect(less.foreseen.comment).toContain(
      `ELB app set to have policies modified:  Policy ${cname} deleted.  Listener 80 policies updated.`,
    )
    expect(less.done.changes).toMatchObject({ [cname]: { old: cname }, listener_80_policy: { old: [cname], new: [] } })
    await expect(calls.run('boto_elb.present', { ...app, policies: [] }, false)).rejects.toThrow(
      'listener 80 refers to undefined policy sticky.',
    )
  })

  test('pillar extends the settings of a state', async () => {
    const options = {
      boto_elb_attributes: { connection_draining: { enabled: true, timeout: 20 } },
      boto_elb_listener_policies: { HTTP: ['proxy'] },
      boto_elb_policies: [
        { policy_name: 'proxy', policy_type: 'ProxyProtocolPolicyType', policy: { ProxyProtocol: true } },
      ],
    }
    const given = { name: 'pillar', availability_zones: zones, listeners: [listener] }
    expect(await calls.run('boto_elb.present', given, false, options)).toMatchObject({ result: true })
    expect(await call('boto_elb.get_attributes', { name: 'pillar' })).toMatchObject({
      connection_draining: { enabled: true, timeout: 20 },
    })
    expect(await call('boto_elb.get_elb_config', { name: 'pillar' })).toMatchObject({
      listeners: [{ policies: [expect.stringMatching(/^ProxyProtocolPolicy-proxy-/)] }],
    })
  })

  test('machines are added, and others stay', async () => {
    await call('boto_elb.create', { name: 'old', availability_zones: '["us-east-1a"]', listeners: [listener] })
    const added = await calls.apply('boto_elb.register_instances', { name: 'old', instances: [machine] })
    expect(added.foreseen.comment).toBe(`ELB old is set to register : ['${machine}'].`)
    expect(added.done).toMatchObject({
      comment: 'Load Balancer old has been changed',
      changes: { old: '', new: machine },
    })
    expect(added.again.comment).toBe(`Instance/s '${machine}' already exist.`)
    const none = await calls.run('boto_elb.register_instances', { name: 'none', instances: [machine] }, false)
    expect(none).toMatchObject({ result: false, comment: 'Could not find lb none' })
  })

  test('functions do the same', async () => {
    const name = 'plain'
    expect(await call('boto_elb.exists', { name })).toBe(false)
    expect(await call('boto_elb.get_elb_config', { name })).toEqual({})
    expect(await call('boto_elb.get_health_check', { name })).toEqual({})
    expect(await call('boto_elb.create', { name, availability_zones: zones, listeners: [listener] })).toBe(true)
    expect(await call('boto_elb.create', { name, availability_zones: zones, listeners: [listener] })).toBe(true)
    expect(await call('boto_elb.list_elbs')).toContain(name)
    const all = (await call('boto_elb.get_all_elbs')) as { name: string }[]
    expect(all.find((one) => one.name === name)).toMatchObject({ availability_zones: zones })
    const full = { ...listener, certificate: 'arn:aws:iam::1:server-certificate/x' }
    const words = [80, 8080, 'http', 'HTTP', 'arn:aws:iam::1:server-certificate/x']
    expect(await calls.plain('boto_elb.listener_dict_to_tuple', { listener: full })).toEqual(words)
    expect(await call('boto_elb.create_listeners', { name, listeners: [{ ...listener, elb_port: 90 }] })).toBe(true)
    expect(await call('boto_elb.delete_listeners', { name, ports: '[90]' })).toBe(true)
    await expect(call('boto_elb.delete_listeners', { name, ports: ['x'] })).rejects.toThrow("'x' is no port")
    expect(await call('boto_elb.enable_availability_zones', { name, availability_zones: ['us-east-1c'] })).toBe(true)
    expect(await call('boto_elb.disable_availability_zones', { name, availability_zones: ['us-east-1c'] })).toBe(true)
    expect(await call('boto_elb.attach_subnets', { name, subnets: [subnets[1]!] })).toBe(true)
    expect(await call('boto_elb.detach_subnets', { name, subnets: [subnets[1]!] })).toBe(true)
    expect(await call('boto_elb.apply_security_groups', { name, security_groups: [group] })).toBe(true)
    expect(await call('boto_elb.apply_security_groups', { name, security_groups: ['sg-none'] })).toBe(false)
    expect(await call('boto_elb.set_attributes', { name, attributes: {} })).toBe(false)
    expect(await call('boto_elb.set_attributes', { name, attributes: { access_log: { emit_interval: 5 } } })).toBe(
      false,
    )
    expect(await call('boto_elb.set_health_check', { name, health_check: { target: 'TCP:80' } })).toBe(true)
    expect(await call('boto_elb.get_health_check', { name })).toEqual({
      interval: 30,
      target: 'TCP:80',
      healthy_threshold: 3,
      timeout: 5,
      unhealthy_threshold: 5,
    })
    expect(await call('boto_elb.set_tags', { name, tags: { team: 'web' } })).toBe(true)
    expect(await call('boto_elb.delete_tags', { name, tags: ['team'] })).toBe(true)
    expect(await call('boto_elb.register_instances', { name, instances: machine })).toBe(true)
    expect(await call('boto_elb.get_instance_health', { name, instances: [machine] })).toMatchObject([
      { instance_id: machine, state: 'InService' },
    ])
    expect(await call('boto_elb.set_instances', { name, instances: [], test: true })).toBe(true)
    expect(await call('boto_elb.deregister_instances', { name, instances: [machine] })).toBe(true)
    expect(await call('boto_elb.set_instances', { name, instances: [] })).toBe(true)
    const policy = { policy_name: 'sticky', policy_type: 'LBCookieStickinessPolicyType', policy: {} }
    expect(await call('boto_elb.create_policy', { ...policy, name: 'none' })).toBe(false)
    expect(await call('boto_elb.create_policy', { ...policy, name })).toBe(true)
    expect(await call('boto_elb.set_listener_policy', { name, port: 80, policies: ['sticky'] })).toBe(true)
    expect(await call('boto_elb.set_backend_policy', { name, port: '8080', policies: ['sticky'] })).toBe(true)
    expect(await call('boto_elb.set_listener_policy', { name, port: 80 })).toBe(true)
    expect(await call('boto_elb.delete_policy', { name, policy_name: 'sticky' })).toBe(true)
    expect(await call('boto_elb.delete', { name })).toBe(true)
    expect(await call('boto_elb.delete', { name })).toBe(true)
  })
})
