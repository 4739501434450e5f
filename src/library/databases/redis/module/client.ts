// A client of Redis: RESP, the protocol, sends requests as arrays of texts and marks the type of a reply by its first byte.
import { BrineError } from '../../../../base/mod.ts'
import { failure } from '../../../../data/mod.ts'
import type { Connection, FunctionContext, SocketAddress } from '../../../../sdk/mod.ts'

export type Reply = string | number | null | Reply[]

/** An error of the server, in its own words. */
export class RedisError extends BrineError<'RedisRefused'> {
  constructor(message: string) {
    super('RedisRefused', message)
    this.name = 'ResponseError'
  }
}

/** Errors of the login or the database number: they name no key, so they get the address of the server. */
const ACCESS_ERROR = /^(?:NOAUTH|NOPERM|WRONGPASS|DB index|AUTH |invalid password|Client sent AUTH)/

/** Return a port from an option; throw an error that names the option if it is none. */
export function portOf(text: string, option: string, usual: number): number {
  if (text === '') return usual
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65536) return port
  throw failure(`The option ${option} must be a port, not '${text}'`)
}

/** Bounds of one reply: of its bytes, its items and its levels. No value of a server has more than 512 MB. */
const MOST_BYTES = 512 << 20
const MOST_ITEMS = 4 << 20
const DEEPEST = 100

const LONGEST_LINE = 1 << 20

export class RedisClient {
  private readonly connection: Connection
  private readonly place: string
  private buffer = Buffer.alloc(0)
  /** Bytes and items of the reply that is read. */
  private bytes = 0
  private items = 0

  private readonly encoding: BufferEncoding

  private constructor(connection: Connection, address: SocketAddress, encoding: BufferEncoding) {
    this.connection = connection
    this.place = 'path' in address ? address.path : `${address.host}:${address.port}`
    this.encoding = encoding
  }

  /** With `latin1`, each character of words and replies is one byte. */
  static async open(
    ctx: Pick<FunctionContext, 'host'>,
    address: SocketAddress,
    login: readonly string[][],
    encoding: 'utf8' | 'latin1' = 'utf8',
  ): Promise<RedisClient> {
    const client = new RedisClient(await ctx.host.connect(address), address, encoding)
    try {
      for (const words of login) await client.send(...words)
    } catch (error) {
      client.close()
      throw error
    }
    return client
  }

  async send(...words: readonly string[]): Promise<Reply> {
    const [reply] = await this.sendAll([words])
    if (reply instanceof RedisError) throw reply
    return reply!
  }

  /** Send several requests at once, and return the reply or the error of each. */
  async sendAll(requests: readonly (readonly string[])[]): Promise<Array<Reply | RedisError>> {
    const written = requests.map((words) => {
      const parts = words.map((word) => `$${Buffer.byteLength(word, this.encoding)}\r\n${word}\r\n`)
      return `*${words.length}\r\n${parts.join('')}`
    })
    await this.connection.write(Buffer.from(written.join(''), this.encoding))
    const replies: Array<Reply | RedisError> = []
    for (const _ of requests) replies.push(await this.whole().catch((error: unknown) => this.refusal(error)))
    return replies
  }

  /** Return the error of one request; an error of the connection ends all requests. */
  private refusal(error: unknown): RedisError {
    if (!(error instanceof RedisError) || error.message.startsWith('Connection closed')) throw error
    if (!ACCESS_ERROR.test(error.message)) return error
    return new RedisError(`${error.message.replace(/[.]$/, '')}: '${this.place}'`)
  }

  close(): void {
    this.connection.close()
  }

  private async more(): Promise<Uint8Array> {
    const piece = await this.connection.read()
    if (piece === undefined) throw new RedisError('Connection closed by server.')
    this.bytes += piece.length
    if (this.bytes > MOST_BYTES) throw this.tooLong()
    return piece
  }

  /** The rest of such a reply is not read, so the connection is of no more use. */
  private tooLong(): BrineError {
    this.connection.close()
    return failure(`The reply of Redis at '${this.place}' is too long`)
  }

  private async line(): Promise<string> {
    let end = this.buffer.indexOf('\r\n')
    while (end < 0) {
      if (this.buffer.length > LONGEST_LINE) throw this.tooLong()
      this.buffer = Buffer.concat([this.buffer, await this.more()])
      end = this.buffer.indexOf('\r\n')
    }
    const line = this.buffer.toString('utf8', 0, end)
    this.buffer = this.buffer.subarray(end + 2)
    return line
  }

  private async text(length: number): Promise<string> {
    if (!(length >= 0 && length <= MOST_BYTES)) throw this.tooLong()
    const pieces: Uint8Array[] = [this.buffer]
    for (let size = this.buffer.length; size < length + 2; size += pieces.at(-1)!.length) pieces.push(await this.more())
    this.buffer = pieces.length === 1 ? this.buffer : Buffer.concat(pieces)
    const text = this.buffer.toString(this.encoding, 0, length)
    this.buffer = this.buffer.subarray(length + 2)
    return text
  }

  private whole(): Promise<Reply> {
    this.bytes = this.items = 0
    return this.reply(0)
  }

  private async reply(depth: number): Promise<Reply> {
    if (depth > DEEPEST || ++this.items > MOST_ITEMS) throw this.tooLong()
    const line = await this.line()
    const rest = line.slice(1)
    switch (line[0]) {
      case '+':
        return rest
      case '-':
        throw new RedisError(rest.replace(/^ERR /, ''))
      case ':':
        return Number(rest)
      case '$':
        return rest === '-1' ? null : this.text(Number(rest))
      case '*': {
        if (rest === '-1') return null
        const items: Reply[] = []
        for (let i = 0; i < Number(rest); i++) items.push(await this.reply(depth + 1))
        return items
      }
      default:
        throw new RedisError(`Protocol Error: ${line}`)
    }
  }
}
