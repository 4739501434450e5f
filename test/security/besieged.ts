// A whole master in this process, with everything it tells and logs written down, and ways to speak to it: with nothing
// proven, as a minion, and as a minion that says what no minion says.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { Origin } from '../../src/bus/mod.ts'
import { masterConfig } from '../../src/config/mod.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { Master } from '../../src/master/mod.ts'
import { MasterChannel, openTransport, type RequestClient, type Transport } from '../../src/wire/mod.ts'
import { trialKeys } from '../../src/wire/trial.ts'
import { freePort } from '../free-port.ts'

const HOST = '127.0.0.1'

export const dict = (fields: Record<string, unknown>): Dict => new Map(Object.entries(fields)) as Dict

type Options = Record<string, unknown>

export class Besieged {
  readonly root = mkdtempSync(join(tmpdir(), 'brine-besieged-'))
  readonly logs: string[] = []
  readonly events: { tag: string; data: Dict; origin: Origin }[] = []
  readonly ports = { requests: 0, publications: 0 }
  client!: RequestClient
  private master!: Master
  private transport!: Transport
  private readonly closings: Array<() => unknown> = []

  /** Options may name paths below the site's directory; with a program the master can start further processes. */
  static async start(
    options: Options | ((path: (part: string) => string) => Options) = {},
    program?: string,
  ): Promise<Besieged> {
    const site = new Besieged()
    await site.open(typeof options === 'function' ? options((part) => site.path(part)) : options, program)
    return site
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts)
  }

  /** A file below the site's directory. */
  write(path: string, text: string): void {
    mkdirSync(join(this.path(path), '..'), { recursive: true })
    writeFileSync(this.path(path), text)
  }

  private async open(options: Options, program: string | undefined): Promise<void> {
    this.ports.requests = await freePort()
    this.ports.publications = await freePort()
    this.write(
      'etc/master',
      JSON.stringify({
        root_dir: this.root,
        user: 'root',
        interface: HOST,
        ret_port: this.ports.requests,
        publish_port: this.ports.publications,
        auto_accept: true,
        file_roots: { base: [this.path('srv/salt')] },
        pillar_roots: { base: [this.path('srv/pillar')] },
        ...options,
      }),
    )
    const opts = await masterConfig({ path: this.path('etc/master') })
    this.master = await Master.open(opts, (level, text) => this.logs.push(`${level}: ${text}`), program)
    this.master.parts.bus.listen(({ tag, data, origin }) => this.events.push({ tag, data: new Map(data), origin }))
    this.transport = await openTransport('zeromq')
    this.client = this.connect()
  }

  private connect(): RequestClient {
    const client = this.transport.connect({ host: HOST, port: this.ports.requests })
    this.closings.push(() => client.close())
    return client
  }

  get cachedir(): string {
    return String(this.master.parts.opts.get('cachedir'))
  }

  /** The master as its own functions reach it. */
  get access(): Master['access'] {
    return this.master.access
  }

  get parts(): Master['parts'] {
    return this.master.parts
  }

  /** Send a request unchanged. */
  send(message: unknown): Promise<Value> {
    return this.client.request(message, { timeout: 5, tries: 1 })
  }

  /** A command without encryption. */
  clear(load: Record<string, unknown>, version: unknown = 3): Promise<Value> {
    return this.send({ enc: 'clear', load: dict(load), version })
  }

  /** An accepted minion; all have the same key unless one is given. */
  async minion(id: string, key = 1): Promise<MasterChannel> {
    const keys = await trialKeys()
    const channel = new MasterChannel({
      client: this.connect(),
      settings: { id, key: keys[key]!, pkiDir: this.path('minions', id), requestTimeout: 60, requestTries: 1 },
    })
    this.closings.push(() => channel.close())
    await channel.authenticate()
    return channel
  }

  /** Whether the word is in an event or a line of the log. */
  tells(word: string): boolean {
    return inspect([this.logs, this.events], { depth: 20, maxStringLength: null, maxArrayLength: null }).includes(word)
  }

  /** Events that only authorised users may cause. */
  get deeds(): string[] {
    return this.events.map(({ tag }) => tag).filter((tag) => /^salt\/(job\/\d+|run\/\d+|wheel\/\d+)\/new$/.test(tag))
  }

  async stop(): Promise<void> {
    for (const close of this.closings) close()
    await this.master.close()
    rmSync(this.root, { recursive: true, force: true })
  }
}
