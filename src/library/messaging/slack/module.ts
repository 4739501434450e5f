// Messages to Slack, through its API or through a webhook.
import { type Dict, dictFrom, dumpJson, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

const API = 'https://slack.com/api/'
const HOOKS = 'https://hooks.slack.com/services/'

async function option(ctx: FunctionContext, name: string, missing: string): Promise<string> {
  for (const key of [`slack.${name}`, `slack:${name}`]) {
    const value = await ctx.call('config.get', [key])
    if (truthy(value)) return str(value)
  }
  throw misuse(missing)
}

async function keyOf(ctx: FunctionContext, given: string | null): Promise<string> {
  return given || option(ctx, 'api_key', 'No Slack API key found.')
}

const quoted = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')

const form = (fields: readonly (readonly [string, Value])[]): string =>
  fields.map(([name, value]) => `${quoted(name)}=${quoted(str(value))}`).join('&')

const outcome = (res: boolean, message: Value): Dict => dictFrom({ message, res })

interface Request {
  key: string
  /** Method of the API, and the part of its answer to return. */
  method: string
  part: string
  data?: string
}

async function ask(ctx: FunctionContext, { key, method, part, data }: Request): Promise<Dict> {
  const kind: [string, string] =
    data === undefined ? ['Accept', 'application/json'] : ['Content-Type', 'application/x-www-form-urlencoded']
  const answer = await ctx.call('http.query', [`${API}${method}`], {
    method: data === undefined ? 'GET' : 'POST',
    decode: true,
    status: true,
    header_dict: new Map([kind, ['Authorization', `Bearer ${key}`]]),
    ...(data !== undefined && { data }),
  })
  const dict = answer.get('dict') ?? null
  if (!isDict(dict)) return outcome(false, 'invalid_auth')
  if (dict.has('error')) return outcome(false, dict.get('error')!)
  return answer.get('status') === 200 ? outcome(true, dict.get(part) ?? null) : outcome(false, 'Unknown response')
}

const listing = (ctx: FunctionContext, key: string, kind: 'rooms' | 'users'): Promise<Dict> =>
  kind === 'rooms'
    ? ask(ctx, { key, method: 'conversations.list', part: 'channels' })
    : ask(ctx, { key, method: 'users.list', part: 'members' })

async function find(
  ctx: FunctionContext,
  name: string,
  api_key: string | null,
  kind: 'rooms' | 'users',
): Promise<Value> {
  const found = await listing(ctx, await keyOf(ctx, api_key), kind)
  const items = found.get('res') === true ? (found.get('message') ?? null) : null
  return (isList(items) ? items.filter(isDict) : []).find((item) => item.get('name') === name) ?? false
}

const api_key = arg.text('API key. Default: the option `slack.api_key`', { optional: true, secret: true })

const messageArgs = {
  channel: arg.text('Name of the channel'),
  message: arg.text('Text'),
  from_name: arg.text('Name of the sender'),
  api_key,
  icon: arg.text('URL of an icon', { optional: true }),
  attachments: arg.any('List of attachments', { optional: true }),
  blocks: arg.any('List of blocks', { optional: true }),
}

async function post(ctx: FunctionContext, given: Bound<typeof messageArgs>): Promise<Value> {
  const { channel, message, from_name, icon, attachments, blocks } = given
  const key = await keyOf(ctx, given.api_key)
  for (const name of ['channel', 'from_name', 'message'] as const) {
    if (!given[name]) ctx.log('error', `${name} is a required option.`)
  }
  const data = form([
    ['channel', /^[#@]/.test(channel) ? channel : `#${channel}`],
    ['username', from_name],
    ['text', message],
    ['attachments', truthy(attachments) ? attachments : []],
    ['blocks', truthy(blocks) ? blocks : []],
    ...(icon === null ? [] : [['icon_url', icon] as const]),
  ])
  const result = await ask(ctx, { key, method: 'chat.postMessage', part: 'channel', data })
  return result.get('res') === true ? true : result
}

const hookArgs = {
  message: arg.any('Text'),
  attachment: arg.any('Text of an attachment', { optional: true }),
  color: arg.text('Colour of the attachment', { default: 'good' }),
  short: arg.flag('Whether the attachment is short', { default: false }),
  identifier: arg.text('Webhook. Default: the option `slack.hook`', { optional: true }),
  channel: arg.text('Name of the channel', { optional: true }),
  username: arg.text('Name of the sender', { optional: true }),
  icon_emoji: arg.text('Emoji as icon', { optional: true }),
}

async function hook(ctx: FunctionContext, given: Bound<typeof hookArgs>): Promise<Value> {
  const { message, attachment, color, short } = given
  const identifier = given.identifier || (await option(ctx, 'hook', 'No Slack WebHook url found'))
  const entries = (pairs: [string, Value][]): Dict => new Map<Value, Value>(pairs)
  const payload = truthy(attachment)
    ? entries([
        [
          'attachments',
          [
            entries([
              ['fallback', message],
              ['color', color],
              ['pretext', message],
              [
                'fields',
                [
                  entries([
                    ['value', attachment],
                    ['short', short],
                  ]),
                ],
              ],
            ]),
          ],
        ],
      ])
    : entries([['text', message]])
  for (const name of ['channel', 'username', 'icon_emoji'] as const) if (given[name]) payload.set(name, given[name])
  const url = new URL(identifier, HOOKS).href
  const answer = await ctx.call('http.query', [url], {
    method: 'POST',
    data: form([['payload', dumpJson(payload)]]),
    status: true,
  })
  const status = answer.get('status') ?? null
  if (typeof status === 'number' && status <= 201) return true
  return dictFrom({ res: false, message: answer.get('body') ?? answer.get('error') ?? status })
}

const name = arg.string('Name')

export default defineModule({
  name: 'slack_notify',
  virtual: 'slack',
  doc: 'Send messages to Slack.',
  functions: {
    list_rooms: reads({
      doc: 'Return all rooms.',
      args: { api_key },
      returns: ret.dict('`res` and `message`'),
      run: async (ctx, { api_key }) => listing(ctx, await keyOf(ctx, api_key), 'rooms'),
    }),
    list_users: reads({
      doc: 'Return all users.',
      args: { api_key },
      returns: ret.dict('`res` and `message`'),
      run: async (ctx, { api_key }) => listing(ctx, await keyOf(ctx, api_key), 'users'),
    }),
    find_room: reads({
      doc: 'Return a room by its name.',
      args: { name, api_key },
      returns: ret.any('Facts about the room; False without such a room'),
      example: "slack.find_room name='random'",
      run: (ctx, { name, api_key }) => find(ctx, name.replace(/^#/, ''), api_key, 'rooms'),
    }),
    find_user: reads({
      doc: 'Return a user by name.',
      args: { name, api_key },
      returns: ret.any('Facts about the user; False without such a user'),
      example: "slack.find_user name='ThomasHatch'",
      run: (ctx, { name, api_key }) => find(ctx, name, api_key, 'users'),
    }),
    post_message: changes({
      doc: 'Send a message to a channel.',
      args: messageArgs,
      returns: ret.any('True, or a dict with the error'),
      example: "slack.post_message channel='Development' message='Build is done' from_name='Build Server'",
      run: post,
    }),
    call_hook: changes({
      doc: 'Send a message through a webhook.',
      args: hookArgs,
      returns: ret.any('True, or a dict with the error'),
      example: "slack.call_hook message='Hello, from SaltStack'",
      run: hook,
    }),
  },
})
