// Mail by SMTP. A refusal of the server is answered with False, and the log has the reason.
import { randomBytes } from 'node:crypto'
import { isDict, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, ret, option as setting } from '../../../sdk/mod.ts'
import { MailRefused, type MailServer, sendMail } from './module/client.ts'
import { type Attachment, mailText } from './module/message.ts'

type Given = Readonly<Record<string, Value>>

/** Return the arguments, completed from the options of the profile, or else for the mail server of this machine. */
async function settings(ctx: FunctionContext, given: Given): Promise<Given> {
  const profile = given['profile'] ?? null
  if (!truthy(profile)) return truthy(given['server'] ?? null) ? given : withUsualServer(ctx, given)
  const kept = await ctx.call('config.option', [profile])
  if (!isDict(kept)) throw misuse(`There is no profile '${str(profile)}'`)
  const option = (name: string): Value => kept.get(`smtp.${name}`) ?? null
  const [server, use_ssl, sender] = [option('server'), option('tls'), option('sender')]
  return { ...given, server, use_ssl, sender, username: option('username'), password: option('password') }
}

/** Complete arguments without a server by the options, or for the server of this machine. */
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
  if (!truthy(server)) throw misuse('No mail server is given')
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
  for (const path of Array.isArray(paths) ? paths : []) {
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

export default defineModule({
  name: 'smtp',
  doc: 'Send mail.',
  functions: {
    send_msg: changes({
      doc: 'Send a mail.',
      args: {
        recipient: arg.text('Addresses, separated by commas'),
        message: arg.text('Text of the mail'),
        subject: arg.text('Subject', { default: 'Message from Salt' }),
        sender: arg.text('Address of the sender', { optional: true }),
        server: arg.text('Mail server and port. Default: the option `smtp.server`, else localhost', { optional: true }),
        use_ssl: arg.any('`True` or `true` encrypts the connection from the start', { default: 'True' }),
        username: arg.text('User that logs in', { optional: true }),
        password: arg.text('Password', { optional: true, secret: true }),
        profile: arg.text('Name of the options with server and login', { optional: true }),
        attachments: arg.any('List of paths of files to attach', { optional: true }),
        subtype: arg.string('Subtype of the text: plain or html', { default: 'plain', beyond: true }),
      },
      returns: ret.boolean('Whether the server accepted the mail'),
      example: "smtp.send_msg admin@example.com 'The disk is full' profile=my-smtp-account",
      run: (ctx, given) => send(ctx, given),
    }),
  },
})
