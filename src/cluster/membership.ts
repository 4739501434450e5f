// Which members of the cluster live, and which one holds each lease. Every member renews its own entry; a lease belongs
// to the member that renews the entry for it. An entry is over when it does not change for some seconds of the
// observer's clock: clocks of different machines are never compared.
import { type Log, toError } from '../base/mod.ts'
import { type Dict, numberOf, str, type Value } from '../data/mod.ts'
import type { ClusterEntry, ClusterState } from './state.ts'

const RENEW_MS = 1500
/** An entry that has not changed for so long is over. */
const OVER_MS = 7000
/** Without an acknowledged change for so long a member counts as without a majority. */
const ALONE_MS = 6000

export interface MembershipParts {
  state: ClusterState
  member: string
  /** The name of this process. */
  writer: string
  /** Return the facts about this member for the others. */
  facts(): Dict
  log: Log
}

/** A member as others see it. */
export interface MemberStatus {
  name: string
  isAlive: boolean
  isOwn: boolean
  facts: Dict
}

export class Membership {
  private readonly parts: MembershipParts
  private readonly wanted = new Map<string, () => Dict>()
  private timer: NodeJS.Timeout | undefined
  /** When the entry of this member was last renewed, and when a majority last took anything of it. */
  private renewed = Number.NEGATIVE_INFINITY
  private lastAck = Number.NEGATIVE_INFINITY
  private working: Promise<void> | undefined
  private isClosed = false
  private lacked = true
  /** Resolves when the entry of this member was renewed for the first time, or could not be. */
  firstBeat: Promise<void> = Promise.resolve()
  /** Whether this member gives up its leases and takes none. */
  isDraining = false
  /** Called when a majority is found or lost. */
  onQuorum: (has: boolean) => void = () => {}

  constructor(parts: MembershipParts) {
    this.parts = parts
  }

  start(): void {
    this.timer = setInterval(() => this.beat(), RENEW_MS)
    this.beat()
    this.firstBeat = this.working ?? Promise.resolve()
  }

  /** Whether a majority of the servers took a change of this member a moment ago. */
  get hasQuorum(): boolean {
    return performance.now() - this.lastAck < ALONE_MS
  }

  /** Note that a majority has just accepted a record of this member: the streams have leaders. */
  proveQuorum(): void {
    this.lastAck = performance.now()
    this.tellQuorum()
  }

  /** Whether this member can judge which members live: it renewed its own entry a moment ago. */
  private get isRenewed(): boolean {
    return performance.now() - this.renewed < ALONE_MS
  }

  /** Try to hold a lease from now on; the holder publishes the note with each renewal. */
  want(name: string, note: () => Dict = () => new Map()): void {
    this.wanted.set(name, note)
  }

  /** Whether this process holds a lease now. A holder without a majority holds none. */
  holds(name: string): boolean {
    const entry = this.parts.state.get('lease', name)
    return !this.isDraining && this.isRenewed && this.isMine(entry) && !isOver(entry!)
  }

  /** The leases with their holders; a holder that is not alive is left out. */
  leases(): Array<{ name: string; holder: string }> {
    return [...this.parts.state.all('lease')].flatMap(([name, entry]) =>
      entry.value && !isOver(entry) ? [{ name, holder: str(entry.value.get('member') ?? '') }] : [],
    )
  }

  /** The last note of the holder of a lease. */
  note(name: string): Dict | undefined {
    return this.parts.state.get('lease', name)?.value
  }

  /** When this member last saw a lease renewed, on the clock of `performance`; undefined if it has no holder. */
  renewedAt(name: string): number | undefined {
    const entry = this.parts.state.get('lease', name)
    return entry?.value && !isOver(entry) ? entry.since : undefined
  }

  members(): MemberStatus[] {
    return [...this.parts.state.all('member')].flatMap(([name, entry]) =>
      entry.value ? [{ name, isAlive: !isOver(entry), isOwn: name === this.parts.member, facts: entry.value }] : [],
    )
  }

  /** Whether a process has ended, or has no majority. A member with an outdated copy reports none. */
  isGone(writer: string): boolean {
    const isAlive = (entry: ClusterEntry): boolean => entry.value?.get('writer') === writer && !isOver(entry)
    return this.isRenewed && this.parts.state.isCaughtUp && ![...this.parts.state.all('member').values()].some(isAlive)
  }

  /** The id of the master that is or was last a member. */
  idOf(member: string): string | undefined {
    const id = this.parts.state.get('member', member)?.value?.get('id')
    return typeof id === 'string' && id !== '' ? id : undefined
  }

  /** Whether a member has ended, or is without a majority. */
  isMemberGone(member: string): boolean {
    const entry = this.parts.state.get('member', member)
    return this.isRenewed && this.parts.state.isCaughtUp && !(entry?.value && !isOver(entry))
  }

  private isMine(entry: ClusterEntry | undefined): boolean {
    return entry?.value?.get('writer') === this.parts.writer
  }

  private beat(): void {
    if (this.working || this.isClosed) return
    this.working = this.renew()
      .catch((error: unknown) =>
        this.parts.log('debug', `The entry of this member was not renewed: ${toError(error).message}`),
      )
      .finally(() => {
        this.working = undefined
        this.tellQuorum()
      })
    this.tellQuorum()
  }

  private tellQuorum(): void {
    const lacks = !this.hasQuorum
    if (lacks === this.lacked) return
    this.lacked = lacks
    this.onQuorum(!lacks)
    const text = lacks
      ? 'This master does not reach a majority of the cluster: it takes no jobs and no changes of keys until it does'
      : 'This master reaches a majority of the cluster again'
    this.parts.log(lacks ? 'error' : 'info', text)
  }

  private async renew(): Promise<void> {
    const { state, member, writer, facts } = this.parts
    await state.put('member', member, new Map([...facts(), ['writer', writer]]))
    this.renewed = performance.now()
    this.lastAck = this.renewed
    for (const [name, note] of this.wanted) await this.renewLease(name, note)
  }

  private async renewLease(name: string, note: () => Dict): Promise<void> {
    const { state, member, writer, log } = this.parts
    const entry = state.get('lease', name)
    const isMine = this.isMine(entry)
    if (this.isDraining) {
      if (isMine) await state.put('lease', name, undefined, entry!.revision)
      return
    }
    // an outdated copy would show live holders as dead
    if (!isMine && (!state.isCaughtUp || (entry?.value && !isOver(entry)))) return
    const before = isMine ? entry?.value : undefined
    const count = (numberOf(before?.get('renewed') ?? 0) ?? 0) + 1
    const facts: Array<[Value, Value]> = [
      ['member', member],
      ['writer', writer],
      ['renewed', count],
    ]
    try {
      await state.put('lease', name, new Map([...facts, ...note()]), entry?.revision ?? 0)
      if (!isMine) log('info', `This master holds the lease ${name} from now on`)
    } catch (error) {
      // another member was faster
      if ((error as { code?: string }).code !== 'ClusterConflict') throw error
    }
  }

  /** Give up the leases, so that others need not wait. */
  async close(): Promise<void> {
    this.isClosed = true
    clearInterval(this.timer)
    await this.working
    if (!this.hasQuorum) return
    const { state, member } = this.parts
    const given = [...this.wanted.keys()].flatMap((name) => {
      const entry = state.get('lease', name)
      return this.isMine(entry) ? [state.put('lease', name, undefined, entry!.revision)] : []
    })
    await Promise.allSettled([...given, state.put('member', member, undefined)])
  }
}

const isOver = ({ since }: ClusterEntry): boolean => performance.now() - since > OVER_MS
