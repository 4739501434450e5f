// Python's set and frozenset, with Python's equality. If the hashes of all members are the same in every process
// (numbers), the order is that of CPython's hash table; otherwise, the insertion order.
import { dictDelete, dictHas, dictSet } from './dict.ts'
import { PyError } from './errors.ts'
import { stableHash } from './hash.ts'
import { iterate, len } from './protocol.ts'
import { repr } from './repr.ts'
import { SetTable } from './set-table.ts'
import { type BinaryOp, type Dict, PyObject, type Value } from './value.ts'

export class PySet extends PyObject {
  readonly typeName: string = 'set'
  /** Each member under itself, so that a lookup by an equal value finds the member. */
  private readonly members: Dict = new Map()
  /** Absent once a member's hash is unknown. */
  private table: SetTable | undefined = new SetTable()

  constructor(items: Iterable<Value> = []) {
    super()
    for (const item of items) this.add(item)
  }

  /** `set(items)`. */
  static from(items: Value): PySet {
    const set = new PySet()
    set.update(items)
    return set
  }

  /** An empty set of the same type. */
  protected empty(): PySet {
    return new PySet()
  }

  copy(): PySet {
    const copy = this.empty()
    copy.merge(this)
    return copy
  }

  add(item: Value): void {
    if (dictHas(this.members, item)) return
    dictSet(this.members, item, item)
    if (this.table === undefined) return
    const hash = stableHash(item)
    if (hash === undefined) this.table = undefined
    else this.table.add(item, hash)
  }

  /** Adds all items of a set, dict or other iterable. */
  update(items: Value): void {
    if (items instanceof PySet) {
      this.merge(items)
      return
    }
    if (items instanceof Map) this.table?.reserve(items.size)
    for (const item of iterate(items)) this.add(item)
  }

  private merge(other: PySet): void {
    if (other === this) return
    if (this.table === undefined || other.table === undefined) this.table = undefined
    else this.table.merge(other.table, (key) => !dictHas(this.members, key))
    for (const item of other.values()) if (!dictHas(this.members, item)) dictSet(this.members, item, item)
  }

  /** Remove an item; return whether it was a member. */
  delete(item: Value): boolean {
    const member = dictDelete(this.members, hashable(item))
    if (member === undefined) return false
    this.table?.remove(member, stableHash(member)!)
    return true
  }

  /** Removes all items of an iterable. */
  removeAll(items: Value): void {
    if (items === this) this.clear()
    else for (const item of iterate(items)) this.delete(item)
    this.table?.sweep()
  }

  /** Remove and return the member that Python's `pop` would; undefined if the set is empty. */
  pop(): Value | undefined {
    if (this.members.size === 0) return undefined
    const member = this.table === undefined ? this.members.keys().next().value! : this.table.pop()
    dictDelete(this.members, member)
    return member
  }

  clear(): void {
    this.members.clear()
    this.table = new SetTable()
  }

  values(): Iterable<Value> {
    return this.table === undefined ? this.members.keys() : this.table.keys()
  }

  intersection(other: Value): PySet {
    const result = this.empty()
    // CPython walks the smaller of two sets
    const [walked, tested] = other instanceof PySet && other.len() <= this.len() ? [other, this] : [this, other]
    if (tested instanceof PySet) for (const item of walked.values()) tested.holds(item, result)
    else if (other instanceof PySet) for (const item of this.values()) other.holds(item, result)
    else for (const item of iterate(other)) this.holds(item, result)
    return result
  }

  private holds(item: Value, result: PySet): void {
    if (dictHas(this.members, item)) result.add(item)
  }

  difference(other: Value): PySet {
    const sized = other instanceof PySet || other instanceof Map
    if (!sized || this.len() >> 2 > len(other)) {
      const result = this.copy()
      result.removeAll(other)
      return result
    }
    const result = this.empty()
    for (const item of this.values()) {
      const there = other instanceof PySet ? other.contains(item) : dictHas(other, item)
      if (!there) result.add(item)
    }
    return result
  }

  symmetricDifference(other: Value): PySet {
    const result = this.empty()
    result.update(other)
    result.toggle(this)
    return result
  }

  /** Remove members that are also in the other set, and add its other members. */
  toggle(other: PySet): void {
    if (other === this) this.clear()
    else for (const item of other.values()) if (!this.delete(item)) this.add(item)
  }

  union(other: Value): PySet {
    const result = this.copy()
    result.update(other)
    return result
  }

  /** Return `this op other`; undefined if sets have no such operator. */
  combine(op: BinaryOp, other: Value): PySet | undefined {
    switch (op) {
      case '|':
        return this.union(other)
      case '&':
        return this.intersection(other)
      case '-':
        return this.difference(other)
      case '^':
        return this.symmetricDifference(other)
      default:
        return undefined
    }
  }

  override binary(op: BinaryOp, other: Value, reversed: boolean): Value | undefined {
    return other instanceof PySet && !reversed ? this.combine(op, other) : undefined
  }

  override contains(item: Value): boolean {
    return dictHas(this.members, hashable(item))
  }

  override len(): number {
    return this.members.size
  }

  override *iterate(): Generator<Value> {
    const size = this.members.size
    for (const item of this.values()) {
      yield item
      if (this.members.size !== size) throw new PyError('RuntimeError', 'Set changed size during iteration')
    }
  }

  override repr(): string {
    return this.members.size === 0 ? `${this.typeName}()` : `{${[...this.values()].map(repr).join(', ')}}`
  }

  override equals(other: Value): boolean {
    return other instanceof PySet && other.len() === this.len() && this.isSubset(other)
  }

  isSubset(other: PySet): boolean {
    for (const item of this.values()) if (!other.contains(item)) return false
    return true
  }

  override compare(other: Value): number | undefined {
    if (!(other instanceof PySet)) return undefined
    if (this.equals(other)) return 0
    if (this.isSubset(other)) return -1
    return other.isSubset(this) ? 1 : Number.NaN
  }

  override key(): Value | undefined {
    return undefined
  }
}

/** A set that is searched among members is converted to the equal frozenset. */
function hashable(item: Value): Value {
  return item instanceof PySet && item.key() === undefined ? PyFrozenSet.from(item) : item
}

export class PyFrozenSet extends PySet {
  override readonly typeName: string = 'frozenset'

  static override from(items: Value): PyFrozenSet {
    const set = new PyFrozenSet()
    set.update(items)
    return set
  }

  protected override empty(): PySet {
    return new PyFrozenSet()
  }

  override repr(): string {
    return this.len() === 0 ? super.repr() : `frozenset(${super.repr()})`
  }

  override key(): Value {
    return this
  }
}
