// Topics of SNS by Salt's names.
import { type Dict, failure, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { isAccepted } from '../common/errors.ts'
import { LOGIN } from '../common/login.ts'
import { isArn, snsOf, topicSubscriptions, topics } from './topics.ts'

const NAME = arg.text('Name or ARN of the topic')

/** Return the ARN of a topic that exists. */
async function arnOf(sns: AwsCaller, name: string): Promise<string> {
  const arn = isArn(name) ? name : (await topics(sns)).get(name)
  if (arn === undefined) throw failure(`There is no SNS topic ${name}`)
  return arn
}

const subscriptions = async (sns: AwsCaller, name: string): Promise<Dict[]> =>
  topicSubscriptions(sns, await arnOf(sns, name))

export default defineModule({
  name: 'boto_sns',
  doc: 'Manage topics of SNS.',
  functions: {
    get_all_topics: reads({
      doc: 'Return the ARNs of all topics by their names.',
      args: LOGIN,
      returns: ret.dict('ARNs by name'),
      run: async (ctx, login) => new Map<Value, Value>(await topics(snsOf(ctx, login))),
    }),
    exists: reads({
      doc: 'Return whether a topic exists.',
      example: 'boto_sns.exists alarms region=us-east-1',
      args: { name: NAME, ...LOGIN },
      returns: ret.boolean('Whether it exists'),
      run: async (ctx, { name, ...login }) => {
        const all = await topics(snsOf(ctx, login))
        return isArn(name) ? [...all.values()].includes(name) : all.has(name)
      },
    }),
    create: changes({
      doc: 'Create a topic.',
      example: 'boto_sns.create alarms region=us-east-1',
      args: { name: arg.text('Name of the topic'), ...LOGIN },
      returns: ret.boolean('True'),
      run: async (ctx, { name, ...login }) => {
        await snsOf(ctx, login).query('CreateTopic', { Name: name })
        return true
      },
    }),
    delete: changes({
      doc: 'Delete a topic.',
      example: 'boto_sns.delete alarms region=us-east-1',
      args: { name: NAME, ...LOGIN },
      returns: ret.boolean('True'),
      run: async (ctx, { name, ...login }) => {
        const sns = snsOf(ctx, login)
        await sns.query('DeleteTopic', { TopicArn: await arnOf(sns, name) })
        return true
      },
    }),
    get_all_subscriptions_by_topic: reads({
      doc: 'Return the subscriptions of a topic.',
      example: 'boto_sns.get_all_subscriptions_by_topic alarms region=us-east-1',
      args: { name: NAME, ...LOGIN },
      returns: ret.dicts('`SubscriptionArn`, `Owner`, `Protocol`, `Endpoint` and `TopicArn` of each'),
      run: (ctx, { name, ...login }) => subscriptions(snsOf(ctx, login), name),
    }),
    subscribe: changes({
      doc: 'Subscribe an endpoint to a topic.',
      example: 'boto_sns.subscribe alarms https https://www.example.com/sns-endpoint region=us-east-1',
      args: {
        topic: NAME,
        protocol: arg.text('`email`, `https`, `sqs` and others'),
        endpoint: arg.text('Address to notify'),
        ...LOGIN,
      },
      returns: ret.boolean('True'),
      run: async (ctx, { topic, protocol, endpoint, ...login }) => {
        const sns = snsOf(ctx, login)
        await sns.query('Subscribe', { TopicArn: await arnOf(sns, topic), Protocol: protocol, Endpoint: endpoint })
        return true
      },
    }),
    unsubscribe: changes({
      doc: 'End a subscription; one that is not confirmed yet cannot be ended.',
      example: 'boto_sns.unsubscribe alarms arn:aws:sns:us-east-1:123456789012:alarms:uuid region=us-east-1',
      args: { topic: NAME, subscription_arn: arg.text('ARN of the subscription'), ...LOGIN },
      returns: ret.boolean('Whether it was ended'),
      run: (ctx, { subscription_arn, topic: _topic, ...login }) => {
        if (!isArn(subscription_arn)) return false
        return isAccepted(ctx, snsOf(ctx, login).query('Unsubscribe', { SubscriptionArn: subscription_arn }))
      },
    }),
    get_arn: reads({
      doc: 'Return the ARN of a topic, whether it exists or not.',
      example: 'boto_sns.get_arn alarms region=us-east-1',
      args: { name: NAME, ...LOGIN },
      returns: ret.string('The ARN'),
      run: async (ctx, { name, ...login }) => {
        if (isArn(name)) return name
        const sns = snsOf(ctx, login)
        const who = await AwsCaller.of(ctx, 'sts', login, 'sns').query('GetCallerIdentity')
        return `arn:aws:sns:${sns.region}:${who.text('GetCallerIdentityResult.Account')}:${name}`
      },
    }),
  },
})
