// Topics of SNS as states.
import { type Dict, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { shownEndpoint } from './topics.ts'

interface Subscription {
  protocol: string
  endpoint: string
}

const NAME = arg.text('Name of the topic')

const shown = ({ protocol, endpoint }: Subscription): string => `${protocol}:${shownEndpoint(endpoint)}`

function wantedOf(given: Value): Subscription[] {
  return (isList(given) ? given : []).map((entry) => {
    if (isDict(entry) && entry.has('protocol') && entry.has('endpoint')) {
      return { protocol: str(entry.get('protocol')!), endpoint: str(entry.get('endpoint')!) }
    }
    throw misuse('Each subscription needs protocol and endpoint')
  })
}

async function presentOf(ctx: StateContext, name: string, login: AwsLogin): Promise<Dict[]> {
  return await ctx.call('boto_sns.get_all_subscriptions_by_topic', [name], loginOf(login))
}

const exists = async (ctx: StateContext, name: string, login: AwsLogin): Promise<boolean> =>
  truthy(await ctx.call('boto_sns.exists', [name], loginOf(login)))

export default defineState({
  name: 'boto_sns',
  doc: 'Manage topics of SNS.',
  functions: {
    present: state({
      doc: 'Ensure that a topic exists, with the given subscriptions.',
      args: {
        name: NAME,
        subscriptions: arg.list('Dicts with `protocol` and `endpoint`', { default: [] }),
        ...LOGIN,
      },
      run: (ctx, { name, subscriptions, ...login }) => {
        const wanted = wantedOf(subscriptions)
        return ensure(ctx, {
          name,
          look: async () => {
            const isThere = await exists(ctx, name, login)
            const present = isThere && wanted.length > 0 ? await presentOf(ctx, name, login) : []
            const known = new Set(present.map((one) => `${str(one.get('Protocol')!)}:${str(one.get('Endpoint')!)}`))
            const missing = wanted.filter((one) => !known.has(shown(one)))
            const kept = wanted.filter((one) => known.has(shown(one)))
            const lines = kept.map((one) => ` AWS SNS subscription ${shown(one)} already set on topic ${name}.`)
            const begin = `AWS SNS topic ${name} present.${lines.join('')}`
            return isThere && missing.length === 0 ? settled(begin) : { isThere, missing, begin }
          },
          foresee: ({ isThere, missing, begin }) => {
            if (!isThere) return `AWS SNS topic ${name} is set to be created.`
            const lines = missing.map((one) => ` AWS SNS subscription ${shown(one)} to be set on topic ${name}.`)
            return `${begin}${lines.join('')}`
          },
          act: async ({ isThere, missing, begin }) => {
            if (!isThere && !truthy(await ctx.call('boto_sns.create', [name], loginOf(login)))) {
              return failed(`Failed to create ${name} AWS SNS topic`)
            }
            let comment = isThere ? begin : `AWS SNS topic ${name} created.`
            for (const one of missing) {
              await ctx.call('boto_sns.subscribe', [name, one.protocol, one.endpoint], loginOf(login))
              comment += ` AWS SNS subscription ${shown(one)} set on topic ${name}.`
            }
            const made = missing.map((one) => ({
              protocol: one.protocol,
              endpoint: shown(one).slice(one.protocol.length + 1),
            }))
            return changed(comment, {
              old: null,
              new: isThere ? { subscriptions: made } : { topic: name, subscriptions: made },
            })
          },
        })
      },
    }),
    absent: state({
      doc: 'Ensure that a topic does not exist.',
      args: {
        name: NAME,
        ...LOGIN,
        unsubscribe: arg.flag('Whether its subscriptions are ended too', { default: false }),
      },
      run: (ctx, { name, unsubscribe, ...login }) =>
        ensure(ctx, {
          name,
          look: async () => {
            if (!(await exists(ctx, name, login))) return settled(`AWS SNS topic ${name} does not exist.`)
            return unsubscribe ? presentOf(ctx, name, login) : []
          },
          foresee: (present) =>
            `AWS SNS topic ${name} is set to be removed.  ${present.length} subscription(s) will be removed.`,
          act: async (present) => {
            const kept: Dict[] = []
            for (const one of present) {
              const arn = str(one.get('SubscriptionArn') ?? '')
              const isGone: Value = await ctx.call('boto_sns.unsubscribe', [name, arn], loginOf(login))
              if (!truthy(isGone)) kept.push(one)
            }
            if (!truthy(await ctx.call('boto_sns.delete', [name], loginOf(login)))) {
              return failed(`Failed to delete ${name} AWS SNS topic.`)
            }
            return changed(`AWS SNS topic ${name} deleted.`, {
              new: kept.length > 0 ? { subscriptions: kept } : null,
              old: unsubscribe ? { topic: name, subscriptions: present } : { topic: name },
            })
          },
        }),
    }),
  },
})
