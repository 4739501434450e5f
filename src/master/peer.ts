// Jobs that minions publish to other minions (`peer`), and runner functions that they call (`peer_run`). Both options
// map patterns of ids to patterns of functions, matched from the beginning. A refused minion gets an empty answer.
import { minionOrigin } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { returnerNames } from '../daemon/mod.ts'
import { briefStr, type Dict, dictFrom, isDict, isList, numberOf, str, textOf, type Value } from '../data/mod.ts'
import { runMasterFunction, tellNotBegun } from '../runner/mod.ts'
import { HINTS, type MinionJob, parseInput, publishedArguments } from '../sdk/mod.ts'
import { judgedCalls, mayPublish, maySetField } from './access/allowed.ts'
import { begins } from './configured-pattern.ts'
import type { OwnAccess } from './own-access.ts'
import { fieldsInNeed, readRequest } from './publication.ts'

const NOTHING: Dict = new Map()

/** How many jobs keep their publishing minion: only that minion may request the returns. */
const REMEMBERED = 1000

/** Longest time that a minion may wait for returns, in seconds. */
const LONGEST_WAIT = 86_400

/** The lists of all expressions that match an id. */
export function rightsOf(rules: Value, id: string): Value[] {
  if (!isDict(rules)) return []
  return [...rules].flatMap(([pattern, list]) => (begins(pattern, id) && isList(list) ? [...list] : []))
}

const given = (load: Dict): { args: Value[]; kwargs: Map<string, Value> } => {
  const arg = load.get('arg')
  const noParse = load.get('no_parse')
  const names = noParse !== undefined && isList(noParse) ? noParse.map(str) : []
  return parseInput(arg !== undefined && isList(arg) ? arg : [], new Set(names))
}

export interface PeerTargets {
  /** The minions that a publication of a minion would reach; undefined when that must not be answered. */
  reached(asking: string, target: Value, kind: string): Promise<string[] | undefined>
  /** The minions that a target of the configuration means. */
  covered(target: Value): string[]
}

/** A job that its minion may publish, and the minions that were judged. */
interface AllowedJob {
  job: MinionJob
  minions: string[]
}

export class Peers {
  private readonly access: OwnAccess
  private readonly owners = new Map<string, string>()
  /** Whether a target means all these minions. */
  private readonly covers: (target: string, minions: readonly string[]) => boolean
  private readonly targets: PeerTargets

  constructor(access: OwnAccess, targets: PeerTargets) {
    this.access = access
    this.targets = targets
    this.covers = (target, minions) => {
      if (target === '*') return true
      const meant = new Set(targets.covered(target))
      return minions.every((id) => meant.has(id))
    }
  }

  /** `minion_pub`: publishes, and gives the number of the job. */
  async publish(load: Dict): Promise<Dict> {
    const allowed = await this.allowedJob(load)
    if (!allowed) return NOTHING
    const published = await this.access.publishTo(allowed.job, allowed.minions)
    const jid = published?.jid
    if (jid !== undefined) this.remember(jid, str(load.get('id')!))
    return dictFrom({ jid: jid ?? 0, minions: published?.minions ?? [] })
  }

  /** `minion_publish`: publishes, and waits for the returns. */
  async publishAndWait(load: Dict): Promise<Dict> {
    const allowed = await this.allowedJob(load)
    const published = allowed && (await this.access.publishTo(allowed.job, allowed.minions))
    if (!published) return NOTHING
    const isFull = load.get('form') === 'full'
    const wanted = numberOf(load.get('tmo') ?? load.get('timeout') ?? 5) ?? 5
    const seconds = Number.isFinite(wanted) ? Math.min(Math.max(wanted, 0), LONGEST_WAIT) : 5
    const answer: Dict = new Map()
    for await (const { id, data } of this.access.collect(published, seconds, seconds)) {
      if (!data) continue
      const ret = data.get('return') ?? null
      const full: Dict = new Map(data).set('ret', ret)
      // hints are for the person at a terminal
      full.delete(HINTS)
      answer.set(id, isFull ? full : ret)
    }
    return isFull ? (answer.set('__jid__', published.jid) as Dict) : answer
  }

  /** Answer `pub_ret`: the returns so far of a job that this minion published. */
  returns(load: Dict): Dict {
    const jid = briefStr(load.get('jid') ?? '')
    if (this.owners.get(jid) !== str(load.get('id')!)) return NOTHING
    const found: Dict = new Map()
    for (const [id, data] of this.access.stores.jobs.returns(jid)) {
      const ret: Dict = new Map<Value, Value>([['ret', data.get('return') ?? null]])
      if (data.has('out')) ret.set('out', data.get('out')!)
      found.set(id, ret)
    }
    return found
  }

  /** `minion_runner`: a function of the master, waited for. */
  async runner(load: Dict): Promise<Value> {
    const id = str(load.get('id')!)
    const fun = textOf(load.get('fun') ?? null) ?? ''
    const rights = rightsOf(option(this.access.opts, 'peer_run'), id)
    if (!rights.some((pattern) => begins(pattern, fun))) {
      this.access.log('warning', `Minion id ${id} is not who it says it is!`)
      return NOTHING
    }
    const call = given(load)
    const { runners } = this.access.functions
    if (!runners.has(fun)) await this.access.functions.refresh()
    if (!runners.has(fun)) {
      const message = `'${fun}' is not available.`
      await tellNotBegun(this.access, { fun, args: publishedArguments(call), message })
      return message
    }
    const user = option(this.access.opts, 'user') || 'root'
    const caller = minionOrigin(str(load.get('id')!))
    return (await runMasterFunction(this.access, { family: 'runner', fun, ...call, user, caller })).value
  }

  /** The job of a request, if the minion may publish it; functions that publish are never published. */
  private async allowedJob(load: Dict): Promise<AllowedJob | undefined> {
    const { opts, log } = this.access
    const id = str(load.get('id')!)
    const target = this.target(load)
    if (!target) return undefined
    const list = rightsOf(option(opts, 'peer'), id)
    const [fun, arg, ret] = [load.get('fun') ?? '', publishedArguments(given(load)), load.get('ret') ?? '']
    const { tgt, tgtType } = target
    const request = readRequest(dictFrom({ fun, arg, ret, tgt, tgt_type: tgtType }))
    if (typeof request === 'string') {
      log('warning', `Refused a job of minion ${id}: ${request}`)
      return undefined
    }
    const calls = judgedCalls(fun, arg)
    if (list.length === 0 || calls.some((call) => call.fun.startsWith('publish.'))) return undefined
    const field = fieldsInNeed(request, opts).find(([, rights]) => !maySetField(list, rights))
    if (field) {
      log('warning', `Minion ${id} may not set the field ${field[0]} of a job: the right @publish is missing`)
      return undefined
    }
    const minions = await this.targets.reached(id, tgt, tgtType)
    if (!minions || !mayPublish(list, calls, (name) => this.covers(name, minions))) return undefined
    return { job: { ...target, fun, arg, ret: returnerNames(ret).join(','), options: dictFrom({ id }) }, minions }
  }

  /** A group of nodes is a compound target under another name. */
  private target(load: Dict): { tgt: Value; tgtType: string } | undefined {
    const tgt = load.get('tgt') ?? ''
    const kind = textOf(load.get('tgt_type') ?? null) ?? 'glob'
    if (!kind.startsWith('node')) return { tgt, tgtType: kind }
    const groups = option(this.access.opts, 'nodegroups')
    const group = isDict(groups) ? groups.get(tgt) : undefined
    return group === undefined ? undefined : { tgt: group, tgtType: 'compound' }
  }

  private remember(jid: string, id: string): void {
    this.owners.set(jid, id)
    if (this.owners.size > REMEMBERED) this.owners.delete(this.owners.keys().next().value!)
  }
}
