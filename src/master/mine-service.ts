// The mine: what minions leave for others to read, function by function.
import { resolveTarget } from '../client/mod.ts'
import { type Dict, isDict, isList, str, textOf, truthy, type Value } from '../data/mod.ts'
import { match } from '../match/mod.ts'
import type { MasterParts } from './parts.ts'

/** How a minion marks an entry that only some may read. */
const ITEM = '__saltmine_acl__'
const DATA = '__data__'

export class MineService {
  private readonly parts: MasterParts

  constructor(parts: MasterParts) {
    this.parts = parts
  }

  private of(id: string): Dict {
    const kept = this.parts.cache.bank('mine').fetch(id)
    return kept !== undefined && isDict(kept) ? kept : new Map()
  }

  store(load: Dict): boolean {
    const data = load.get('data')
    if (!truthy(this.parts.opts.get('minion_data_cache') ?? true)) return true
    if (data === undefined || !isDict(data)) return false
    const id = str(load.get('id')!)
    const before = truthy(load.get('clear') ?? false) ? new Map<Value, Value>() : this.of(id)
    this.parts.cache.bank('mine').store(id, new Map([...before, ...data]))
    return true
  }

  get(load: Dict): Dict {
    const fun = load.get('fun') ?? null
    const names = isList(fun) ? fun.map(str) : [...new Set(str(fun).split(','))]
    const isByName = isList(fun) || names.length > 1
    const kind = textOf(load.get('tgt_type') ?? null) ?? 'glob'
    const { minions } = resolveTarget(this.parts, load.get('tgt') ?? '', kind)
    const asking = str(load.get('id') ?? '')
    const found = new Map<string, Dict>(names.map((name) => [name, new Map()]))
    for (const id of minions) {
      const mine = this.of(id)
      for (const name of names) {
        const entry = mine.get(name)
        if (entry === undefined) continue
        const value = this.readable(entry, asking)
        if (value !== undefined) found.get(name)!.set(id, value)
      }
    }
    if (!isByName) return found.get(names[0]!)!
    return new Map([...found].filter(([, values]) => values.size > 0))
  }

  /** The value, unless the minion that left it names others. */
  private readable(entry: Value, asking: string): Value | undefined {
    if (!isDict(entry) || !entry.has(ITEM)) return entry
    const allowed = entry.get('allow_tgt') ?? null
    if (!truthy(allowed)) return entry.get(DATA) ?? null
    const kind = textOf(entry.get('allow_tgt_type') ?? null) ?? 'glob'
    const grains = this.parts.cache.bank('grains').fetch(asking)
    const subject = {
      id: asking,
      grains: grains !== undefined && isDict(grains) ? grains : new Map(),
      pillar: new Map(),
      opts: this.parts.opts,
    }
    return match(kind, allowed, subject) === true ? (entry.get(DATA) ?? null) : undefined
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
