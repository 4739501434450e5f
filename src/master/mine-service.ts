// The mine: data that minions publish for other minions, by function.
import { WorkSlice } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { briefStr, type Dict, isDict, isList, str, textOf, truthy, type Value } from '../data/mod.ts'
import { begins } from './configured-pattern.ts'
import type { MinionTargets } from './minion-targets.ts'
import type { MasterParts } from './parts.ts'
import { rightsOf } from './peer.ts'
import type { Quotas } from './quotas.ts'

type MineParts = Pick<MasterParts, 'opts' | 'cache'>

/** Key that marks a mine entry with access restrictions. */
const ITEM = '__saltmine_acl__'
const DATA = '__data__'

/**
 * Return the requested entries of a mine. Both the mine and the request may be large, so the smaller one is iterated.
 */
function entriesOf(mine: Dict, wanted: ReadonlySet<string>): Array<[string, Value]> {
  if (mine.size < wanted.size) {
    return [...mine].flatMap(
      ([name, entry]): Array<[string, Value]> => (typeof name === 'string' && wanted.has(name) ? [[name, entry]] : []),
    )
  }
  return [...wanted].flatMap((name): Array<[string, Value]> => (mine.has(name) ? [[name, mine.get(name)!]] : []))
}

export class MineService {
  private readonly parts: MineParts
  private readonly targets: MinionTargets
  private readonly quotas: Quotas

  constructor(parts: MineParts, targets: MinionTargets, quotas: Quotas) {
    this.parts = parts
    this.targets = targets
    this.quotas = quotas
  }

  private get isKept(): boolean {
    const { opts } = this.parts
    return option(opts, 'minion_data_cache') || truthy(option(opts, 'enforce_mine_cache'))
  }

  private of(id: string): Dict {
    const kept = this.parts.cache.bank('mine').fetch(id)
    return kept !== undefined && isDict(kept) ? kept : new Map()
  }

  store(load: Dict): boolean {
    const data = load.get('data')
    if (!this.isKept) return true
    if (data === undefined || !isDict(data)) return false
    const id = str(load.get('id')!)
    const before = truthy(load.get('clear') ?? false) ? new Map<Value, Value>() : this.of(id)
    const mine = new Map([...before, ...data])
    if (!this.quotas.allowsMine(id, mine)) return false
    this.parts.cache.bank('mine').store(id, mine)
    return true
  }

  async get(load: Dict): Promise<Dict> {
    const fun = load.get('fun') ?? null
    const names = [...new Set(isList(fun) ? fun.map((name) => briefStr(name)) : briefStr(fun).split(','))]
    const isByName = isList(fun) || names.length > 1
    const asking = str(load.get('id') ?? '')
    const kind = textOf(load.get('tgt_type') ?? load.get('expr_form') ?? null) ?? 'glob'
    const found = new Map<string, Dict>(names.map((name) => [name, new Map()]))
    const allowed = names.filter((name) => this.mayGet(asking, name))
    if (allowed.length === 0) return new Map()
    const wanted = new Set(allowed)
    const minions = await this.targets.exact(asking, load.get('tgt') ?? '', kind)
    const slice = new WorkSlice()
    for (const id of minions) {
      for (const [name, entry] of entriesOf(this.of(id), wanted)) {
        const value = await this.readable(id, entry, asking)
        if (value !== undefined) found.get(name)!.set(id, value)
      }
      if (slice.isOver) await slice.next()
    }
    if (!isByName) return found.get(names[0]!)!
    return new Map([...found].filter(([, values]) => values.size > 0))
  }

  /** The option `mine_get` limits the functions whose results a minion may read. */
  private mayGet(asking: string, fun: string): boolean {
    const { opts } = this.parts
    if (!opts.has('mine_get')) return true
    return rightsOf(opts.get('mine_get')!, asking).some((pattern) => begins(pattern, fun))
  }

  /** The value, unless the minion that left it names others. */
  private async readable(owner: string, entry: Value, asking: string): Promise<Value | undefined> {
    if (!isDict(entry) || !entry.has(ITEM)) return entry
    const allowed = entry.get('allow_tgt') ?? null
    if (!truthy(allowed)) return entry.get(DATA) ?? null
    const kind = textOf(entry.get('allow_tgt_type') ?? null) ?? 'glob'
    return (await this.targets.isMeant(owner, allowed, kind, asking)) ? (entry.get(DATA) ?? null) : undefined
  }

  delete(load: Dict): boolean {
    const id = str(load.get('id')!)
    const left = new Map(this.of(id))
    left.delete(load.get('fun') ?? null)
    this.parts.cache.bank('mine').store(id, left)
    return true
  }

  flush(load: Dict): boolean {
    this.parts.cache.bank('mine').flush(str(load.get('id')!))
    return true
  }
}
