// Mail by SMTP. What a server refuses is answered with false, and the log says what it was.
import { randomBytes } from 'node:crypto'
import { type Dict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, ret, option as setting } from '../../../sdk/mod.ts'
import { MailRefused, type MailServer, sendMail } from './module/client.ts'
import { type Attachment, mailText } from './module/message.ts'

type Given = Readonly<Record<string, Value>>

/** The arguments, or those that the options keep under the name of a profile; else the mail server of this machine. */
async function settings(ctx: FunctionContext, given: Given): Promise<Given> {
  const profile = given['profile'] ?? null
  if (!truthy(profile)) return truthy(given['server'] ?? null) ? given : withUsualServer(ctx, given)
  const kept = await ctx.call('config.option', [profile])
  if (!(kept instanceof Map)) throw new SaltError('SaltInvocationError', `There is no profile '${str(profile)}'`)
  const option = (name: string): Value => (kept as Dict).get(`smtp.${name}`) ?? null
  const [server, use_ssl, sender] = [option('server'), option('tls'), option('sender')]
  return { ...given, server, use_ssl, sender, username: option('username'), password: option('password') }
}

/** Without a server: that of the options, or the one that listens here. */
async function withUsualServer(ctx: FunctionContext, given: Given): Promise<Given> {
  const option = async (name: string, fallback: string | null): Promise<Value> => {
    const value = await ctx.call('config.option', [`smtp.${name}`])
    return truthy(value) ? value : fallback
  }
  const own = `salt@${str(ctx.grains.get('fqdn') ?? (setting(ctx.opts, 'id') || 'localhost'))}`
  return {
    ...given,
    server: await option('server', 'localhost'),
    use_ssl: await option('tls', 'False'),
    sender: truthy(given['sender'] ?? null) ? given['sender']! : await option('sender', own),
    username: given['username'] ?? (await option('username', null)),
    password: given['password'] ?? (await option('password', null)),
  }
}

function serverOf(given: Given): MailServer {
  const { server = null, use_ssl = null, username = null, password = null } = given
  if (!truthy(server)) throw new SaltError('SaltInvocationError', 'No mail server is given')
  const encrypted = use_ssl === 'True' || use_ssl === 'true'
  const [, host, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(str(server))!
  return {
    host: host!,
    port: Number(port ?? (encrypted ? 465 : 25)),
    encrypted,
    ...(truthy(username) && truthy(password) && { login: { username: str(username), password: str(password) } }),
  }
}

async function attached(ctx: FunctionContext, paths: Value): Promise<Attachment[]> {
  const files: Attachment[] = []
  for (const path of truthy(paths) ? (paths as Value[]) : []) {
    files.push({ name: str(path).replace(/^.*\//, ''), content: await ctx.host.read(str(path)) })
  }
  return files
}

async function send(ctx: FunctionContext, given: Given): Promise<boolean> {
  const chosen = await settings(ctx, given)
  const [recipient, sender] = [str(chosen['recipient']!), str(chosen['sender']!)]
  const message = mailText({
    subject: str(chosen['subject']!),
    sender,
    recipient,
    body: str(chosen['message']!),
    subtype: str(chosen['subtype'] ?? 'plain'),
    attachments: await attached(ctx, chosen['attachments']!),
    boundary: `===============${randomBytes(12).toString('hex')}==`,
  })
  const recipients = recipient.split(',').map((each) => each.trim())
  try {
    await sendMail(ctx, serverOf(chosen), { sender, recipients, message })
    return true
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error
    ctx.log('debug', error.message)
    return false
  }
}

const optional = (doc: string) => arg.any(doc, { optional: true })

export default defineModule({
  name: 'smtp',
  doc: 'Send mail.',
  functions: {
    send_msg: changes({
      doc: 'Send a mail.',
      args: {
        recipient: arg.any('Addresses, with commas between'),
        message: arg.any('The text'),
        subject: arg.any('The subject', { default: 'Message from Salt' }),
        sender: optional('The address it comes from'),
        server: optional(
          'The mail server, with its port if it is not the usual one; else that of `smtp.server`, or this machine',
        ),
        use_ssl: arg.any('Whether the connection is encrypted from the start', { default: 'True' }),
        username: optional('Who logs in'),
        password: arg.any('The password', { optional: true, secret: true }),
        profile: optional('The name of options that hold all of these'),
        attachments: optional('Paths of files that go with it'),
        subtype: arg.string('Of which kind the text is: plain, html, …', { default: 'plain', beyond: true }),
      },
      returns: ret.boolean('Whether the server took it'),
      example: "smtp.send_msg admin@example.com 'The disk is full' profile=my-smtp-account",
      run: (ctx, given) => send(ctx, given),
    }),
  },
})
