// What minions may have other minions and the master do: `peer` and `peer_run` name functions for ids, by expressions that
// are matched from their beginning. Who may not gets an empty answer.
import { minionOrigin } from '../bus/mod.ts'
import { type MasterAccess, refreshFunctions, runMasterFunction, runners, tellNotBegun } from '../client/mod.ts'
import { compileRegex, type Dict, isDict, isList, numberOf, PyError, str, textOf, type Value } from '../data/mod.ts'
import { type MinionJob, parseInput, publishedArguments } from '../sdk/mod.ts'
import { judgedCalls, mayPublish } from './access/allowed.ts'

const NOTHING: Dict = new Map()

/** Who began which job; only they may ask for its returns. */
const REMEMBERED = 1000

/** Whether an expression of the configuration matches the beginning of a text. */
export function begins(pattern: Value, text: string): boolean {
  try {
    return compileRegex(str(pattern)).match(text) !== null
  } catch (error) {
    // an expression that cannot be read names nobody
    if (error instanceof PyError) return false
    throw error
  }
}

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
  /** Whom a publication of a minion would reach; undefined when that must not be answered. */
  reached(asking: string, target: Value, kind: string): string[] | undefined
  /** Whom a target of the configuration means. */
  covered(target: Value): string[]
}

export class Peers {
  private readonly access: MasterAccess
  private readonly owners = new Map<string, string>()
  /** Which minions a target means. */
  private readonly covers: (target: string, minions: readonly string[]) => boolean
  private readonly targets: PeerTargets

  constructor(access: MasterAccess, targets: PeerTargets) {
    this.access = access
    this.targets = targets
    this.covers = (target, minions) => {
      const meant = new Set(targets.covered(target))
      return minions.every((id) => meant.has(id))
    }
  }

  /** `minion_pub`: publishes, and gives the number of the job. */
  async publish(load: Dict): Promise<Dict> {
    const job = this.allowedJob(load)
    if (!job) return NOTHING
    const published = await this.access.publish(job)
    const jid = published?.jid
    if (jid !== undefined) this.remember(jid, str(load.get('id')!))
    return new Map<Value, Value>([
      ['jid', jid ?? 0],
      ['minions', published?.minions ?? []],
    ])
  }

  /** `minion_publish`: publishes, and waits for the returns. */
  async publishAndWait(load: Dict): Promise<Dict> {
    const job = this.allowedJob(load)
    const published = job && (await this.access.publish(job))
    if (!published) return NOTHING
    const isFull = load.get('form') === 'full'
    const seconds = numberOf(load.get('tmo') ?? load.get('timeout') ?? 5) ?? 5
    const answer: Dict = new Map()
    for await (const { id, data } of this.access.collect(published, seconds, seconds)) {
      if (!data) continue
      const ret = data.get('return') ?? null
      answer.set(id, isFull ? new Map([...data, ['ret', ret]]) : ret)
    }
    return isFull ? (answer.set('__jid__', published.jid) as Dict) : answer
  }

  /** `pub_ret`: what has come back for a job that this minion began. */
  returns(load: Dict): Dict {
    const jid = str(load.get('jid') ?? '')
    if (this.owners.get(jid) !== str(load.get('id')!)) return NOTHING
    const found: Dict = new Map()
    for (const [id, data] of this.access.jobs.returns(jid)) {
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
    const rights = rightsOf(this.access.opts.get('peer_run') ?? null, id)
    if (!rights.some((pattern) => begins(pattern, fun))) {
      this.access.log('warning', `Minion id ${id} is not who it says it is!`)
      return NOTHING
    }
    const call = given(load)
    if (!runners.has(fun)) await refreshFunctions(this.access)
    if (!runners.has(fun)) {
      const message = `'${fun}' is not available.`
      await tellNotBegun(this.access, { fun, args: publishedArguments(call), message })
      return message
    }
    const user = textOf(this.access.opts.get('user') ?? null) || 'root'
    const caller = minionOrigin(str(load.get('id')!))
    return (await runMasterFunction(this.access, { family: 'runner', fun, ...call, user, caller })).value
  }

  /** What is to be published, if the minion may; functions that publish are never published. */
  private allowedJob(load: Dict): MinionJob | undefined {
    const { opts } = this.access
    const id = str(load.get('id')!)
    const fun = load.get('fun') ?? ''
    const calls = judgedCalls(fun, publishedArguments(given(load)))
    if (calls.some((call) => call.fun.startsWith('publish.'))) return undefined
    const target = this.target(load)
    if (!target) return undefined
    const list = rightsOf(opts.get('peer') ?? null, id)
    const minions = list.length === 0 ? undefined : this.targets.reached(id, target.tgt, target.tgtType)
    if (!minions || !mayPublish(list, calls, (name) => this.covers(name, minions))) return undefined
    return {
      ...target,
      fun,
      arg: publishedArguments(given(load)),
      ret: textOf(load.get('ret') ?? null) ?? '',
      options: new Map([['id', id]]),
    }
  }

  /** A group of nodes is a compound target under another name. */
  private target(load: Dict): { tgt: Value; tgtType: string } | undefined {
    const tgt = load.get('tgt') ?? ''
    const kind = textOf(load.get('tgt_type') ?? null) ?? 'glob'
    if (!kind.startsWith('node')) return { tgt, tgtType: kind }
    const groups = this.access.opts.get('nodegroups') ?? null
    const group = isDict(groups) ? groups.get(tgt) : undefined
    return group === undefined ? undefined : { tgt: group, tgtType: 'compound' }
  }

  private remember(jid: string, id: string): void {
    this.owners.set(jid, id)
    if (this.owners.size > REMEMBERED) this.owners.delete(this.owners.keys().next().value!)
  }
}
