// An IRC bot whose commands become events. Its answers and events are those of Salt's bot; it joins its channels after
// the server's welcome, because servers refuse earlier joins.
import { createConnection, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { compileRegex, failure, isList, str, type Value } from '../../../data/mod.ts'
import { arg, defineEngine, type EngineContext } from '../../../sdk/mod.ts'

interface Settings {
  nick: string
  username: string
  password: string | undefined
  channels: string[]
  use_sasl: boolean
  char: string
  allow_hosts: Value
  allow_nicks: Value
  disable_query: boolean
}

/** Characters of a line: servers send less than a hundredth of it. */
const LONGEST_LINE = 64 << 10

const texts = (value: Value): string[] => (isList(value) ? [...value].map(str) : [])

export default defineEngine({
  name: 'ircbot',
  doc: 'Run a bot on IRC: `!event TAG words` in a channel fires `salt/engines/ircbot/TAG` with the words as `data`; `!ping` and `!echo` answer.',
  args: {
    nick: arg.string('Nick of the bot'),
    host: arg.string('Host of the IRC server'),
    port: arg.integer('Port of the IRC server', { default: 6667 }),
    username: arg.any('User name of the sign-in. Default: the nick', { optional: true }),
    password: arg.any('Password. Default: no sign-in', { optional: true, secret: true }),
    channels: arg.any('Channels to join: a list or a text', { optional: true }),
    use_ssl: arg.boolean('Whether TLS is used; the certificate is not checked', { default: false }),
    use_sasl: arg.boolean('Whether SASL is used for the sign-in, instead of NickServ', { default: false }),
    char: arg.string('Prefix of commands', { default: '!' }),
    allow_hosts: arg.any(
      'Hosts that may send commands: True for all, False for none, or a list of regular expressions',
      {
        default: false,
      },
    ),
    allow_nicks: arg.any('Nicks that may send commands: True, False or a list of regular expressions', {
      default: false,
    }),
    disable_query: arg.boolean('Whether commands in private messages are ignored', { default: true }),
  },
  start: async (ctx, { host, port, use_ssl, channels, username, password, nick, ...more }) => {
    const own = { nick, channels: texts(channels), username: str(username ?? nick) }
    const settings = { ...more, ...own, password: password === null ? undefined : str(password) } as Settings
    const at = { host, port: Number(port) }
    const socket = use_ssl ? connectTls({ ...at, rejectUnauthorized: false }) : createConnection(at)
    await new Bot(ctx, socket, settings).run(`${host}:${str(port)}`)
  },
})

class Bot {
  private readonly ctx: EngineContext
  private readonly socket: Socket
  private readonly settings: Settings
  private rest = ''

  constructor(ctx: EngineContext, socket: Socket, settings: Settings) {
    this.ctx = ctx
    this.socket = socket
    this.settings = settings
  }

  /** Ends when it shall stop, and fails when the server is gone. */
  run(server: string): Promise<void> {
    const { ctx, socket } = this
    socket.setEncoding('utf8')
    const stop = (): unknown => socket.end('QUIT\r\n')
    if (ctx.signal.aborted) stop()
    ctx.signal.addEventListener('abort', stop, { once: true })
    return new Promise<void>((done, fail) => {
      const refuse = (reason: string): void => fail(failure(`ircbot: ${reason}`))
      socket.once('error', (error) => refuse(`${server}: ${error.message}`))
      socket.once('close', () => (ctx.signal.aborted ? done() : refuse(`${server} has closed the connection`)))
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => this.introduce())
      socket.on('data', (text: string) => this.read(text))
    }).finally(() => {
      ctx.signal.removeEventListener('abort', stop)
      socket.destroy()
    })
  }

  private send(line: string): void {
    // text of other users must not become a separate line
    this.socket.write(`${line.replace(/[\r\n\0]/g, ' ')}\r\n`)
  }

  private introduce(): void {
    const { nick, use_sasl } = this.settings
    if (use_sasl) this.send('CAP REQ :sasl')
    this.send(`NICK ${nick}`)
    this.send('USER saltstack 0 * :saltstack')
    this.signIn()
  }

  private signIn(): void {
    const { username, password, use_sasl } = this.settings
    if (password === undefined || !use_sasl) return
    this.send('AUTHENTICATE PLAIN')
    this.send(`AUTHENTICATE ${Buffer.from(`${username}\0${username}\0${password}`).toString('base64')}`)
    this.send('CAP END')
  }

  private welcomed(): void {
    const { username, password, use_sasl, channels } = this.settings
    if (password !== undefined && !use_sasl) this.send(`PRIVMSG NickServ :IDENTIFY ${username} ${password}`)
    for (const channel of channels) this.send(`JOIN ${channel.startsWith('#') ? channel : `#${channel}`}`)
  }

  private read(text: string): void {
    const lines = `${this.rest}${text}`.split(/\r?\n/)
    this.rest = lines.pop() ?? ''
    if (this.rest.length > LONGEST_LINE) this.socket.destroy(failure('the server sends a line without an end'))
    for (const line of lines) {
      const [, source = '', code, rest = ''] = /^(?::([^ ]+) )?([^ ]+)(?: (.*))?$/.exec(line) ?? []
      if (code === 'PING') this.send(`PONG ${rest}`)
      else if (code === '001') this.welcomed()
      else if (code === '433') this.ctx.log('error', `ircbot: the name ${this.settings.nick} is taken`)
      else if (code === 'PRIVMSG') this.hear(source, rest)
    }
  }

  private hear(source: string, rest: string): void {
    const { nick: own, char, disable_query } = this.settings
    const [, nick, host] = /^([^!]+)![^@]+@(.*)$/.exec(source) ?? []
    const [, place, said = ''] = /^([^ ]+) :(.*)$/.exec(rest) ?? []
    if (nick === undefined || host === undefined || place === undefined || !said.startsWith(char)) return
    if (disable_query && !place.startsWith('#')) return
    if (!this.isAllowed(nick, host)) return
    const [command = '', ...words] = said.slice(char.length).split(' ')
    const answer = (text: string): void => this.send(`PRIVMSG ${place === own ? nick : place} :${text}`)
    if (command === 'echo') answer(words.join(' '))
    else if (command === 'ping') answer(`${nick}: pong`)
    else if (command === 'event' && words.length > 0) this.fire(words, () => answer(`${nick}: TaDa!`))
  }

  private isAllowed(nick: string, host: string): boolean {
    const allows = (given: Value, text: string): boolean =>
      typeof given === 'boolean' ? given : texts(given).some((pattern) => compileRegex(pattern).match(text))
    return allows(this.settings.allow_nicks, nick) || allows(this.settings.allow_hosts, host)
  }

  private fire([tag = '', ...words]: string[], done: () => void): void {
    this.ctx.fireExternal(`salt/engines/ircbot/${tag}`, new Map<Value, Value>([['data', words]])).then(
      (isFired) => isFired && done(),
      (error: unknown) => this.ctx.log('error', `ircbot: ${String(error)}`),
    )
  }
}
