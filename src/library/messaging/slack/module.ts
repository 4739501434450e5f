// Messages to Slack, through its API or through a webhook.
import { type Dict, dumpJson, isDict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { type Arg, arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

const API = 'https://slack.com/api/'
const HOOKS = 'https://hooks.slack.com/services/'

async function option(ctx: FunctionContext, name: string, missing: string): Promise<string> {
  for (const key of [`slack.${name}`, `slack:${name}`]) {
    const value = await ctx.call('config.get', [key])
    if (truthy(value)) return str(value)
  }
  throw new SaltError('SaltInvocationError', missing)
}

async function keyOf(ctx: FunctionContext, given: Value): Promise<string> {
  return truthy(given) ? str(given) : option(ctx, 'api_key', 'No Slack API key found.')
}

const quoted = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')

const form = (fields: readonly (readonly [string, Value])[]): string =>
  fields.map(([name, value]) => `${quoted(name)}=${quoted(str(value))}`).join('&')

const outcome = (res: boolean, message: Value): Dict =>
  new Map<Value, Value>([
    ['message', message],
    ['res', res],
  ])

interface Request {
  key: string
  /** The method of the API, and the part of its answer that matters. */
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

async function find(ctx: FunctionContext, name: string, api_key: Value, kind: 'rooms' | 'users'): Promise<Value> {
  const found = await listing(ctx, await keyOf(ctx, api_key), kind)
  const items = truthy(found.get('res')!) ? found.get('message')! : null
  return (truthy(items) ? (items as Dict[]) : []).find((item) => item.get('name') === name) ?? false
}

type Given = Readonly<Record<string, Value>>

async function post(ctx: FunctionContext, given: Given): Promise<Value> {
  const key = await keyOf(ctx, given['api_key']!)
  for (const name of ['channel', 'from_name', 'message']) {
    if (!truthy(given[name]!)) ctx.log('error', `${name} is a required option.`)
  }
  const channel = str(given['channel']!)
  const data = form([
    ['channel', /^[#@]/.test(channel) ? channel : `#${channel}`],
    ['username', given['from_name']!],
    ['text', given['message']!],
    ['attachments', truthy(given['attachments']!) ? given['attachments']! : []],
    ['blocks', truthy(given['blocks']!) ? given['blocks']! : []],
    ...(given['icon'] === null ? [] : [['icon_url', given['icon']!] as const]),
  ])
  const result = await ask(ctx, { key, method: 'chat.postMessage', part: 'channel', data })
  return truthy(result.get('res')!) ? true : result
}

async function hook(ctx: FunctionContext, given: Given): Promise<Value> {
  const { message = null, attachment = null, color = null, short = null } = given
  const identifier = truthy(given['identifier']!)
    ? str(given['identifier']!)
    : await option(ctx, 'hook', 'No Slack WebHook url found')
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
  for (const name of ['channel', 'username', 'icon_emoji']) if (truthy(given[name]!)) payload.set(name, given[name]!)
  const url = new URL(identifier, HOOKS).href
  const answer = await ctx.call('http.query', [url], {
    method: 'POST',
    data: form([['payload', dumpJson(payload)]]),
    status: true,
  })
  const status = answer.get('status') ?? null
  if (typeof status === 'number' && status <= 201) return true
  return new Map<Value, Value>([
    ['res', false],
    ['message', answer.get('body') ?? answer.get('error') ?? status],
  ])
}

const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
const api_key = arg.any('The key; the option slack.api_key when not given', { optional: true, secret: true })
const name = arg.string('The name')

export default defineModule({
  name: 'slack_notify',
  virtual: 'slack',
  doc: 'Send messages to Slack.',
  functions: {
    list_rooms: reads({
      doc: 'All rooms.',
      args: { api_key },
      returns: ret.dict('`res` and `message`'),
      example: 'slack.list_rooms',
      run: async (ctx, { api_key }) => listing(ctx, await keyOf(ctx, api_key), 'rooms'),
    }),
    list_users: reads({
      doc: 'All users.',
      args: { api_key },
      returns: ret.dict('`res` and `message`'),
      example: 'slack.list_users',
      run: async (ctx, { api_key }) => listing(ctx, await keyOf(ctx, api_key), 'users'),
    }),
    find_room: reads({
      doc: 'A room by its name.',
      args: { name, api_key },
      returns: ret.any('The room, or false'),
      example: "slack.find_room name='random'",
      run: (ctx, { name, api_key }) => find(ctx, name.replace(/^#/, ''), api_key, 'rooms'),
    }),
    find_user: reads({
      doc: 'A user by their name.',
      args: { name, api_key },
      returns: ret.any('The user, or false'),
      example: "slack.find_user name='ThomasHatch'",
      run: (ctx, { name, api_key }) => find(ctx, name, api_key, 'users'),
    }),
    post_message: changes({
      doc: 'Send a message to a channel.',
      args: {
        channel: arg.any('The channel'),
        message: arg.any('The text'),
        from_name: arg.any('Who it is from'),
        api_key,
        icon: optional('The address of an icon'),
        attachments: optional('Attachments'),
        blocks: optional('Blocks'),
      },
      returns: ret.any('True, or what went wrong'),
      example: "slack.post_message channel='Development' message='Build is done' from_name='Build Server'",
      run: (ctx, given) => post(ctx, given),
    }),
    call_hook: changes({
      doc: 'Send a message through a webhook.',
      args: {
        message: arg.any('The text'),
        attachment: optional('A text beside it'),
        color: arg.any('The colour of the attachment', { default: 'good' }),
        short: arg.any('Whether the attachment is short', { default: false }),
        identifier: optional('The webhook; the option slack.hook when not given'),
        channel: optional('The channel'),
        username: optional('Who it is from'),
        icon_emoji: optional('An emoji as icon'),
      },
      returns: ret.any('True, or what went wrong'),
      example: "slack.call_hook message='Hello, from SaltStack'",
      run: (ctx, given) => hook(ctx, given),
    }),
  },
})
