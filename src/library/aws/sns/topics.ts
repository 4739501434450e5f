// Topics and subscriptions of SNS, for both modules about them.
import type { Dict } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import type { AwsLogin } from '../common/login.ts'

export const snsOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'sns', login)

export const isArn = (name: string): boolean => /^arn:aws[a-z-]*:sns:/.test(name)

/** Return the ARNs of all topics by their names. */
export async function topics(sns: AwsCaller): Promise<Map<string, string>> {
  const token = { at: 'ListTopicsResult.NextToken', into: 'NextToken' }
  const rows = await sns.rows('ListTopics', {}, 'ListTopicsResult.Topics', token)
  return new Map(rows.map((row) => [(row.text('TopicArn') ?? '').split(':').pop()!, row.text('TopicArn') ?? '']))
}

/** Return the subscriptions of a topic. */
export async function topicSubscriptions(sns: AwsCaller, TopicArn: string): Promise<Dict[]> {
  const token = { at: 'ListSubscriptionsByTopicResult.NextToken', into: 'NextToken' }
  const list = 'ListSubscriptionsByTopicResult.Subscriptions'
  return (await sns.rows('ListSubscriptionsByTopic', { TopicArn }, list, token)).map((row) => row.dict())
}

/** Return all subscriptions. */
export async function allSubscriptions(sns: AwsCaller): Promise<Dict[]> {
  const token = { at: 'ListSubscriptionsResult.NextToken', into: 'NextToken' }
  return (await sns.rows('ListSubscriptions', {}, 'ListSubscriptionsResult.Subscriptions', token)).map((row) =>
    row.dict(),
  )
}

/** Return an endpoint as AWS shows it: with asterisks in the place of a password. */
export const shownEndpoint = (endpoint: string): string =>
  endpoint.replace(/(?<=^https?:\/\/[^/:@]*:)[^/]+(?=@)/i, '****')
