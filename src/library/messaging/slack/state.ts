// Messages to Slack sent by a state.
import { isDict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

async function configured(ctx: StateContext, name: string): Promise<Value> {
  for (const key of [`slack.${name}`, `slack:${name}`]) {
    const value = await ctx.call('config.get', [key])
    if (truthy(value)) return value
  }
  return null
}

type Given = ReadonlyMap<string, Value>

interface Access {
  api_key: Value
  webhook: Value
}

/** Return a key or a webhook, given or configured. */
async function accessOf(ctx: StateContext, given: Given): Promise<Access> {
  const access = { api_key: given.get('api_key') ?? null, webhook: given.get('webhook') ?? null }
  if (truthy(access.api_key) || truthy(access.webhook)) return access
  const api_key = await configured(ctx, 'api_key')
  return { api_key, webhook: truthy(api_key) ? null : await configured(ctx, 'hook') }
}

function complaint(given: Given, { api_key, webhook }: Access): string | undefined {
  const lacks = (name: string): boolean => !truthy(given.get(name) ?? null)
  if (!truthy(api_key) && !truthy(webhook)) return 'Please specify api_key or webhook.'
  if (truthy(api_key) && truthy(webhook)) return 'Please specify only either api_key or webhook.'
  if (truthy(api_key) && lacks('channel')) return 'Slack channel is missing.'
  if (truthy(api_key) && lacks('from_name')) return 'Slack from name is missing.'
  return lacks('message') ? 'Slack message is missing.' : undefined
}

const picked = (given: Given, names: string): Record<string, Value> =>
  Object.fromEntries(names.split(' ').map((name) => [name, given.get(name) ?? null]))

function send(ctx: StateContext, given: Given, { api_key }: Access): Value | Promise<Value> {
  if (truthy(api_key))
    return ctx.call('slack.post_message', [], picked(given, 'channel message from_name api_key icon'))
  return ctx.call('slack.call_hook', [], {
    ...picked(given, 'message attachment channel username icon_emoji'),
    color: given.get('color') ?? 'good',
    short: given.get('short') ?? false,
    identifier: given.get('webhook') ?? null,
  })
}

async function post(ctx: StateContext, name: string, given: Given): Promise<StateReturn> {
  const report = reportOn(name)
  const access = await accessOf(ctx, given)
  const fault = complaint(given, access)
  if (fault !== undefined) return report(false, fault)
  if (ctx.test)
    return report(null, `The following message is to be sent to Slack: ${str(given.get('message') ?? null)}`)
  let result: Value
  try {
    result = await send(ctx, given, access)
  } catch (error) {
    if (!(error instanceof SaltError) || error.code !== 'SaltInvocationError') throw error
    return report(false, `Failed to send message (${error.message}): ${name}`)
  }
  if (result === true) return report(true, `Sent message: ${name}`)
  const why = isDict(result) ? str(result.get('message') ?? null) : str(result)
  return report(false, `Failed to send message (${why}): ${name}`)
}

export default defineState({
  name: 'slack',
  doc: 'Send messages to Slack.',
  functions: {
    post_message: state({
      doc: 'Send a message.',
      args: {
        name: arg.text('Label of the message'),
        kwargs: arg.open(
          'channel, from_name, message, api_key and icon; or webhook, message, attachment, color and so on',
        ),
      },
      run: (ctx, { name, kwargs }) => post(ctx, name, kwargs),
    }),
  },
})
