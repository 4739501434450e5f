// The last job and the last highstate of each minion, from the ledger of jobs. The first look goes back through the newest jobs; later
// looks read only the returns that came since.
import { type Dict, isDict, isList, truthy, type Value } from '../../data/mod.ts'
import type { MasterStores } from '../../sdk/mod.ts'
import { slices } from './slices.ts'

/** How far the first look goes back. */
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
  changed: number
  failed: number
}

/** Remembers what is dear to find out; the oldest makes room. */
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
  private readonly kinds = new Memory<boolean>()
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
    const jid = this.highstates.get(id)
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
    if (jid > (this.highstates.get(id) ?? '') && this.isHighstate(jid)) this.highstates.set(id, jid)
  }

  /** Whether a job applied the highstate, and not only tried it. */
  private isHighstate(jid: string): boolean {
    return this.kinds.get(jid, () => {
      const { jobs } = this.stores
      const fun = jobs.ledger.fact(jid)?.fun
      const load = fun !== undefined && HIGHSTATES.has(fun) ? jobs.job(jid)?.load : undefined
      return load !== undefined && isWhole(load.get('arg') ?? [], fun === 'state.highstate')
    })
  }

  private count(jid: string, id: string): Highstate | false {
    const { jobs } = this.stores
    const [data, outcome] = [jobs.returnOf(jid, id), jobs.ledger.outcomeOf(jid, id)]
    if (!data || !outcome) return false
    return { jid, when: outcome.came, ...countsOf(data) }
  }
}

/** Whether arguments of `state.apply` or `state.highstate` ask for the whole highstate, without a dry run. */
function isWhole(given: Value, isHighstate: boolean): boolean {
  const args = isList(given) ? given : [given]
  const kwargs = args.filter((arg): arg is Dict => isDict(arg) && arg.get('__kwarg__') === true)
  if (kwargs.some((kwarg) => truthy(kwarg.get('test') ?? null) || kwarg.has('mods'))) return false
  return isHighstate || args.every((arg) => isDict(arg) && arg.get('__kwarg__') === true)
}

/** How many states of a return succeeded, changed something and failed. What is no result of states counts as one failure. */
function countsOf(data: Dict): Pick<Highstate, 'succeeded' | 'changed' | 'failed'> {
  const states = data.get('return') ?? null
  if (!isDict(states)) return { succeeded: 0, changed: 0, failed: 1 }
  const results = [...states.values()].filter(isDict)
  const failed = results.filter((result) => result.get('result') === false).length
  const changed = results.filter((result) => truthy(result.get('changes') ?? null)).length
  return { succeeded: results.length - failed, changed, failed }
}
