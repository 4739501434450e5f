// Databases of RDS, against moto and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPlain, maskMarked, type Plain, toPlain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, ways } from './service.ts'

const PASSWORD = 'the-main-password-of-rds'

const SHOP = {
  allocated_storage: 20,
  db_instance_class: 'db.t3.micro',
  engine: 'postgres',
  master_username: 'shop',
  master_user_password: PASSWORD,
}

describe.each(ways())('boto_rds, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  const subnets: string[] = []
  beforeAll(async () => {
    service = await awsService(way, 'rds')
    calls = new AwsCalls(service.url)
    await calls.call('boto_vpc.create', { cidr_block: '10.4.0.0/16', vpc_name: 'data' })
    for (const [part, zone] of ['a', 'b'].entries()) {
      const subnet = { vpc_name: 'data', cidr_block: `10.4.${part}.0/24`, availability_zone: `us-east-1${zone}` }
      const made = await calls.call('boto_vpc.create_subnet', { ...subnet, subnet_name: `data-${zone}` })
      subnets.push((made as { id: string }).id)
    }
  })
  afterAll(() => service.close())
  const call = (name: string, given?: Plain) => calls.call(name, given)

  test('a database and its replica are made and deleted by states, without showing the password', async () => {
    const group = { name: 'shop-group', db_parameter_group_family: 'postgres16', description: 'Of the shop' }
    const parameters = [{ log_connections: true }, { work_mem: 8192 }]
    const tuned = await calls.apply('boto_rds.parameter_present', { ...group, parameters })
    expect(tuned.foreseen).toMatchObject({
      result: null,
      comment: 'Parameter group shop-group is set to be created.',
      changes: {},
    })
    expect(tuned.done.changes).toEqual({
      'New Parameter Group': 'shop-group',
      Parameters: { log_connections: 'on', work_mem: '8192' },
    })
    expect(tuned.again.comment).toBe(
      "Parameter group shop-group present.\nParameters {'log_connections': 'on', 'work_mem': '8192'} for group shop-group are present.",
    )
    const more = await calls.apply('boto_rds.parameter_present', { ...group, parameters: { work_mem: 4096 } })
    expect(more.foreseen).toMatchObject({ result: null, changes: more.done.changes })
    expect(more.done.changes).toEqual({ Parameters: { work_mem: '4096' } })

    const made = await calls.apply('boto_rds.present', {
      name: 'shop',
      ...SHOP,
      backup_retention_period: 1,
      wait_status: 'available',
      multi_az: true,
      tags: { team: 'shop' },
    })
    expect(made.foreseen).toMatchObject({ result: null, comment: 'RDS instance shop would be created.' })
    expect(made.done).toMatchObject({
      comment: 'RDS instance shop created.',
      changes: {
        old: { instance: null },
        new: { instance: [{ DBInstanceIdentifier: 'shop', AllocatedStorage: 20, MultiAZ: true }] },
      },
    })
    expect(made.again.comment).toBe('RDS instance shop exists.')
    expect(JSON.stringify(made)).not.toContain(PASSWORD)
    expect(toPlain(maskMarked(fromPlain(`as ${PASSWORD}`)))).not.toContain(PASSWORD)
    if (way === 'moto') {
      const { DBInstances } = await awsCli(service.url)('rds', 'describe-db-instances')
      expect(DBInstances).toMatchObject([{ Engine: 'postgres', TagList: [{ Key: 'team', Value: 'shop' }] }])
    }
    const replica = { name: 'shop-copy', source: 'shop', db_parameter_group_name: 'shop-group' }
    const copied = await calls.apply('boto_rds.replica_present', replica)
    expect(copied.foreseen.comment).toBe('RDS read replica shop-copy is set to be created ')
    expect(copied.done.changes['new']).toMatchObject({ instance: [{ DBInstanceIdentifier: 'shop-copy' }] })
    expect(await calls.run('boto_rds.replica_present', { name: 'other', source: 'none' }, false)).toMatchObject({
      result: false,
      comment: 'Failed to create RDS replica other: RDS instance source none does not exists.',
    })
    for (const name of ['shop-copy', 'shop']) {
      const gone = await calls.apply('boto_rds.absent', { name, skip_final_snapshot: true })
      expect(gone.foreseen).toMatchObject({ result: null, comment: `RDS ${name} would be removed.` })
      expect(gone.done.changes).toMatchObject({
        old: { instance: { DBInstanceIdentifier: name } },
        new: { instance: null },
      })
      expect(gone.again.comment).toBe(`${name} RDS already absent.`)
    }
  })

  test('subnet groups are made and deleted by states', async () => {
    const group = { name: 'data', description: 'Of data' }
    const made = await calls.apply('boto_rds.subnet_group_present', { ...group, subnet_names: ['data-a', 'data-b'] })
    expect(made.foreseen).toMatchObject({ result: null, comment: 'Subnet group data is set to be created.' })
    expect(made.done).toMatchObject({ comment: 'Subnet data created.', changes: { old: null, new: 'data' } })
    const [found] = (await call('boto_rds.describe_db_subnet_groups', { name: 'data' })) as Record<string, unknown>[]
    expect(found).toMatchObject({ DBSubnetGroupName: 'data', Subnets: [{}, {}] })
    const none = { ...group, name: 'none', subnet_names: ['nowhere'] }
    expect(await calls.run('boto_rds.subnet_group_present', none, false)).toMatchObject({
      result: false,
      comment: 'Subnet nowhere does not exist.',
    })
    await expect(calls.run('boto_rds.subnet_group_present', group, false)).rejects.toThrow('subnet_names')
    const gone = await calls.apply('boto_rds.subnet_group_absent', { name: 'data' })
    expect(gone.foreseen.comment).toBe('RDS subnet group data is set to be removed.')
    expect(gone.done.changes).toEqual({ old: 'data', new: null })
    expect(gone.again.comment).toBe('data RDS subnet group does not exist.')
  })

  test('functions describe, change and delete databases', async () => {
    expect(await call('boto_rds.exists', { name: 'lab' })).toMatchObject({
      error: { message: expect.stringContaining('(DBInstanceNotFound)') },
    })
    expect(await call('boto_rds.describe', { name: 'lab' })).toEqual({
      exists: false,
      message: 'RDS instance lab does not exist.',
    })
    expect(await call('boto_rds.describe_db_instances', { name: 'lab' })).toEqual([])
    expect(await call('boto_rds.get_endpoint', { name: 'lab' })).toBe(false)
    const made = await call('boto_rds.create', { name: 'lab', ...SHOP, vpc_security_group_ids: ['sg-12345678'] })
    expect(made).toEqual({ created: true, message: 'RDS instance lab created.' })
    expect(await call('boto_rds.create', { name: 'lab', ...SHOP })).toMatchObject({
      error: { message: expect.stringContaining('(DBInstanceAlreadyExists)') },
    })
    await expect(call('boto_rds.create', { name: 'x', ...SHOP, wait_status: 'soon' })).rejects.toThrow('wait_status')
    await expect(call('boto_rds.create', { name: 'x', ...SHOP, allocated_storage: 0 })).rejects.toThrow(
      'allocated_storage is required',
    )
    expect(await call('boto_rds.exists', { name: 'lab' })).toEqual({ exists: true })
    expect(await call('boto_rds.describe', { name: 'lab' })).toMatchObject({
      rds: { DBInstanceIdentifier: 'lab', AllocatedStorage: 20, AutoMinorVersionUpgrade: expect.any(Boolean) },
    })
    const names = 'DBInstances[*].DBInstanceIdentifier'
    expect(await call('boto_rds.describe_db_instances', { jmespath: names })).toEqual(['lab'])
    const engines = [{ Name: 'engine', Values: ['mysql', 'mariadb'] }]
    expect(await call('boto_rds.describe_db_instances', { filters: engines, jmespath: names })).toEqual([])
    expect(await call('boto_rds.get_endpoint', { name: 'lab' })).toMatch(/^lab\..*rds\.amazonaws\.com$/)
    const change = { name: 'lab', backup_retention_period: 3, master_user_password: 'another-password-of-rds' }
    const changed = await call('boto_rds.modify_db_instance', { ...change, apply_immediately: true })
    expect(changed).toMatchObject({ modified: true, results: { DBInstance: { BackupRetentionPeriod: 3 } } })
    expect(JSON.stringify(changed)).not.toContain('another-password')
    expect(await call('boto_rds.modify_db_instance', { ...change, name: 'none' })).toMatchObject({ modified: false })
    expect(await call('boto_rds.create_read_replica', { name: 'lab', source_name: 'lab' })).toMatchObject({
      message: 'RDS replica instance lab already exists.',
    })
    expect(await call('boto_rds.create_read_replica', { name: 'lab2', source_name: 'lab' })).toEqual({ exists: true })
    await expect(call('boto_rds.delete', { name: 'lab' })).rejects.toThrow('skip_final_snapshot')
    expect(await call('boto_rds.delete', { name: 'lab2', skip_final_snapshot: true })).toMatchObject({ deleted: true })
    const last = { name: 'lab', final_db_snapshot_identifier: 'lab-last', wait_for_deletion: false }
    expect(await call('boto_rds.delete', last)).toEqual({ deleted: true, message: 'Deleted RDS instance lab.' })
    expect(await call('boto_rds.delete', last)).toMatchObject({
      error: { message: expect.stringContaining('(DBInstanceNotFound)') },
    })
  })

  test('functions look after groups', async () => {
    const options = { name: 'options', engine_name: 'mysql', major_engine_version: '5.6' }
    expect(await call('boto_rds.option_group_exists', { name: 'options' })).toMatchObject({ error: {} })
    const option_group_description = 'Options'
    expect(await call('boto_rds.create_option_group', { ...options, option_group_description })).toEqual({
      exists: true,
    })
    expect(await call('boto_rds.option_group_exists', { name: 'options' })).toEqual({ exists: true })
    expect(await call('boto_rds.delete_option_group', { name: 'options' })).toEqual({
      deleted: true,
      message: 'Deleted RDS option group options.',
    })
    expect(await call('boto_rds.parameter_group_exists', { name: 'lab' })).toMatchObject({ exists: false })
    expect(await call('boto_rds.describe_parameters', { name: 'lab' })).toEqual({
      result: false,
      message: 'Parameter group lab does not exist',
    })
    expect(await call('boto_rds.describe_parameter_group', { name: 'lab' })).toEqual({ exists: false })
    const parameters = { back_log: 1, log_connections: true }
    const update = { name: 'lab', parameters, apply_method: 'immediate' }
    expect(await call('boto_rds.update_parameter_group', update)).toMatchObject({ exists: false })
    const group = { name: 'lab', db_parameter_group_family: 'mysql8.0', description: 'Lab', tags: { a: 'b' } }
    expect(await call('boto_rds.create_parameter_group', group)).toMatchObject({ exists: true })
    expect(await call('boto_rds.create_parameter_group', group)).toEqual({ exists: true })
    expect(await call('boto_rds.parameter_group_exists', { name: 'lab' })).toEqual({ exists: true, error: null })
    expect(await call('boto_rds.describe_parameter_group', { name: 'lab' })).toMatchObject({ results: true })
    expect(await call('boto_rds.update_parameter_group', update)).toEqual({ results: true })
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, number) => [`setting_${number}`, number]))
    expect(await call('boto_rds.update_parameter_group', { ...update, parameters: many })).toEqual({ results: true })
    const found = (await call('boto_rds.describe_parameters', { name: 'lab' })) as {
      parameters: Record<string, unknown>
    }
    expect(Object.keys(found.parameters)).toHaveLength(27)
    expect(found.parameters['log_connections']).toMatchObject({ ParameterValue: 'on', ApplyMethod: 'immediate' })
    expect(await call('boto_rds.delete_parameter_group', { name: 'lab' })).toMatchObject({ deleted: true })
    const subnet = { name: 'lab', description: 'Lab', subnet_ids: subnets }
    expect(await call('boto_rds.subnet_group_exists', { name: 'lab' })).toEqual({ exists: false })
    expect(await call('boto_rds.create_subnet_group', subnet)).toEqual({ created: true })
    expect(await call('boto_rds.create_subnet_group', subnet)).toEqual({ exists: true })
    expect(await call('boto_rds.delete_subnet_group', { name: 'lab' })).toMatchObject({ deleted: true })
  })
})
