// Sign-in with a master: the masters of a group are tried in turn, repeatedly, until one accepts this minion. An error
// that waiting cannot fix (a rejected key, a wrong fingerprint) ends the minion.
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BrineError, isA, type Log, Repeats, recover, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, textOf, type Value } from '../data/mod.ts'
import {
  EXIT_CODES,
  isWireError,
  type MinionSettings,
  quickPauses,
  SignInError,
  type SignInOutcome,
} from '../wire/mod.ts'
import { type MasterAddress, MasterLink, masterAddress } from './master-link.ts'
import type { MasterGroup } from './masters.ts'
import { MasterUnresolvable, resolveMaster } from './resolving.ts'
import { SideLinks } from './side-links.ts'

export interface ReachOptions {
  opts: Dict
  log: Log
  group: MasterGroup
  settings: MinionSettings
  /** Receives errors that end the minion, also long after the first sign-in. */
  fatal(error: Error): void
  /** Called when the publish channel is lost. */
  onLost?: () => void
}

const isFatal = (outcome: SignInOutcome, retriesRejected: boolean): boolean =>
  EXIT_CODES[outcome.status] !== undefined && !(outcome.status === 'rejected' && retriesRejected)

/** Seconds; a timer takes not much more. */
const LONGEST_S = 86_400

/** Whether the error means that no master answered, rather than that one refused. */
const isSilence = (error: Error): boolean =>
  error instanceof SignInError
    ? error.outcome.status === 'timeout'
    : isWireError(error, 'Closed') || isWireError(error, 'SaltReqTimeoutError')

const quick = quickPauses()

/** Milliseconds before the masters are tried again after the n-th failure in a row. */
export function pauseAfter(failure: Error, attempt: number, opts: Dict): number {
  // the attempt itself took `auth_timeout` seconds, and a master that has just come back is not kept waiting
  if (isSilence(failure)) return quick(attempt)
  if (!(failure instanceof SignInError)) {
    const most = Math.min(LONGEST_S, Math.max(1, Math.floor(option(opts, 'random_reauth_delay'))))
    return 1000 * randomInt(1, most + 1)
  }
  const first = option(opts, 'acceptance_wait_time')
  return 1000 * Math.min(option(opts, 'acceptance_wait_time_max') || first, first * attempt)
}

export class MasterSearch {
  /** The master of the last successful sign-in. */
  name = ''
  /** When the log repeats a failure, by the master's name. */
  private repeats = new Repeats()
  private readonly options: ReachOptions
  private readonly stopped = new AbortController()
  private opened: MasterLink | undefined
  private readonly aside: SideLinks

  constructor(options: ReachOptions) {
    this.options = options
    this.aside = new SideLinks({
      open: (name) => this.openAside(name),
      enter: (link, name) => this.enterAside(link, name),
      pause: option(options.opts, 'return_retry_timer') * 500,
    })
  }

  /** The link to whichever master it is now; it stays the same object. */
  get link(): MasterLink {
    return this.opened!
  }

  /** Try the masters in this order; resolves after a sign-in for which `ready` succeeded. */
  async reach(order: readonly string[], ready: () => Promise<void>): Promise<void> {
    const { log } = this.options
    for (let attempt = 1; ; attempt++) {
      let failure: Error | undefined
      for (const name of order) {
        failure = await this.tryMaster(name, ready)
        if (failure === undefined) {
          this.repeats = new Repeats()
          return
        }
      }
      this.stopped.signal.throwIfAborted()
      if (order.length > 1 && this.repeats.due()) {
        log('error', "No master could be reached or all masters denied the minion's connection attempt.")
      }
      await sleep(pauseAfter(failure!, attempt, this.options.opts), undefined, { signal: this.stopped.signal })
    }
  }

  /** Whether the name of the master leads to another address now. */
  async hasMoved(): Promise<boolean> {
    return recover(isA(MasterUnresolvable), false, async () => !this.link.isAt(await this.address(this.name, true)))
  }

  /** Send a request to a master that is not the current one, over a separate connection. */
  askAside(name: string, load: Dict): Promise<Value> {
    return this.aside.ask(name, load)
  }

  private async openAside(name: string): Promise<MasterLink> {
    const { opts, log, settings } = this.options
    return MasterLink.open({ opts, log, settings, address: await this.address(name, true) })
  }

  /** Test the connection first: a sign-in with an absent master would write to the log each time. */
  private async enterAside(link: MasterLink, name: string): Promise<void> {
    if (!(await this.answers(name))) throw new BrineError('MasterAway', `Master ${name} does not answer`)
    await link.channel.authenticate()
  }

  /** Whether a master answers at all. */
  async answers(name: string, seconds = option(this.options.opts, 'auth_timeout')): Promise<boolean> {
    return recover(isA(MasterUnresolvable), false, async () =>
      this.link.answers(await this.address(name, true), seconds),
    )
  }

  close(): void {
    this.stopped.abort()
    this.aside.close()
    this.opened?.close()
  }

  private async address(name: string, failover: boolean): Promise<MasterAddress> {
    const { opts, log } = this.options
    const { host, port } = masterAddress(name, opts)
    return { port, host: await resolveMaster(host, { opts, log, failover, signal: this.stopped.signal }) }
  }

  /** Functions see where the master is. */
  private note({ host, port }: MasterAddress): void {
    const { opts, log } = this.options
    const before = textOf(opts.get('master_ip') ?? null)
    if (before && before !== host) log('warning', `Master ip address changed from ${before} to ${host}`)
    opts.set('master_ip', host).set('master_uri', `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`)
  }

  /** Return why a master did not let us in; undefined when it did. */
  private async tryMaster(name: string, ready: () => Promise<void>): Promise<Error | undefined> {
    const { group, log, opts } = this.options
    try {
      const address = await this.address(name, group.failover)
      this.note(address)
      await this.turnTo(address)
      await this.link.channel.authenticate()
      this.name = name
      opts.set('master', name)
      await ready()
      return undefined
    } catch (error) {
      if (this.stopped.signal.aborted) throw error
      if (error instanceof SignInError && isFatal(error.outcome, this.options.settings.rejectedRetry === true)) {
        throw error
      }
      if (error instanceof MasterUnresolvable && !group.failover) throw error
      // no other master has a device for this minion
      if (error instanceof BrineError && error.code === 'ProxyAborted') throw error
      const next = group.names.length > 1 ? ', trying next master (if any)' : ''
      const text = `Master ${name} could not be reached${next}: ${toError(error).message}`
      log(this.repeats.due(name) ? 'error' : 'debug', text)
      return toError(error)
    }
  }

  private async turnTo(address: MasterAddress): Promise<void> {
    if (this.opened) {
      this.opened.move(address)
      return
    }
    const { opts, log, settings, fatal, onLost } = this.options
    const onOutcome = (outcome: SignInOutcome): void => {
      if (isFatal(outcome, settings.rejectedRetry === true)) fatal(new SignInError(outcome))
    }
    this.opened = await MasterLink.open({ opts, settings, log, address, onOutcome, ...(onLost && { onLost }) })
  }
}
