// Topics of SNS by the names of Salt's functions for boto3.
import type { Dict, Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsCaller } from '../common/caller.ts'
import { isAccepted, unlessFault } from '../common/errors.ts'
import { LOGIN } from '../common/login.ts'
import { allSubscriptions, isArn, snsOf, topicSubscriptions, topics } from './topics.ts'

const TOPIC = arg.text('ARN of the topic')
const SUBSCRIPTION = arg.text('ARN of the subscription')
const ATTRIBUTE = { AttributeName: arg.text('Name of the attribute'), AttributeValue: arg.text('Its value') }

/** Return the result of a call; None, with a log line, if AWS refuses. */
const orNone = <T>(ctx: FunctionContext, call: Promise<T>): Promise<T | null> =>
  unlessFault(call, (error) => {
    ctx.log('error', error.message)
    return null
  })

async function topicAttributes(sns: AwsCaller, TopicArn: string): Promise<Dict> {
  const answer = await sns.query('GetTopicAttributes', { TopicArn })
  return answer.pairs('GetTopicAttributesResult.Attributes')
}

export default defineModule({
  name: 'boto3_sns',
  doc: 'Manage topics of SNS, with parameters by the names of AWS.',
  functions: {
    list_topics: reads({
      doc: 'Return the ARNs of all topics by their names.',
      example: 'boto3_sns.list_topics region=us-east-1',
      args: LOGIN,
      returns: ret.dict('ARNs by name'),
      run: async (ctx, login) => new Map<Value, Value>(await topics(snsOf(ctx, login))),
    }),
    describe_topic: reads({
      doc: 'Return a topic with its subscriptions and attributes.',
      example: 'boto3_sns.describe_topic my_topic region=us-east-1',
      args: { name: arg.text('Name or ARN of the topic'), ...LOGIN },
      returns: ret.dict('`TopicArn`, `Subscriptions` and `Attributes`; empty where there is none'),
      run: async (ctx, { name, ...login }) => {
        const sns = snsOf(ctx, login)
        const found = [...(await topics(sns))].find((names) => names.includes(name))
        if (found === undefined) return new Map()
        const [, arn] = found
        return new Map<Value, Value>([
          ['TopicArn', arn],
          ['Subscriptions', await topicSubscriptions(sns, arn)],
          ['Attributes', await topicAttributes(sns, arn)],
        ])
      },
    }),
    topic_exists: reads({
      doc: 'Return whether a topic exists.',
      example: 'boto3_sns.topic_exists mytopic region=us-east-1',
      args: { name: arg.text('Name or ARN of the topic'), ...LOGIN },
      returns: ret.boolean('Whether it exists'),
      run: async (ctx, { name, ...login }) => [...(await topics(snsOf(ctx, login)))].flat().includes(name),
    }),
    create_topic: changes({
      doc: 'Create a topic.',
      example: 'boto3_sns.create_topic mytopic region=us-east-1',
      args: { Name: arg.text('Name of the topic'), ...LOGIN },
      returns: ret.optional(ret.string('Its ARN; None where AWS refuses')),
      run: (ctx, { Name, ...login }) => {
        const made = snsOf(ctx, login).query('CreateTopic', { Name })
        return orNone(
          ctx,
          made.then((answer) => answer.text('CreateTopicResult.TopicArn')),
        )
      },
    }),
    delete_topic: changes({
      doc: 'Delete a topic.',
      example: 'boto3_sns.delete_topic arn:aws:sns:us-east-1:123456789012:mytopic region=us-east-1',
      args: { TopicArn: TOPIC, ...LOGIN },
      returns: ret.boolean('Whether it was deleted'),
      run: (ctx, { TopicArn, ...login }) => isAccepted(ctx, snsOf(ctx, login).query('DeleteTopic', { TopicArn })),
    }),
    get_topic_attributes: reads({
      doc: 'Return the attributes of a topic.',
      example: 'boto3_sns.get_topic_attributes arn:aws:sns:us-east-1:123456789012:mytopic region=us-east-1',
      args: { TopicArn: TOPIC, ...LOGIN },
      returns: ret.optional(ret.dict('Attributes by name; None where AWS refuses')),
      run: (ctx, { TopicArn, ...login }) => orNone(ctx, topicAttributes(snsOf(ctx, login), TopicArn)),
    }),
    set_topic_attributes: changes({
      doc: 'Set an attribute of a topic.',
      example:
        'boto3_sns.set_topic_attributes arn:aws:sns:us-east-1:123456789012:mytopic DisplayName myDisplayName region=us-east-1',
      args: { TopicArn: TOPIC, ...ATTRIBUTE, ...LOGIN },
      returns: ret.boolean('Whether it was set'),
      run: (ctx, { TopicArn, AttributeName, AttributeValue, ...login }) => {
        const parameters = { TopicArn, AttributeName, AttributeValue }
        return isAccepted(ctx, snsOf(ctx, login).query('SetTopicAttributes', parameters))
      },
    }),
    list_subscriptions_by_topic: reads({
      doc: 'Return the subscriptions of a topic.',
      example: 'boto3_sns.list_subscriptions_by_topic arn:aws:sns:us-east-1:123456789012:mytopic region=us-east-1',
      args: { TopicArn: TOPIC, ...LOGIN },
      returns: ret.optional(ret.dicts('`SubscriptionArn`, `Owner`, `Protocol`, `Endpoint` and `TopicArn` of each')),
      run: (ctx, { TopicArn, ...login }) => orNone(ctx, topicSubscriptions(snsOf(ctx, login), TopicArn)),
    }),
    list_subscriptions: reads({
      doc: 'Return all subscriptions.',
      example: 'boto3_sns.list_subscriptions region=us-east-1',
      args: LOGIN,
      returns: ret.optional(ret.dicts('`SubscriptionArn`, `Owner`, `Protocol`, `Endpoint` and `TopicArn` of each')),
      run: (ctx, login) => orNone(ctx, allSubscriptions(snsOf(ctx, login))),
    }),
    get_subscription_attributes: reads({
      doc: 'Return the attributes of a subscription.',
      example: 'boto3_sns.get_subscription_attributes arn:aws:sns:us-east-1:123456789012:mytopic:uuid region=us-east-1',
      args: { SubscriptionArn: SUBSCRIPTION, ...LOGIN },
      returns: ret.optional(ret.dict('Attributes by name; None where AWS refuses')),
      run: (ctx, { SubscriptionArn, ...login }) => {
        const found = snsOf(ctx, login).query('GetSubscriptionAttributes', { SubscriptionArn })
        return orNone(
          ctx,
          found.then((answer) => answer.pairs('GetSubscriptionAttributesResult.Attributes')),
        )
      },
    }),
    set_subscription_attributes: changes({
      doc: 'Set an attribute of a subscription.',
      example:
        'boto3_sns.set_subscription_attributes arn:aws:sns:us-east-1:123456789012:mytopic:uuid RawMessageDelivery true region=us-east-1',
      args: { SubscriptionArn: SUBSCRIPTION, ...ATTRIBUTE, ...LOGIN },
      returns: ret.boolean('Whether it was set'),
      run: (ctx, { SubscriptionArn, AttributeName, AttributeValue, ...login }) => {
        const parameters = { SubscriptionArn, AttributeName, AttributeValue }
        return isAccepted(ctx, snsOf(ctx, login).query('SetSubscriptionAttributes', parameters))
      },
    }),
    subscribe: changes({
      doc: 'Subscribe an endpoint to a topic.',
      example:
        'boto3_sns.subscribe arn:aws:sns:us-east-1:123456789012:mytopic https https://www.example.com/sns-endpoint region=us-east-1',
      args: {
        TopicArn: TOPIC,
        Protocol: arg.text('`email`, `https`, `sqs` and others'),
        Endpoint: arg.text('Address to notify'),
        ...LOGIN,
      },
      returns: ret.optional(ret.string('ARN of the subscription; None where AWS refuses')),
      run: (ctx, { TopicArn, Protocol, Endpoint, ...login }) => {
        const done = snsOf(ctx, login).query('Subscribe', { TopicArn, Protocol, Endpoint })
        return orNone(
          ctx,
          done.then((answer) => answer.text('SubscribeResult.SubscriptionArn')),
        )
      },
    }),
    unsubscribe: changes({
      doc: 'End a subscription. One that is not confirmed yet cannot be ended, and counts as done.',
      example: 'boto3_sns.unsubscribe arn:aws:sns:us-east-1:123456789012:mytopic:uuid region=us-east-1',
      args: { SubscriptionArn: SUBSCRIPTION, ...LOGIN },
      returns: ret.boolean('Whether it was ended'),
      run: async (ctx, { SubscriptionArn, ...login }) => {
        if (!isArn(SubscriptionArn)) return true
        const sns = snsOf(ctx, login)
        const all = await allSubscriptions(sns)
        if (!all.some((one) => one.get('SubscriptionArn') === SubscriptionArn)) {
          ctx.log('error', `Subscription ARN ${SubscriptionArn} not found`)
          return false
        }
        return isAccepted(ctx, sns.query('Unsubscribe', { SubscriptionArn }))
      },
    }),
  },
})
