// Polls the beacons of a minion at their intervals, and fires what they report as events for the master.
import { type Log, toError } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, deepCopy, isDict, isList, numberOf, str, truthy, type Value } from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import { beaconOptions } from '../sdk/mod.ts'
import { manageBeacons } from './beacon-managing.ts'
import { BeaconSet, beaconName, isOn } from './beacon-set.ts'
import type { Jobs } from './jobs.ts'

export interface BeaconParts {
  opts: Dict
  log: Log
  bus: EventBus
  jobs: Pick<Jobs, 'list'>
  functions(): Promise<Registry>
}

export class Beacons {
  readonly parts: BeaconParts
  readonly set: BeaconSet
  /** Looks since each beacon's last turn. */
  private readonly counts = new Map<string, number>()
  private readonly complained = new Map<string, string>()
  private timer: NodeJS.Timeout | undefined
  private looking: Promise<void> | undefined

  constructor(parts: BeaconParts) {
    this.parts = parts
    this.set = new BeaconSet(parts.log)
    if (!isDict(option(parts.opts, 'beacons') ?? null)) parts.opts.set('beacons', new Map())
  }

  get own(): Dict {
    return this.parts.opts.get('beacons') as Dict
  }

  get ofPillar(): Dict {
    const pillar = option(this.parts.opts, 'pillar') ?? null
    const beacons = isDict(pillar) ? (pillar.get('beacons') ?? null) : null
    return isDict(beacons) ? beacons : new Map()
  }

  functions(): Promise<Registry> {
    return this.parts.functions()
  }

  /** Start polling and answering requests; return a function that stops both. */
  start(): () => Promise<void> {
    const { bus, log } = this.parts
    const stops = [
      bus.listen(
        ({ data }) => {
          manageBeacons(this, data).then(
            (answer) => bus.fire(answer.tag, answer.data),
            (error: unknown) => log('error', toError(error).message),
          )
        },
        (tag) => tag.startsWith('manage_beacons'),
      ),
      bus.listen(
        () => this.refresh(),
        (tag) => ['beacons_refresh', 'module_refresh', 'pillar_refresh'].some((start) => tag.startsWith(start)),
      ),
    ]
    this.timer = setInterval(() => void this.look(), this.loop * 1000)
    return async () => {
      clearInterval(this.timer)
      for (const stop of stops) stop()
      await this.looking
      this.set.closeAll()
    }
  }

  /** Poll all beacons that are due. A poll that takes long is not overtaken by the next. */
  look(): Promise<void> {
    this.looking ??= this.lookAtAll()
      .catch((error: unknown) => this.parts.log('critical', `The beacon errored: ${toError(error).stack ?? ''}`))
      .finally(() => {
        this.looking = undefined
      })
    return this.looking
  }

  /** Drop the memory of beacons that are no longer configured, and search for new kinds. */
  private refresh(): void {
    this.set.refresh()
  }

  private get loop(): number {
    return option(this.parts.opts, 'loop_interval') || 1
  }

  private async lookAtAll(): Promise<void> {
    const all: Dict = new Map([...this.ofPillar, ...this.own])
    if (!isOn(all) || all.size === 0) return
    const told: Value[] = []
    for (const [mark, config] of all) {
      if (mark !== 'enabled') told.push(...(await this.lookAt(str(mark), config)))
    }
    if (told.length > 0) this.parts.bus.fire('__beacons_return', new Map([['beacons', told]]))
  }

  private async lookAt(mark: string, config: Value): Promise<Dict[]> {
    const { log, opts } = this.parts
    const options = beaconOptions(config)
    if (!isOn(options)) return []
    if (options.has('enabled')) forgetSwitch(config)
    const functions = await this.parts.functions()
    const name = beaconName(mark, options)
    const kind = await this.set.find(name, functions)
    if (!kind) return this.complain(mark, 'warning', `Unable to process beacon ${mark}`)
    const { valid, comment } = await kind.validate(config, options)
    if (!valid) return this.complain(mark, 'error', `Beacon ${mark} configuration invalid, not running.\n${comment}`)
    if (!this.isTurn(mark, numberOf(options.get('interval') ?? 0) ?? 0)) return []
    if (truthy(options.get('disable_during_state_run') ?? false) && this.runsStates()) {
      log('info', `Skipping beacon ${mark}. State run in progress.`)
      this.set.close(mark)
      return []
    }
    const tag = `salt/beacon/${option(opts, 'id')}/${mark}/`
    const event = (data: Dict, more: Array<[Value, Value]> = []): Dict =>
      new Map<Value, Value>([['tag', tag], ...more, ['data', data], ['beacon_name', name]])
    try {
      const seen = await kind.look(this.set.context(mark, functions), deepCopy(config), options)
      if (truthy(options.get('run_once') ?? false)) this.switchOff(mark)
      return seen.map((data) => this.finished(event(data), data))
    } catch (error) {
      log('error', `Unable to start ${mark} beacon, ${toError(error).message}`)
      return [event(new Map(), [['error', toError(error).message]])]
    }
  }

  /** The tag that the data name becomes the end of the event's. */
  private finished(event: Dict, data: Dict): Dict {
    const end = data.get('tag')
    if (end !== undefined) event.set('tag', `${str(event.get('tag')!)}${str(end)}`)
    data.delete('tag')
    if (!data.has('id')) data.set('id', option(this.parts.opts, 'id'))
    return event
  }

  /** The first turn comes when one interval is over. */
  private isTurn(mark: string, interval: number): boolean {
    if (interval <= 0) return true
    const count = this.counts.get(mark)
    const isNow = count !== undefined && count * this.loop >= interval
    this.counts.set(mark, count === undefined || isNow ? 1 : count + 1)
    return isNow
  }

  private runsStates(): boolean {
    return this.parts.jobs.list().some((job) => str(job.get('fun') ?? '').startsWith('state'))
  }

  private switchOff(mark: string): void {
    const config = this.own.get(mark)
    if (config !== undefined && isDict(config)) config.set('enabled', false)
    else if (Array.isArray(config)) (config as Value[]).push(new Map([['enabled', false]]))
  }

  /** Log a problem with a beacon once, not at each poll. */
  private complain(mark: string, level: 'warning' | 'error', text: string): [] {
    if (this.complained.get(mark) !== text) this.parts.log(level, text)
    this.complained.set(mark, text)
    return []
  }
}

/** Remove the marker of a beacon that was switched on again after its first poll, as Salt does. */
function forgetSwitch(config: Value): void {
  if (isDict(config)) config.delete('enabled')
  if (!isList(config)) return
  const at = config.findIndex((part) => isDict(part) && part.has('enabled'))
  if (at >= 0) config.splice(at, 1)
}
