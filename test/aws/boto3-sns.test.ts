// The module and the states boto3_sns against moto, and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, ways } from './service.ts'

interface Topic {
  TopicArn: string
  Subscriptions: { Protocol: string; Endpoint: string; SubscriptionArn: string }[]
  Attributes: Record<string, string>
}

describe.each(ways())('boto3_sns, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  beforeAll(async () => {
    service = await awsService(way, 'boto3-sns')
    calls = new AwsCalls(service.url)
  })
  afterAll(() => service.close())
  const call = (name: string, given?: Plain) => calls.call(name, given)
  const hook = { Protocol: 'https', Endpoint: 'https://www.example.com/hook' }
  const secret = { Protocol: 'https', Endpoint: 'https://user:secret@www.example.com/hook' }

  test('a topic is made, changed and deleted with its subscriptions', async () => {
    const topic = { name: 'alarms', subscriptions: [hook], attributes: { DisplayName: 'Alarms' } }
    const made = await calls.apply('boto3_sns.topic_present', topic)
    expect(made.foreseen).toMatchObject({
      result: null,
      comment: 'AWS SNS topic alarms would be created.',
      changes: {},
    })
    const { TopicArn, ...now } = made.done.changes['new'] as unknown as Topic
    expect(now).toMatchObject({ Subscriptions: [hook], Attributes: { DisplayName: 'Alarms' } })
    expect(made.done.comment).toBe(
      `AWS SNS topic alarms created with ARN ${TopicArn}.  Attribute DisplayName set to Alarms on topic ${TopicArn}. Subscription https:https://www.example.com/hook set on topic ${TopicArn}.`,
    )
    expect(made.again.comment).toBe('AWS SNS topic alarms present.')
    if (way === 'moto') {
      const { Subscriptions } = await awsCli(service.url)('sns', 'list-subscriptions')
      expect(Subscriptions).toMatchObject([hook])
    }
    const Policy = {
      Version: '2012-10-17',
      Statement: [{ Sid: 'x', Effect: 'Allow', Principal: '*', Action: 'SNS:Publish', Resource: TopicArn }],
    }
    const sqs = { Protocol: 'email', Endpoint: 'team@example.com' }
    const next = { name: 'alarms', subscriptions: [sqs], attributes: { Policy } }
    const other = await calls.apply('boto3_sns.topic_present', next)
    const old = now.Subscriptions[0]!.SubscriptionArn
    expect(other.foreseen).toMatchObject({
      result: null,
      comment: `AWS SNS topic alarms present.  Attribute Policy would be updated on topic ${TopicArn}. Subscription email:team@example.com would be set on topic ${TopicArn}.  Subscription ${old} would be removed from topic ${TopicArn}.`,
    })
    expect(other.done.changes).toMatchObject({ old: { Subscriptions: [hook] }, new: { Subscriptions: [sqs] } })
    const gone = await calls.apply('boto3_sns.topic_absent', { name: 'alarms', unsubscribe: true })
    expect(gone.foreseen.comment).toBe(
      `AWS SNS topic ${TopicArn} would be removed.  1 subscription(s) would be removed.`,
    )
    expect(gone.done.comment).toContain(`AWS SNS topic ${TopicArn} deleted.`)
    expect(gone.done.changes).toMatchObject({ old: { TopicArn }, new: {} })
    expect(gone.again.comment).toBe('AWS SNS topic alarms absent.')
    const half = { name: 'alarms', subscriptions: [{ Protocol: 'https' }] }
    await expect(calls.run('boto3_sns.topic_present', half, true)).rejects.toThrow('needs Protocol and Endpoint')
  })

  test('a password in an endpoint is not in comments', async () => {
    await call('boto3_sns.create_topic', { Name: 'hidden' })
    const foreseen = await calls.run('boto3_sns.topic_present', { name: 'hidden', subscriptions: [secret] }, true)
    expect(foreseen.comment).toContain('https://user:****@www.example.com/hook would be set')
  })

  test('functions do the same', async () => {
    expect(await call('boto3_sns.topic_exists', { name: 'news' })).toBe(false)
    expect(await call('boto3_sns.describe_topic', { name: 'news' })).toEqual({})
    const TopicArn = (await call('boto3_sns.create_topic', { Name: 'news' })) as string
    expect(TopicArn).toMatch(/:news$/)
    expect(await call('boto3_sns.create_topic', { Name: 'not a name' })).toBe(null)
    expect(await call('boto3_sns.topic_exists', { name: TopicArn })).toBe(true)
    expect(await call('boto3_sns.list_topics')).toMatchObject({ news: TopicArn })
    const attribute = { TopicArn, AttributeName: 'DisplayName', AttributeValue: 'News' }
    expect(await call('boto3_sns.set_topic_attributes', attribute)).toBe(true)
    expect(await call('boto3_sns.get_topic_attributes', { TopicArn })).toMatchObject({ DisplayName: 'News' })
    const none = { TopicArn: `${TopicArn}-none` }
    expect(await call('boto3_sns.get_topic_attributes', none)).toBe(null)
    const SubscriptionArn = (await call('boto3_sns.subscribe', { TopicArn, ...hook })) as string
    expect(await call('boto3_sns.subscribe', { ...none, ...hook })).toBe(null)
    expect(await call('boto3_sns.describe_topic', { name: 'news' })).toMatchObject({ TopicArn, Subscriptions: [hook] })
    expect(await call('boto3_sns.list_subscriptions_by_topic', { TopicArn })).toMatchObject([{ SubscriptionArn }])
    const all = (await call('boto3_sns.list_subscriptions')) as { SubscriptionArn: string }[]
    expect(all.map((one) => one.SubscriptionArn)).toContain(SubscriptionArn)
    const raw = { SubscriptionArn, AttributeName: 'RawMessageDelivery', AttributeValue: 'true' }
    expect(await call('boto3_sns.set_subscription_attributes', raw)).toBe(true)
    expect(await call('boto3_sns.get_subscription_attributes', { SubscriptionArn })).toMatchObject({
      RawMessageDelivery: 'true',
      TopicArn,
    })
    expect(await call('boto3_sns.unsubscribe', { SubscriptionArn: 'PendingConfirmation' })).toBe(true)
    expect(await call('boto3_sns.unsubscribe', { SubscriptionArn })).toBe(true)
    expect(await call('boto3_sns.unsubscribe', { SubscriptionArn })).toBe(false)
    expect(await call('boto3_sns.delete_topic', { TopicArn })).toBe(true)
  })
})
