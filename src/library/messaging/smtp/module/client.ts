// One conversation with a mail server: greeting, encryption where it is offered, login, one message.
import { createHmac } from 'node:crypto'
import { BrineError } from '../../../../base/mod.ts'
import { type Connection, type FunctionContext, isHostError } from '../../../../sdk/mod.ts'

export interface Envelope {
  sender: string
  recipients: readonly string[]
  /** Headers and body, with unchanged line ends. */
  message: string
}

export interface MailServer {
  host: string
  port: number
  /** Encrypted from the start; otherwise as soon as the server offers it. */
  encrypted: boolean
  login?: { username: string; password: string }
}

/** The server refused a command; the message names it. */
export class MailRefused extends BrineError<'MailRefused'> {
  constructor(message: string) {
    super('MailRefused', message)
    this.name = 'MailRefused'
  }
}

interface Reply {
  code: number
  lines: string[]
}

/** Characters of a reply with all its lines. */
const LONGEST_REPLY = 1 << 20

function required(reply: Reply, codes: readonly number[], complaint: string): Reply {
  if (!codes.includes(reply.code)) throw new MailRefused(`${complaint}: ${reply.code} ${reply.lines.join(' ')}`)
  return reply
}

class Conversation {
  private readonly connection: Connection
  private buffer = ''
  private readonly decoder = new TextDecoder()

  constructor(connection: Connection) {
    this.connection = connection
  }

  private async line(): Promise<string> {
    while (!this.buffer.includes('\n')) {
      const piece = await this.connection.read()
      if (piece === undefined) throw new MailRefused('Connection unexpectedly closed')
      this.buffer += this.decoder.decode(piece, { stream: true })
      if (this.buffer.length > LONGEST_REPLY) throw new MailRefused('The server sends a reply without an end')
    }
    const end = this.buffer.indexOf('\n')
    const line = this.buffer.slice(0, end).replace(/\r$/, '')
    this.buffer = this.buffer.slice(end + 1)
    return line
  }

  async reply(): Promise<Reply> {
    const lines: string[] = []
    for (let length = 0; length <= LONGEST_REPLY; ) {
      const line = await this.line()
      length += line.length + 1
      lines.push(line.slice(4))
      if (line[3] !== '-') return { code: Number(line.slice(0, 3)), lines }
    }
    throw new MailRefused('The server sends a reply without an end')
  }

  async say(text: string): Promise<Reply> {
    // an address or a name must not bring commands of its own
    if (/[\r\n]/.test(text)) throw new MailRefused('An address or a name has a line break')
    return this.send(text)
  }

  private async send(text: string): Promise<Reply> {
    await this.connection.write(`${text}\r\n`)
    return this.reply()
  }

  /** A command that must be answered with one of the codes. */
  async expect(text: string, codes: readonly number[], complaint: string): Promise<Reply> {
    return required(await this.say(text), codes, complaint)
  }

  /** Send the message after DATA. */
  async message(text: string): Promise<Reply> {
    return required(await this.send(text), [250], 'The message was refused')
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

async function logIn(
  talk: Conversation,
  offers: readonly string[],
  { username, password }: { username: string; password: string },
) {
  const methods =
    offers
      .find((offer) => /^AUTH\b/i.test(offer))
      ?.toUpperCase()
      .split(/[ =]/) ?? []
  const refused = 'SMTP Authentication Failure'
  if (methods.includes('CRAM-MD5')) {
    const { lines } = await talk.expect('AUTH CRAM-MD5', [334], refused)
    const challenge = Buffer.from(lines.join(''), 'base64')
    const digest = createHmac('md5', password).update(challenge).digest('hex')
    await talk.expect(base64(`${username} ${digest}`), [235, 503], refused)
  } else if (methods.includes('PLAIN')) {
    await talk.expect(`AUTH PLAIN ${base64(`\0${username}\0${password}`)}`, [235, 503], refused)
  } else if (methods.includes('LOGIN')) {
    await talk.expect(`AUTH LOGIN ${base64(username)}`, [334], refused)
    await talk.expect(base64(password), [235, 503], refused)
  } else throw new MailRefused('SMTP AUTH extension not supported by server.')
}

async function greet(talk: Conversation, name: string): Promise<string[]> {
  const reply = await talk.say(`EHLO ${name}`)
  if (reply.code === 250) return reply.lines.slice(1)
  await talk.expect(`HELO ${name}`, [250], 'The server did not reply properly to the greeting')
  return []
}

async function deliver(talk: Conversation, { sender, recipients, message }: Envelope): Promise<void> {
  await talk.expect(`MAIL FROM:<${sender}>`, [250], `The server did not accept the sender ${sender}`)
  let accepted = 0
  for (const recipient of recipients)
    if ([250, 251].includes((await talk.say(`RCPT TO:<${recipient}>`)).code)) accepted += 1
  if (accepted === 0) throw new MailRefused('All recipients were refused.')
  await talk.expect('DATA', [354], 'The server replied with an unexpected error code')
  const body = message.replace(/\r?\n|\r/g, '\r\n').replace(/^\./gm, '..')
  await talk.message(`${body}${body.endsWith('\r\n') ? '' : '\r\n'}.`)
  await talk.say('QUIT')
}

/** Sends one message. A name that cannot be found is a refusal as well. */
export async function sendMail(ctx: FunctionContext, server: MailServer, envelope: Envelope): Promise<void> {
  const { host, port, encrypted, login } = server
  const connection = await open(ctx, host, port, encrypted)
  try {
    let talk = new Conversation(connection)
    if ((await talk.reply()).code !== 220) throw new MailRefused('The server does not take mail')
    const name = await ctx.host.hostname()
    let offers = await greet(talk, name)
    if (!encrypted && offers.some((offer) => /^STARTTLS$/i.test(offer.trim()))) {
      await talk.expect('STARTTLS', [220], 'The server does not support the STARTTLS extension')
      await connection.secure(host, 'unverified')
      talk = new Conversation(connection)
      offers = await greet(talk, name)
    }
    if (login) await logIn(talk, offers, login)
    await deliver(talk, envelope)
  } finally {
    connection.close()
  }
}

async function open(ctx: FunctionContext, host: string, port: number, encrypted: boolean): Promise<Connection> {
  try {
    return await ctx.host.connect({ host, port, ...(encrypted && { tls: 'unverified' as const }) }, { timeout: 60 })
  } catch (error) {
    if (isHostError(error, 'ENOTFOUND', 'EAI_AGAIN')) throw new MailRefused(error.message)
    throw error
  }
}
