// Topics of SNS as states, with parameters by the names of AWS.
import { isAnyError, recover } from '../../../base/mod.ts'
import { type Dict, dumpJson, isDict, loadJson, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, state } from '../../../sdk/mod.ts'
import { askerOf } from '../common/ask.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { dictsIn } from '../common/structured.ts'
import { unordered } from '../common/unordered.ts'
import { isArn, shownEndpoint } from './topics.ts'

const ask = askerOf('boto3_sns')

const NAME = arg.text('Name of the topic')
const ATTRIBUTES = ['DisplayName', 'Policy', 'DeliveryPolicy']

async function describe(ctx: StateContext, name: string, login: AwsLogin): Promise<Dict> {
  const topic = await ask(ctx, 'describe_topic', login, { name })
  return isDict(topic) ? topic : new Map()
}

/** One change of a topic, with the comments for each result. */
interface Step {
  fun: string
  given: Record<string, Value>
  foreseen: string
  done: string
  failed: string
}

/** Return a value as data where it is JSON. */
function parsed(value: Value): Value {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  return recover(isAnyError, value, () => loadJson(value))
}

/** Return the steps to the wanted attributes. Attributes that are not given stay unchanged. */
function attributeSteps(TopicArn: string, wanted: Dict, present: Dict): Step[] {
  return ATTRIBUTES.flatMap((AttributeName) => {
    const value = wanted.get(AttributeName) ?? null
    const now = present.get(AttributeName) ?? ''
    if (value === null || unordered(parsed(value)) === unordered(parsed(now))) return []
    const AttributeValue = typeof value === 'string' ? value : isDict(value) ? dumpJson(value) : str(value)
    return [
      {
        fun: 'set_topic_attributes',
        given: { TopicArn, AttributeName, AttributeValue },
        foreseen: `  Attribute ${AttributeName} would be updated on topic ${TopicArn}.`,
        done: `  Attribute ${AttributeName} set to ${AttributeValue} on topic ${TopicArn}.`,
        failed: `  Failed to update ${AttributeName} on topic ${TopicArn}.`,
      },
    ]
  })
}

const keyOf = (protocol: string, endpoint: string): string => `${protocol}:${shownEndpoint(endpoint)}`

function wantedOf(given: readonly Value[]): { Protocol: string; Endpoint: string }[] {
  return given.map((entry) => {
    const [protocol, endpoint] = isDict(entry) ? [entry.get('Protocol'), entry.get('Endpoint')] : []
    if (protocol === undefined || endpoint === undefined) throw misuse('Each subscription needs Protocol and Endpoint')
    return { Protocol: str(protocol), Endpoint: str(endpoint) }
  })
}

/** Return the steps to the subscriptions that are wanted: these and no others. */
function subscriptionSteps(
  TopicArn: string,
  wanted: readonly { Protocol: string; Endpoint: string }[],
  present: readonly Dict[],
): Step[] {
  const presentKey = (one: Dict): string => keyOf(str(one.get('Protocol') ?? ''), str(one.get('Endpoint') ?? ''))
  const [wantedKeys, presentKeys] = [wanted.map((one) => keyOf(one.Protocol, one.Endpoint)), present.map(presentKey)]
  const add = wanted
    .filter((_, index) => !presentKeys.includes(wantedKeys[index] ?? ''))
    .map((one): Step => {
      const subscription = keyOf(one.Protocol, one.Endpoint)
      return {
        fun: 'subscribe',
        given: { TopicArn, ...one },
        foreseen: ` Subscription ${subscription} would be set on topic ${TopicArn}.`,
        done: ` Subscription ${subscription} set on topic ${TopicArn}.`,
        failed: ` Failed to set subscription ${subscription} on topic ${TopicArn}.`,
      }
    })
  const remove = present
    .filter((one) => !wantedKeys.includes(presentKey(one)))
    .map((one) => str(one.get('SubscriptionArn') ?? ''))
    .filter(isArn)
    .map(
      (SubscriptionArn): Step => ({
        fun: 'unsubscribe',
        given: { SubscriptionArn },
        foreseen: `  Subscription ${SubscriptionArn} would be removed from topic ${TopicArn}.`,
        done: `  Subscription ${SubscriptionArn} removed from topic ${TopicArn}.`,
        failed: `  Failed to remove subscription ${SubscriptionArn} from topic ${TopicArn}.`,
      }),
    )
  return [...add, ...remove]
}

interface Outcome {
  result: boolean | null
  comment: string
  isChanged: boolean
}

/** Carry out steps in order, until AWS refuses one. */
async function take(ctx: StateContext, login: AwsLogin, steps: readonly Step[]): Promise<Outcome> {
  if (ctx.test) {
    const comment = steps.map(({ foreseen }) => foreseen).join('')
    return { result: steps.length === 0 ? true : null, comment, isChanged: false }
  }
  let comment = ''
  for (const [index, step] of steps.entries()) {
    if (!truthy(await ask(ctx, step.fun, login, step.given)))
      return { result: false, comment: comment + step.failed, isChanged: index > 0 }
    comment += step.done
  }
  return { result: true, comment, isChanged: steps.length > 0 }
}

export default defineState({
  name: 'boto3_sns',
  doc: 'Manage topics of SNS.',
  functions: {
    topic_present: state({
      doc: 'Ensure that a topic exists, with the given subscriptions and no others.',
      args: {
        name: NAME,
        subscriptions: arg.list('Dicts with `Protocol` and `Endpoint`', { optional: true }),
        attributes: arg.dict('`DisplayName`, `Policy` and `DeliveryPolicy`; not changed unless given', {
          optional: true,
        }),
        ...LOGIN,
      },
      run: async (ctx, { name, subscriptions, attributes, ...login }) => {
        const wanted = wantedOf(subscriptions ?? [])
        const old = await describe(ctx, name, login)
        const isNew = old.size === 0
        if (isNew && ctx.test)
          return { name, result: null, comment: `AWS SNS topic ${name} would be created.`, changes: {} }
        const arn = isNew ? await ask(ctx, 'create_topic', login, { Name: name }) : (old.get('TopicArn') ?? null)
        if (!truthy(arn)) return { name, result: false, comment: `Failed to create AWS SNS topic ${name}`, changes: {} }
        const TopicArn = str(arn)
        const now = await ask(ctx, 'get_topic_attributes', login, { TopicArn })
        const steps = [
          ...attributeSteps(TopicArn, attributes ?? new Map(), isDict(now) ? now : new Map()),
          ...subscriptionSteps(TopicArn, wanted, dictsIn(old.get('Subscriptions') ?? null)),
        ]
        const { result, comment, isChanged } = await take(ctx, login, steps)
        const begin = isNew ? `AWS SNS topic ${name} created with ARN ${TopicArn}.` : `AWS SNS topic ${name} present.`
        const changes = isNew || isChanged ? { old, new: await describe(ctx, name, login) } : {}
        return { name, result, comment: begin + comment, changes }
      },
    }),
    topic_absent: state({
      doc: 'Ensure that a topic does not exist.',
      args: {
        name: NAME,
        unsubscribe: arg.flag('Whether its subscriptions are ended too', { default: false }),
        ...LOGIN,
      },
      run: async (ctx, { name, unsubscribe, ...login }) => {
        const old = await describe(ctx, name, login)
        if (old.size === 0) return { name, result: true, comment: `AWS SNS topic ${name} absent.`, changes: {} }
        const TopicArn = str(old.get('TopicArn') ?? '')
        const subscriptions = unsubscribe ? dictsIn(old.get('Subscriptions') ?? null) : []
        if (ctx.test) {
          const more = unsubscribe ? `  ${subscriptions.length} subscription(s) would be removed.` : ''
          return { name, result: null, comment: `AWS SNS topic ${TopicArn} would be removed.${more}`, changes: {} }
        }
        const steps = subscriptions
          .map((one) => str(one.get('SubscriptionArn') ?? ''))
          .filter(isArn)
          .map(
            (SubscriptionArn): Step => ({
              fun: 'unsubscribe',
              given: { SubscriptionArn },
              foreseen: '',
              done: `  Subscription ${SubscriptionArn} deleted`,
              failed: `Failed to delete subscription ${SubscriptionArn} for SNS topic ${TopicArn}`,
            }),
          )
        const ended = await take(ctx, login, steps)
        const report = async (result: boolean, comment: string, isChanged: boolean) => ({
          name,
          result,
          comment,
          changes: isChanged ? { old, new: await describe(ctx, name, login) } : {},
        })
        if (ended.result === false) return report(false, ended.comment.trim(), ended.isChanged)
        if (!truthy(await ask(ctx, 'delete_topic', login, { TopicArn })))
          return report(false, `Failed to delete SNS topic ${TopicArn}`, ended.isChanged)
        return report(true, `AWS SNS topic ${TopicArn} deleted.${ended.comment}`, true)
      },
    }),
  },
})
