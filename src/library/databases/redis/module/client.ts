// A client of Redis: RESP, the protocol, sends requests as arrays of texts and marks the type of a reply by its first byte.
import { BrineError } from '../../../../base/mod.ts'
import type { Connection, FunctionContext, SocketAddress } from '../../../../sdk/mod.ts'

export type Reply = string | number | null | Reply[]

/** An error of the server, in its own words. */
export class RedisError extends BrineError<'RedisRefused'> {
  constructor(message: string) {
    super('RedisRefused', message)
    this.name = 'ResponseError'
  }
}

export class RedisClient {
  private readonly connection: Connection
  private buffer = Buffer.alloc(0)

  private constructor(connection: Connection) {
    this.connection = connection
  }

  static async open(ctx: FunctionContext, address: SocketAddress, login: readonly string[][]): Promise<RedisClient> {
    const client = new RedisClient(await ctx.host.connect(address))
    try {
      for (const words of login) await client.send(...words)
    } catch (error) {
      client.close()
      throw error
    }
    return client
  }

  async send(...words: readonly string[]): Promise<Reply> {
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
    await this.connection.write(`*${words.length}\r\n${parts.join('')}`)
    return this.reply()
  }

  close(): void {
    this.connection.close()
  }

  private async more(): Promise<void> {
    const piece = await this.connection.read()
    if (piece === undefined) throw new RedisError('Connection closed by server.')
    this.buffer = Buffer.concat([this.buffer, piece])
  }

  private async line(): Promise<string> {
    let end = this.buffer.indexOf('\r\n')
    while (end < 0) {
      await this.more()
      end = this.buffer.indexOf('\r\n')
    }
    const line = this.buffer.toString('utf8', 0, end)
    this.buffer = this.buffer.subarray(end + 2)
    return line
  }

  private async text(length: number): Promise<string> {
    while (this.buffer.length < length + 2) await this.more()
    const text = this.buffer.toString('utf8', 0, length)
    this.buffer = this.buffer.subarray(length + 2)
    return text
  }

  private async reply(): Promise<Reply> {
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
        for (let i = 0; i < Number(rest); i++) items.push(await this.reply())
        return items
      }
      default:
        throw new RedisError(`Protocol Error: ${line}`)
    }
  }
}
