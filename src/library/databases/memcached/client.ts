// A client of memcached's text protocol: a request is a line of words, for a store followed by a block of bytes with
// the length in the line.
import { decodeBytes, encodeText, failure, intFromText, misuse, SaltError } from '../../../data/mod.ts'
import { type Connection, type FunctionContext, HostError } from '../../../sdk/mod.ts'
import type { Stored } from './stored-value.ts'

/** Address of a server. */
export interface Server {
  readonly host: string
  readonly port: number
}

/** A number in a request: besides it, only a key comes from users there. */
type Count = number | bigint

const LONGEST_KEY = 250
/** In bytes: servers send no longer line, and no larger value. */
const LONGEST_LINE = 4096
const LARGEST_VALUE = 1024 * 1024 * 1024

/**
 * Return a key for a line of the protocol; throw for characters that would end it and begin another word or request.
 * All requests with a key pass here.
 */
function keyWord(key: string): string {
  const length = encodeText(key).length
  if (length === 0) throw misuse('The key is empty')
  if (length > LONGEST_KEY) throw misuse(`Key is ${length} bytes long, but memcached takes ${LONGEST_KEY} at most`)
  if (/[\s\p{Cc}]/u.test(key))
    throw misuse(`Blanks and control characters are not allowed in the key ${JSON.stringify(key)}`)
  return key
}

export class MemcachedClient {
  private readonly connection: Connection
  private received = Buffer.alloc(0)

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** Return statistics by name. */
  async stats(): Promise<Map<string, string>> {
    await this.connection.write('stats\r\n')
    const found = new Map<string, string>()
    for (let line = await this.line(); line !== 'END'; line = await this.line()) {
      const [, name, value] = /^STAT (\S+) ?(.*)$/.exec(line) ?? []
      if (name === undefined) throw refusal(line)
      found.set(name, value!)
    }
    return found
  }

  async get(key: string): Promise<Stored | undefined> {
    const head = await this.ask('get', key, [])
    if (head === 'END') return undefined
    const [, name, flags, length] = /^VALUE (\S+) (\d+) (\d+)$/.exec(head) ?? []
    if (name !== key || Number(length) > LARGEST_VALUE) throw refusal(head)
    const bytes = await this.take(Number(length))
    for (const end of ['', 'END']) if ((await this.line()) !== end) throw refusal(head)
    return { flags: Number(flags), bytes }
  }

  /** Store a value; return whether it is stored: `add` stores only a new key, `replace` only an existing one. */
  async store(verb: 'set' | 'add' | 'replace', key: string, { flags, bytes }: Stored, time: Count): Promise<boolean> {
    const answer = await this.ask(verb, key, [flags, time, bytes.length], bytes)
    if (answer !== 'STORED' && answer !== 'NOT_STORED') throw refusal(answer)
    return answer === 'STORED'
  }

  /** Delete a key; return whether it existed. */
  async delete(key: string, time: Count): Promise<boolean> {
    const answer = await this.ask('delete', key, Number(time) === 0 ? [] : [time])
    if (answer !== 'DELETED' && answer !== 'NOT_FOUND') throw refusal(answer)
    return answer === 'DELETED'
  }

  /** Increment or decrement a number; return the result, or undefined if the key does not exist. */
  async count(verb: 'incr' | 'decr', key: string, delta: Count): Promise<Count | undefined> {
    const answer = await this.ask(verb, key, [delta])
    if (/^\d+$/.test(answer)) return intFromText(answer)
    if (answer !== 'NOT_FOUND') throw refusal(answer)
    return undefined
  }

  /** Send a request about a key, and return the first line of the answer. */
  private async ask(verb: string, key: string, numbers: readonly Count[], block?: Uint8Array): Promise<string> {
    const line = encodeText(`${[verb, keyWord(key), ...numbers].join(' ')}\r\n`)
    await this.connection.write(block === undefined ? line : Buffer.concat([line, block, encodeText('\r\n')]))
    return this.line()
  }

  private async more(): Promise<Uint8Array> {
    const piece = await this.connection.read()
    if (piece === undefined) throw refusal('')
    return piece
  }

  private async line(): Promise<string> {
    let end = this.received.indexOf('\r\n')
    while (end < 0) {
      if (this.received.length > LONGEST_LINE) throw refusal(decodeBytes(this.received.subarray(0, 50), 'latin-1'))
      this.received = Buffer.concat([this.received, await this.more()])
      end = this.received.indexOf('\r\n')
    }
    const line = decodeBytes(this.received.subarray(0, end), 'utf-8', 'replace')
    this.received = this.received.subarray(end + 2)
    return line
  }

  private async take(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [this.received]
    for (let size = this.received.length; size < length; size += pieces.at(-1)!.length) pieces.push(await this.more())
    const all = Buffer.concat(pieces)
    this.received = all.subarray(length)
    return all.subarray(0, length)
  }
}

/** Make the error for an answer that says no, or that no memcached gives. */
const refusal = (answer: string): SaltError =>
  failure(answer === '' ? 'memcached closed the connection' : `memcached answered: ${answer}`)

/** Open a connection, use it and close it. */
export async function withMemcached<T>(
  ctx: FunctionContext,
  { host, port }: Server,
  use: (client: MemcachedClient) => Promise<T>,
): Promise<T> {
  if (!(port > 0 && port < 65536)) throw misuse(`port must be an integer from 1 to 65535, not ${port}`)
  try {
    const connection = await ctx.host.connect({ host, port })
    try {
      return await use(new MemcachedClient(connection))
    } finally {
      connection.close()
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    const reason = `${host}:${port}: ${error.message}`
    throw new SaltError('CommandExecutionError', 'memcached server is down or does not exist', { reason, cause: error })
  }
}
