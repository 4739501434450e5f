// Tables of DynamoDB, against moto and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, ways } from './service.ts'

const KEYS = { hash_key: 'id', hash_key_data_type: 'N', range_key: 'time', range_key_data_type: 'N' }
const TABLE = { ...KEYS, read_capacity_units: 1, write_capacity_units: 2 }

const index = (name: string, hash: string, more: Plain[] = []) => ({
  index: [{ name }, { hash_key: hash }, { hash_key_data_type: 'S' }, ...more],
})
const capacity = (units: number) => [{ read_capacity_units: units }, { write_capacity_units: units }]

describe.each(ways())('boto_dynamodb, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  beforeAll(async () => {
    service = await awsService(way, 'dynamodb')
    calls = new AwsCalls(service.url)
  })
  afterAll(() => service.close())
  const call = (name: string, given?: Plain) => calls.call(name, given)

  test('a table has the keys, capacity, indexes and alarms of its state', async () => {
    const byEnd = { index: [{ name: 'by_end' }, { hash_key: 'id' }, { hash_key_data_type: 'N' }, { range_key: 'end' }] }
    const byName = index('by_name', 'name', capacity(3))
    const orders = { name: 'orders', ...TABLE, local_indexes: [byEnd], global_indexes: [byName] }
    const made = await calls.apply('boto_dynamodb.present', orders)
    expect(made.foreseen).toMatchObject({ result: null, comment: 'DynamoDB table orders would be created.' })
    expect(made.done.comment).toBe(
      [
        'DynamoDB table orders was successfully created',
        'DynamoDB table orders throughput matches',
        'All global secondary indexes match',
        '',
      ].join(',\n'),
    )
    expect(made.done.changes['new']).toMatchObject({ table: 'orders', read_capacity_units: 1, hash_key: 'id' })
    expect(made.again.comment).toContain('DynamoDB table orders exists')

    const larger = { ...orders, read_capacity_units: 5, global_indexes: [index('by_name', 'name', capacity(4))] }
    const resized = await calls.apply('boto_dynamodb.present', larger)
    expect(resized.foreseen.result).toBeNull()
    expect(resized.foreseen.comment).toContain('Dynamo table orders will have GSIs updated: by_name')
    expect(resized.foreseen.changes).toEqual(resized.done.changes)
    expect(resized.done.changes).toEqual({
      old: { read_capacity_units: 1, write_capacity_units: 2, global_indexes: { by_name: { read: 3, write: 3 } } },
      new: { read_capacity_units: 5, write_capacity_units: 2, global_indexes: { by_name: { read: 4, write: 4 } } },
    })
    if (way === 'moto') {
      const { Table } = await awsCli(service.url)('dynamodb', 'describe-table', '--table-name', 'orders')
      expect(Table.ProvisionedThroughput).toMatchObject({ ReadCapacityUnits: 5, WriteCapacityUnits: 2 })
      expect(Table.GlobalSecondaryIndexes[0].ProvisionedThroughput).toMatchObject({ ReadCapacityUnits: 4 })
    }
    const indexes = larger.global_indexes
    const added = index('by_city', 'city', [...capacity(1), { includes: ['street'] }])
    const wider = await calls.apply('boto_dynamodb.present', { ...larger, global_indexes: [...indexes, added] })
    expect(wider.foreseen.comment).toContain('Dynamo table orders will have a GSI added: by_city')
    expect(wider.done.comment).toContain('Created GSI by_city')
    const refused = async (global_indexes: Plain[]) =>
      await calls.run('boto_dynamodb.present', { ...larger, global_indexes }, false)
    expect(await refused(indexes)).toMatchObject({ result: false, comment: expect.stringContaining('(by_city)') })
    const narrower = index('by_city', 'city', [...capacity(1), { keys_only: true }])
    expect(await refused([...indexes, narrower])).toMatchObject({
      result: false,
      comment: expect.stringContaining('GSI projection types do not match'),
    })
    const other = index('by_city', 'town', [...capacity(1), { includes: ['street'] }])
    expect(await refused([...indexes, other])).toMatchObject({
      comment: expect.stringContaining('GSI property KeySchema cannot be updated for index by_city'),
    })
  })

  test('a table brings its alarms, and is deleted by a state', async () => {
    const alarm = (metric: string) => ({
      name: `of ${metric}`,
      attributes: {
        metric,
        namespace: 'AWS/DynamoDB',
        statistic: 'Sum',
        comparison: '>=',
        threshold_percent: 0.75,
        period: 300,
        evaluation_periods: 2,
        description: 'Busy',
      },
    })
    const alarms = { writes: alarm('ConsumedWriteCapacityUnits') }
    const watched = await calls.apply('boto_dynamodb.present', { name: 'watched', ...TABLE, alarms })
    expect(Object.keys(watched.done.changes)).toContain('watched of ConsumedWriteCapacityUnits')
    const found = await call('boto_cloudwatch.get_alarm', { name: 'watched of ConsumedWriteCapacityUnits' })
    expect(found).toMatchObject({ threshold: 600, dimensions: { TableName: ['watched'] } })
    const options = { boto_dynamodb_alarms: { reads: alarm('ConsumedReadCapacityUnits') } }
    const more = await calls.run('boto_dynamodb.present', { name: 'watched', ...TABLE, alarms }, false, options)
    expect(Object.keys(more.changes)).toEqual(['watched of ConsumedReadCapacityUnits'])
    const backups = { boto_dynamodb_backup_configs: [{ name: 'daily' }] }
    await expect(calls.run('boto_dynamodb.present', { name: 'watched', ...TABLE }, true, backups)).rejects.toThrow(
      'boto_dynamodb_backup_configs',
    )
    const gone = await calls.apply('boto_dynamodb.absent', { name: 'watched' })
    expect(gone.foreseen).toMatchObject({ result: null, comment: 'DynamoDB table watched is set to be deleted' })
    expect(gone.done.changes).toEqual({ old: 'Table watched exists', new: 'Table watched deleted' })
    expect(gone.again.comment).toBe('DynamoDB table watched does not exist')
  })

  test('functions do the same, and look after tags', async () => {
    const lab = { table_name: 'lab' }
    expect(await call('boto_dynamodb.exists', lab)).toBe(false)
    await expect(call('boto_dynamodb.describe', lab)).rejects.toThrow('ResourceNotFoundException')
    await expect(call('boto_dynamodb.create_table', { ...lab, hash_key: 'id' })).rejects.toThrow('read_capacity_units')
    expect(await call('boto_dynamodb.create_table', { ...lab, ...TABLE })).toBe(true)
    await expect(call('boto_dynamodb.create_table', { ...lab, ...TABLE })).rejects.toThrow('ResourceInUseException')
    const { Table } = (await call('boto_dynamodb.describe', lab)) as { Table: { TableArn: string } }
    expect(Table).toMatchObject({ TableName: 'lab', ProvisionedThroughput: { ReadCapacityUnits: 1 } })
    expect(await call('boto_dynamodb.update', { ...lab, throughput: { read: 3, write: 3 } })).toBe(true)
    await expect(call('boto_dynamodb.update', { ...lab, throughput: { read: 3 } })).rejects.toThrow('write')
    const global_index = (await calls.plain('boto_dynamodb.extract_index', {
      index_data: index('by_name', 'name', capacity(2)),
      global_index: true,
    })) as Plain
    expect(global_index).toEqual({
      IndexName: 'by_name',
      KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
      ProvisionedThroughput: { ReadCapacityUnits: 2, WriteCapacityUnits: 2 },
      AttributeDefinitions: [{ AttributeName: 'name', AttributeType: 'S' }],
    })
    expect(await call('boto_dynamodb.create_global_secondary_index', { ...lab, global_index })).toBe(true)
    const global_indexes = { by_name: { read: 6, write: 6 } }
    expect(await call('boto_dynamodb.update_global_secondary_index', { ...lab, global_indexes })).toBe(true)
    expect(await call('boto_dynamodb.describe', lab)).toMatchObject({
      Table: {
        ProvisionedThroughput: { ReadCapacityUnits: 3 },
        GlobalSecondaryIndexes: [{ IndexName: 'by_name', ProvisionedThroughput: { WriteCapacityUnits: 6 } }],
      },
    })
    const resource = { resource_arn: Table.TableArn }
    expect(await call('boto_dynamodb.tag_resource', { ...resource, tags: { team: 'lab', year: 2026 } })).toBe(true)
    expect(await call('boto_dynamodb.list_tags_of_resource', resource)).toEqual({ team: 'lab', year: '2026' })
    expect(await call('boto_dynamodb.untag_resource', { ...resource, tag_keys: ['year'] })).toBe(true)
    expect(await call('boto_dynamodb.list_tags_of_resource', resource)).toEqual({ team: 'lab' })
    expect(await call('boto_dynamodb.delete', lab)).toBe(true)
    expect(await call('boto_dynamodb.list_tags_of_resource', resource)).toBe(false)
  })
})
