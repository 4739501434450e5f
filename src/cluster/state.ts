// The state that members of a cluster share: small values under names, each changed by compare-and-set. The values are the last
// messages of the subjects of one stream; every member keeps a copy in memory and follows the stream.
import type { Log } from '../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, type Value } from '../data/mod.ts'
import type { Nats, StreamMessage } from './nats.ts'
import type { Seal } from './seal.ts'
import { StreamReader } from './stream-reader.ts'

export interface ClusterEntry {
  /** The position of the change in the stream; a change names the one that it replaces. */
  revision: number
  /** Undefined for an entry that was removed. */
  value: Dict | undefined
  /** When this member saw the change, in milliseconds of a clock that never goes back. */
  since: number
}

/** The kinds of entries; each is a prefix of names. */
export type StateKind = 'identity' | 'key' | 'lease' | 'member' | 'bank' | 'run' | 'answer'

export interface StateOptions {
  nats: Nats
  seal: Seal
  /** The name of the stream. */
  stream: string
  /** The subjects of the entries. */
  subject: string
  log: Log
  /** The last place in the stream when this process began. */
  last: number
  /** The place after which changes are read; without it, all entries are read and kept in memory. */
  after?: number
  /** Hears of every change. */
  hear?: Listener
}

type Listener = (name: string, entry: ClusterEntry) => void | Promise<void>

/** Names may hold any character, subjects may not. */
const encoded = (name: string): string => Buffer.from(name).toString('base64url') || '_'
const decoded = (token: string): string => (token === '_' ? '' : Buffer.from(token, 'base64url').toString())

export class ClusterState {
  private readonly options: StateOptions
  private readonly base: string
  private readonly entries = new Map<StateKind, Map<string, ClusterEntry>>()
  private readonly listeners = new Map<StateKind, Listener>()
  private readonly reader: StreamReader

  constructor(options: StateOptions) {
    this.options = options
    const { subject, after = 0 } = options
    this.base = subject.slice(0, -'.>'.length)
    this.reader = new StreamReader(options.nats, {
      stream: options.stream,
      subject,
      from: after + 1,
      last: options.last,
      hasGaps: true,
      log: options.log,
      take: (message) => this.take(message),
      restarted: () => this.entries.clear(),
    })
  }

  /** Resolves when every entry that existed at the start is known. */
  get atEnd(): Promise<void> {
    return this.reader.atEnd
  }

  /** The place of the last change that was taken. */
  get place(): number {
    return this.reader.place
  }

  get isCaughtUp(): boolean {
    return this.reader.isCaughtUp
  }

  /** Listen to every change of a kind, including those of this member. */
  listen(kind: StateKind, hear: Listener): void {
    this.listeners.set(kind, hear)
  }

  get(kind: StateKind, name: string): ClusterEntry | undefined {
    return this.entries.get(kind)?.get(name)
  }

  all(kind: StateKind): ReadonlyMap<string, ClusterEntry> {
    return this.entries.get(kind) ?? new Map()
  }

  /** Change an entry if it still has a revision (0: it does not exist). Without one, the last change wins. Returns the new revision. */
  async put(kind: StateKind, name: string, value: Dict | undefined, after?: number): Promise<number> {
    const { nats, seal } = this.options
    const subject = `${this.base}.${kind}.${encoded(name)}`
    const bytes = encodeMsgpack(value ?? null, 'bus')
    const revision = await nats.append(subject, seal.close(bytes, subject), after === undefined ? {} : { after })
    this.reader.announce()
    return revision
  }

  /** Read an entry from the servers, for a name whose copy may be outdated. */
  async fetch(kind: StateKind, name: string): Promise<ClusterEntry | undefined> {
    const subject = `${this.base}.${kind}.${encoded(name)}`
    const message = await this.options.nats.last(this.options.stream, subject)
    return message && this.entryOf(message)
  }

  /** Remove an entry with all traces, up to a revision. */
  async purge(kind: StateKind, name: string, revision: number): Promise<void> {
    await this.options.nats.purge(this.options.stream, `${this.base}.${kind}.${encoded(name)}`, revision)
  }

  private entryOf({ seq, subject, data }: StreamMessage): ClusterEntry {
    const value: Value = decodeMsgpack(this.options.seal.open(data, subject), { dialect: 'bus' })
    return { revision: seq, value: isDict(value) ? value : undefined, since: performance.now() }
  }

  private async take(message: StreamMessage): Promise<void> {
    const [kind = '', token = ''] = message.subject.slice(this.base.length + 1).split('.')
    let entry: ClusterEntry
    try {
      entry = this.entryOf(message)
    } catch (error) {
      this.options.log('error', (error as Error).message)
      return
    }
    const name = decoded(token)
    const known = this.entries.get(kind as StateKind) ?? new Map<string, ClusterEntry>()
    if (this.options.after === undefined) this.entries.set(kind as StateKind, known.set(name, entry))
    await this.options.hear?.(name, entry)
    await this.listeners.get(kind as StateKind)?.(name, entry)
  }

  close(): Promise<void> {
    return this.reader.close()
  }
}
