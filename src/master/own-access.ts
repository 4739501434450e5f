// The master as its own functions reach it: without sockets, and with the rights of its owner.
import { BrineError, shownText } from '../base/mod.ts'
import { BusTap, checkJournal, type EventFilter, type EventTap, eventStream, FollowedEvents } from '../bus/mod.ts'
import { collectReturns, isOfJob, requestOf } from '../client/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, SaltError, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { publishedTarget, resolveTarget } from '../match/mod.ts'
import { type MasterAccess, MasterFunctions } from '../runner/mod.ts'
import type { EventStart, MinionJob, Published } from '../sdk/mod.ts'
import { fireFor } from './minion-events.ts'
import type { MasterParts } from './parts.ts'
import { type JobRequest, readRequest } from './publication.ts'
import { type Publishing, withTargets } from './publish.ts'

type OwnParts = Pick<MasterParts, 'opts' | 'log' | 'keys' | 'cache' | 'bus' | 'kept' | 'stores' | 'syndics'>

export interface OwnAsking extends Pick<MasterAccess, 'overSsh'> {
  /** The user that jobs are published for. */
  user: string
  /** Answers commands of programs. */
  answer(load: Dict): unknown
}

export interface OwnAccess extends MasterAccess {
  /** Publish a job to exactly these minions, whatever its target matches; undefined if the list is empty. */
  publishTo(job: MinionJob, minions: string[]): Promise<Published | undefined>
}

export function ownAccess(parts: OwnParts, publishing: Publishing, host: Host, asks: OwnAsking): OwnAccess {
  const taps = new Map<string, BusTap>()
  const publish = async (job: MinionJob, minions?: string[]): Promise<Published | undefined> => {
    const request = jobRequest(job, parts.opts)
    const { tgt, tgtType, delimiter } = request
    const overSsh = minions ? [] : ((await publishing.ssh?.targets(request, true)) ?? [])
    const found = minions ? { minions, missing: [] } : resolveTarget(parts, tgt, tgtType, delimiter)
    const targeted = withTargets(found, overSsh)
    const ordersMasters = minions === undefined && option(parts.opts, 'order_masters')
    if (targeted.minions.length === 0 && !ordersMasters) return undefined
    const jid = request.jid ?? publishing.freshJid()
    taps.set(jid, new BusTap(parts.bus, isOfJob))
    try {
      await publishing.send({ ...request, jid }, asks.user, targeted, {
        ...(minions ? { isFrozen: true } : { authList: [] }),
        ...{ overSsh, isOwner: true },
      })
    } catch (error) {
      release(jid)
      throw error
    }
    const seconds = option(parts.opts, 'syndic_wait')
    return { jid, ...targeted, ...(ordersMasters && { syndics: { ids: parts.syndics.listening(), seconds } }) }
  }
  const publishUnclaimed = async (job: MinionJob, minions?: string[]): Promise<Published | undefined> => {
    const published = await publish(job, minions)
    // if no caller collects the returns, the tap would only grow
    if (published) setTimeout(() => release(published.jid), UNCLAIMED_MS).unref()
    return published
  }
  return {
    opts: parts.opts,
    log: parts.log,
    host,
    stores: parts.stores,
    functions: new MasterFunctions({ opts: parts.opts, log: parts.log, host }),
    ...(asks.overSsh && { overSsh: asks.overSsh }),
    publish: (job) => publishUnclaimed(job),
    publishTo: publishUnclaimed,
    collect: async function* (published, timeout, gatherJobTimeout) {
      const tap = taps.get(published.jid) ?? new BusTap(parts.bus, isOfJob)
      taps.delete(published.jid)
      const ask = async (jid: string, ids: string[]): Promise<string | undefined> => {
        const asked = await publish({ tgt: ids, tgtType: 'list', fun: 'saltutil.find_job', arg: [jid] })
        if (asked) release(asked.jid)
        return asked?.jid
      }
      try {
        yield* collectReturns(tap, ask, published, { timeout, gatherJobTimeout })
      } finally {
        tap.close()
      }
    },
    command: async (load) => (await asks.answer(load)) as Value,
    beginBatch: () => {
      throw new BrineError('NoBatches', 'Batches are not there yet')
    },
    fire: async (tag, data, caller) => {
      if (!caller) parts.bus.fire(tag, data)
      else if (!fireFor(parts, caller, tag, data)) {
        throw new SaltError('CommandExecutionError', `The tag ${shownText(tag)} is not yours to fire`)
      }
    },
    events: (filter, seconds, wish = {}) => eventStream(listening(filter, wish), seconds),
  }

  async function listening(filter: EventFilter, { since }: EventStart): Promise<EventTap> {
    const { last } = parts.bus
    const tap = Object.assign(new BusTap(parts.bus, filter), { last })
    if (!since) return tap
    checkJournal(parts.opts)
    await parts.kept()
    return new FollowedEvents(tap, { journal: parts.stores.journal(), from: since, filter })
  }

  function release(jid: string): void {
    taps.get(jid)?.close()
    taps.delete(jid)
  }
}

const UNCLAIMED_MS = 5000

/** A job of the master itself goes through the same checks as a request. */
function jobRequest(job: MinionJob, opts: Dict): JobRequest {
  const { tgt, tgtType = 'glob', fun, arg, ret = '', jid = '', kwargs = new Map() } = requestOf(job)
  const { target, kind } = publishedTarget(tgt, tgtType, opts)
  const load: Dict = dictFrom({ fun, arg, tgt: target, tgt_type: kind, ret, jid, kwargs })
  const request = readRequest(load)
  if (typeof request === 'string') throw new SaltError('SaltInvocationError', request)
  return request
}
