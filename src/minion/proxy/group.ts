// The proxy minions of one process: the requested one, and those in its pillar under `ids` (deltaproxy).
import { BrineError, type Log, toError, wrapLog } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isList, str } from '../../data/mod.ts'
import { Minion } from '../minion.ts'
import { ProxyDevice } from './device.ts'

/** Proxy minions that one process runs; further ids are left out with an error. */
const MOST_IDS = 1000

/** Values of the option `metaproxy`. */
const KINDS = ['proxy', 'deltaproxy']

/** Options of the command line that apply to all of them. */
const OF_ALL = ['log_level', 'log_level_logfile', 'user', 'config_dir']

export interface ProxyGroupParts {
  opts: Dict
  log: Log
  /** Reads the options of another proxy minion. */
  optionsOf(id: string, log: Log): Promise<Dict>
}

export class ProxyGroup {
  readonly minion: Minion
  private readonly parts: ProxyGroupParts
  private readonly others = new Set<Minion>()
  private isClosed = false

  constructor(parts: ProxyGroupParts) {
    const { opts, log } = parts
    this.parts = parts
    const proxy = new ProxyDevice(log)
    proxy.onOpen = (settings) => this.addListed(settings)
    this.minion = new Minion(opts, log, { proxy })
  }

  /** Run the requested proxy minion; throw for an implementation that does not exist. */
  async open(): ReturnType<Minion['open']> {
    const kind = option(this.parts.opts, 'metaproxy')
    if (!KINDS.includes(kind ?? 'proxy')) {
      throw new BrineError(
        'BadSetting',
        `option 'metaproxy' is '${kind}': Brine has only ${KINDS.join(' and ')}, and does not load metaproxy modules of users or extensions`,
      )
    }
    return this.minion.open()
  }

  private addListed(settings: Dict): void {
    const { opts, log } = this.parts
    const named = settings.get('ids') ?? null
    if (!isList(named) || named.length === 0) return
    if (option(opts, 'metaproxy') !== 'deltaproxy' && settings.get('proxytype') !== 'deltaproxy') {
      log('warning', "The pillar of this proxy minion has 'ids', which count with 'metaproxy: deltaproxy' only")
      return
    }
    const ids = [...new Set(named.map(str))].filter((id) => id !== option(opts, 'id'))
    if (ids.length > MOST_IDS) log('error', `There are ${ids.length} ids; the first ${MOST_IDS} are used`)
    void this.openAll(ids.slice(0, MOST_IDS))
  }

  /** Start the minions one after the other, each until it can sign in: none waits for a key or a device of another one. */
  private async openAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      try {
        const minion = await this.another(id)
        // the group may have been closed while the options were read
        if (this.isClosed) return
        this.others.add(minion)
        await Promise.race([minion.started, this.run(id, minion)])
      } catch (error) {
        this.report(id, error)
      }
    }
  }

  /** Run a minion until it is asked to end, or cannot go on. */
  private async run(id: string, minion: Minion): Promise<void> {
    try {
      await minion.open()
      this.parts.log('warning', `Proxy minion ${id} received ${await minion.ended}, exiting`)
    } catch (error) {
      this.report(id, error)
    }
    this.others.delete(minion)
    await minion.close()
  }

  private report(id: string, error: unknown): void {
    if (!this.isClosed) this.parts.log('error', `Proxy minion ${id} does not run: ${toError(error).message}`)
  }

  private async another(id: string): Promise<Minion> {
    const log = wrapLog(this.parts.log, (inner) => (level, text) => inner(level, `${id}: ${text}`))
    const opts = await this.parts.optionsOf(id, log)
    for (const name of OF_ALL) if (this.parts.opts.has(name)) opts.set(name, this.parts.opts.get(name)!)
    return new Minion(opts, log, { proxy: new ProxyDevice(log) })
  }

  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all([...this.others].map((minion) => minion.close()))
    await this.minion.close()
  }
}
