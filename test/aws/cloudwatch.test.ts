// The module boto_cloudwatch and the states boto_cloudwatch_alarm against moto, and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AwsCalls } from './calls.ts'
import { type AwsService, awsService, hasMoto, ways, withoutMoto } from './service.ts'

describe.each(ways())('alarms of CloudWatch, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  beforeAll(async () => {
    service = await awsService(way, 'cloudwatch')
    calls = new AwsCalls(service.url)
  })
  afterAll(() => service.close())

  const topic = 'arn:aws:sns:us-east-1:123456789012:alarms'
  const attributes = {
    metric: 'CPUUtilization',
    namespace: 'AWS/EC2',
    statistic: 'Average',
    comparison: '>=',
    threshold: 80,
    period: 60,
    evaluation_periods: 2,
    description: 'Too much work',
    dimensions: { InstanceId: ['i-1'] },
    alarm_actions: [topic],
  }

  test('an alarm is created, read and deleted', async () => {
    const alarm = { ...attributes, name: 'cpu', dimensions: '{"InstanceId": "i-1"}', alarm_actions: topic }
    expect(await calls.call('boto_cloudwatch.get_alarm', { name: 'cpu' })).toBe(null)
    expect(await calls.call('boto_cloudwatch.create_or_update_alarm', alarm)).toBe(true)
    const { threshold: _threshold, ...others } = attributes
    expect(await calls.call('boto_cloudwatch.get_alarm', { name: 'cpu' })).toMatchObject({ ...others, name: 'cpu' })
    const all = await calls.call('boto_cloudwatch.get_all_alarms', { prefix: 'our-' })
    expect(all).toContain('manage alarm our-cpu:\n')
    expect(all).toContain('boto_cloudwatch_alarm.present')
    const arns = [topic, 'scaling_policy:none:up']
    expect(await calls.call('boto_cloudwatch.convert_to_arn', { arns })).toEqual([topic])
    expect(await calls.call('boto_cloudwatch.delete_alarm', { name: 'cpu' })).toBe(true)
    await expect(calls.call('boto_cloudwatch.create_or_update_alarm', {})).rejects.toThrow("An alarm needs a 'name'")
  })

  test('an alarm is as its state says', async () => {
    const made = await calls.apply('boto_cloudwatch_alarm.present', { name: 'cpu', attributes })
    expect(made.foreseen).toMatchObject({ result: null, comment: 'alarm cpu is to be created/updated.' })
    expect(made.done.changes['new']).toMatchObject({ metric: 'CPUUtilization' })
    expect(made.again.comment).toBe('alarm cpu present and matching')
    const higher = { ...attributes, threshold: 90.5, alarm_actions: [] }
    const other = await calls.apply('boto_cloudwatch_alarm.present', { name: 'cpu', attributes: higher })
    expect(other.done.changes['diff']).toContain("threshold='90.5' was: '80.0'")
    const gone = await calls.apply('boto_cloudwatch_alarm.absent', { name: 'cpu' })
    expect(gone.done.changes).toEqual({ old: 'cpu', new: null })
  })
})

test.skipIf(hasMoto())(`alarms of CloudWatch against moto (${withoutMoto})`, (ctx) => ctx.skip())
