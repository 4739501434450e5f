// Python's set: members by Python's equality. CPython's order of text is random, so members keep the order they came in.
import { dictDelete, dictHas, dictSet } from './dict.ts'
import { repr } from './repr.ts'
import { type Dict, PyObject, type Value } from './value.ts'

export class PySet extends PyObject {
  readonly typeName: string = 'set'
  private readonly members: Dict = new Map()

  constructor(items: Iterable<Value> = []) {
    super()
    for (const item of items) this.add(item)
  }

  add(item: Value): void {
    if (!dictHas(this.members, item)) dictSet(this.members, item, true)
  }

  /** Whether the item was there. */
  delete(item: Value): boolean {
    return dictDelete(this.members, item) !== undefined
  }

  clear(): void {
    this.members.clear()
  }

  values(): Iterable<Value> {
    return this.members.keys()
  }

  override contains(item: Value): boolean {
    return dictHas(this.members, item)
  }

  override len(): number {
    return this.members.size
  }

  override iterate(): Iterator<Value> {
    return [...this.members.keys()][Symbol.iterator]()
  }

  override repr(): string {
    if (this.members.size === 0) return 'set()'
    return `{${[...this.members.keys()].map(repr).join(', ')}}`
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
