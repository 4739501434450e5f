// The last job, the last highstate and the last dry run of it of each minion, from the ledger of jobs. The first look goes back through
// the newest jobs; later looks read only the returns that came since.
import { type Dict, isDict, isList, truthy, type Value } from '../../data/mod.ts'
import type { MasterStores } from '../../sdk/mod.ts'
import { slices } from './slices.ts'
import { countStates } from './state-scan.ts'

/** How many jobs the first search goes back. */
const MOST_JOBS = 20_000
const MOST_RETURNS = 500_000
const BLOCK = 500

const MOST_REMEMBERED = 50_000

const HIGHSTATES = new Set(['state.highstate', 'state.apply'])

export interface Highstate {
  jid: string
  /** Seconds since 1970. */
  when: number
  succeeded: number
  /** States that changed something, or would have without the dry run. */
  changed: number
  failed: number
}

/** The effect of a job: highstate applied, highstate as a dry run, or other. */
type Kind = 'applied' | 'tried' | 'other'

/** Cache of expensive results; the oldest is evicted. */
class Memory<T> {
  private readonly known = new Map<string, T>()

  get(key: string, find: () => T): T {
    const known = this.known.get(key)
    if (known !== undefined) return known
    const found = find()
    this.known.set(key, found)
    if (this.known.size > MOST_REMEMBERED) this.known.delete(this.known.keys().next().value!)
    return found
  }
}

export class LastReturns {
  private readonly stores: MasterStores
  private readonly jobs = new Map<string, string>()
  private readonly highstates = new Map<string, string>()
  private readonly trials = new Map<string, string>()
  private readonly kinds = new Memory<Kind>()
  private readonly counted = new Memory<Highstate | false>()
  /** The number of the last return that was looked at. */
  private number: number | undefined

  constructor(stores: MasterStores) {
    this.stores = stores
  }

  /** The id of the last job that a minion returned. */
  jobOf(id: string): string | undefined {
    return this.jobs.get(id)
  }

  highstateOf(id: string): Highstate | undefined {
    return this.countsOf(this.highstates.get(id), id)
  }

  /** The last dry run of the highstate, unless the highstate was applied since. */
  trialOf(id: string): Highstate | undefined {
    const jid = this.trials.get(id)
    return jid !== undefined && jid > (this.highstates.get(id) ?? '') ? this.countsOf(jid, id) : undefined
  }

  private countsOf(jid: string | undefined, id: string): Highstate | undefined {
    return jid === undefined ? undefined : this.counted.get(`${jid}/${id}`, () => this.count(jid, id)) || undefined
  }

  /** Take in the returns that came since. */
  async follow(ids: Iterable<string>): Promise<void> {
    const { ledger } = this.stores.jobs
    const last = ledger.lastReturn
    if (this.number === undefined || last < this.number) {
      await this.lookBack(new Set(ids))
      this.number = last
      return
    }
    const turn = slices()
    while (this.number < last) {
      const places = ledger.returnsAfter(this.number, BLOCK)
      if (places.length === 0) return
      for (const { jid, id, number } of places) {
        this.take(jid, id)
        this.number = number
        await turn()
      }
    }
  }

  private async lookBack(ids: ReadonlySet<string>): Promise<void> {
    this.jobs.clear()
    this.highstates.clear()
    this.trials.clear()
    const { ledger } = this.stores.jobs
    const turn = slices()
    let [returns, before] = [0, undefined as string | undefined]
    for (let jobs = 0; jobs < MOST_JOBS && returns < MOST_RETURNS; jobs += BLOCK) {
      const block = ledger.newest(BLOCK, before)
      for (const { jid } of block) {
        for (let after = ''; ; ) {
          const outcomes = ledger.outcomes(jid, BLOCK, after)
          for (const { id } of outcomes) this.take(jid, id)
          returns += outcomes.length
          await turn()
          if (outcomes.length < BLOCK) break
          after = outcomes.at(-1)!.id
        }
      }
      before = block.at(-1)?.jid
      const isComplete = [...ids].every((id) => this.highstates.has(id))
      if (before === undefined || block.length < BLOCK || isComplete) return
    }
  }

  private take(jid: string, id: string): void {
    if (jid > (this.jobs.get(id) ?? '')) this.jobs.set(id, jid)
    const last = this.highstates.get(id) ?? ''
    if (jid <= last) return
    const kind = this.kindOf(jid)
    if (kind === 'applied') this.highstates.set(id, jid)
    else if (kind === 'tried' && jid > (this.trials.get(id) ?? '')) this.trials.set(id, jid)
  }

  private kindOf(jid: string): Kind {
    return this.kinds.get(jid, () => {
      const { jobs } = this.stores
      const fun = jobs.ledger.fact(jid)?.fun
      const load = fun !== undefined && HIGHSTATES.has(fun) ? jobs.job(jid)?.load : undefined
      return load === undefined ? 'other' : kindOf(load.get('arg') ?? [], fun === 'state.highstate')
    })
  }

  private count(jid: string, id: string): Highstate | false {
    const { ledger } = this.stores.jobs
    const [bytes, outcome] = [ledger.bytesOf(jid, id), ledger.outcomeOf(jid, id)]
    if (!bytes || !outcome) return false
    const { succeeded, changed, failed } = countStates(bytes)
    return { jid, when: outcome.came, succeeded, changed, failed }
  }
}

/** Whether arguments of `state.apply` or `state.highstate` ask for the whole highstate, and for a dry run of it. */
function kindOf(given: Value, isHighstate: boolean): Kind {
  const args = isList(given) ? given : [given]
  const kwargs = args.filter((arg): arg is Dict => isDict(arg) && arg.get('__kwarg__') === true)
  const isWhole = isHighstate || kwargs.length === args.length
  if (!isWhole || kwargs.some((kwarg) => kwarg.has('mods'))) return 'other'
  return kwargs.some(isTrial) ? 'tried' : 'applied'
}

/** Whether keywords of a function of states ask for a dry run. */
export const isTrial = (kwarg: Dict): boolean => truthy(kwarg.get('test') ?? null)
