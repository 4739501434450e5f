// Zones and records of Route 53, against moto and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { type AwsService, awsService, ways } from './service.ts'

describe.each(ways())('boto_route53, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  beforeAll(async () => {
    service = await awsService(way, 'route53')
    calls = new AwsCalls(service.url)
  })
  afterAll(() => service.close())
  const call = (name: string, given?: Plain) => calls.call(name, given)

  const record = { name: 'www.example.org', zone: 'example.org', record_type: 'A' }

  test('zones are made once and deleted', async () => {
    expect(await call('boto_route53.zone_exists', { zone: 'example.org' })).toBe(false)
    expect(await call('boto_route53.create_zone', { zone: 'example.org' })).toBe(true)
    expect(await call('boto_route53.create_zone', { zone: 'example.org' })).toBe(false)
    expect(await call('boto_route53.zone_exists', { zone: 'example.org.' })).toBe(true)
    expect(await call('boto_route53.create_zone', { zone: 'gone.example' })).toBe(true)
    expect(await call('boto_route53.delete_zone', { zone: 'gone.example' })).toBe(true)
    expect(await call('boto_route53.delete_zone', { zone: 'gone.example' })).toBe(false)
    await expect(call('boto_route53.create_zone', { zone: 'a.example', private: true })).rejects.toThrow(
      'vpc_id and vpc_region',
    )
  })

  test('records have the values of their states', async () => {
    const made = await calls.apply('boto_route53.present', { ...record, value: ['192.0.2.1', '192.0.2.2'], ttl: 120 })
    expect(made.foreseen).toMatchObject({ result: null, comment: 'Route53 record www.example.org set to be added.' })
    expect(made.done.comment).toBe('Added www.example.org Route53 record.')
    const other = await calls.apply('boto_route53.rr_present', { ...record, value: '192.0.2.3', ttl: 60 })
    expect(other.foreseen.comment).toBe('Route53 record www.example.org set to be updated.')
    expect(other.done.changes['old']).toMatchObject({ value: '192.0.2.1,192.0.2.2', ttl: '120' })
    expect(await call('boto_route53.get_record', record)).toEqual({
      name: 'www.example.org.',
      value: '192.0.2.3',
      record_type: 'A',
      ttl: '60',
    })
    expect((await calls.apply('boto_route53.absent', record)).done.comment).toBe(
      'Deleted www.example.org Route53 record.',
    )
    expect((await calls.apply('boto_route53.rr_absent', record)).done.comment).toBe('www.example.org does not exist.')
  })

  test('records are added, changed and deleted by functions', async () => {
    const star = { ...record, name: '*.example.org' }
    expect(await call('boto_route53.add_record', { ...star, value: '192.0.2.9' })).toBe(true)
    expect(await call('boto_route53.update_record', { ...star, value: '192.0.2.8' })).toBe(true)
    expect(await call('boto_route53.update_record', { ...record, value: '192.0.2.8' })).toBe(false)
    expect(await call('boto_route53.get_record', star)).toMatchObject({ name: '*.example.org.', value: '192.0.2.8' })
    expect(await call('boto_route53.delete_record', star)).toBe(true)
    expect(await call('boto_route53.get_record', { ...record, zone: 'none.example' })).toBeNull()
  })
})
