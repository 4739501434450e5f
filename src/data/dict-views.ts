// The results of `dict.keys()`, `.values()` and `.items()`: live views, not copies. Keys and items behave as sets.
import { equals } from './compare.ts'
import { dictEntries, dictGet, dictHas, dictKeys, dictValues } from './dict.ts'
import { iterate } from './protocol.ts'
import { repr } from './repr.ts'
import { PySet } from './set.ts'
import { type BinaryOp, type Dict, OrderedDict, PyObject, pair, Tuple, type Value } from './value.ts'

const NAMES = { keys: 'dict_keys', values: 'dict_values', items: 'dict_items' }
const ORDERED_NAMES = { keys: 'odict_keys', values: 'odict_values', items: 'odict_items' }

abstract class DictView extends PyObject {
  readonly typeName: string
  readonly dict: Dict

  constructor(kind: 'keys' | 'values' | 'items', dict: Dict) {
    super()
    this.typeName = (dict instanceof OrderedDict ? ORDERED_NAMES : NAMES)[kind]
    this.dict = dict
  }

  abstract override iterate(): Iterator<Value>

  override len(): number {
    return this.dict.size
  }

  override repr(): string {
    return `${this.typeName}(${repr([...iterate(this)])})`
  }
}

export class DictValues extends DictView {
  constructor(dict: Dict) {
    super('values', dict)
  }

  override iterate(): Iterator<Value> {
    return dictValues(this.dict)
  }
}

/** A view that can take part in set operations. */
abstract class SetView extends DictView {
  override key(): Value | undefined {
    return undefined
  }

  abstract override contains(item: Value): boolean

  override equals(other: Value): boolean {
    if (!isSetLike(other)) return false
    return other.len!() === this.len() && this.within(other)
  }

  override compare(other: Value): number | undefined {
    if (!isSetLike(other)) return undefined
    const [below, above] = [this.within(other), every(other, (item) => this.contains(item))]
    return below && above ? 0 : below ? -1 : above ? 1 : Number.NaN
  }

  private within(other: PySet | SetView): boolean {
    return every(this, (item) => other.contains(item))
  }

  override binary(op: BinaryOp, other: Value, reversed: boolean): Value | undefined {
    if (!'&|^-'.includes(op)) return undefined
    const [left, right]: [Value, Value] = reversed ? [other, this] : [this, other]
    return PySet.from(left).combine(op, right)
  }
}

const isSetLike = (value: Value): value is PySet | SetView => value instanceof PySet || value instanceof SetView

function every(items: Value, holds: (item: Value) => boolean): boolean {
  for (const item of iterate(items)) if (!holds(item)) return false
  return true
}

export class DictKeys extends SetView {
  constructor(dict: Dict) {
    super('keys', dict)
  }

  override iterate(): Iterator<Value> {
    return dictKeys(this.dict)
  }

  override contains(item: Value): boolean {
    return dictHas(this.dict, item)
  }
}

export class DictItems extends SetView {
  constructor(dict: Dict) {
    super('items', dict)
  }

  override iterate(): Iterator<Value> {
    const entries = dictEntries(this.dict)
    return {
      next(): IteratorResult<Value> {
        const step = entries.next()
        return step.done ? step : { done: false, value: pair(step.value[0], step.value[1]) }
      },
    }
  }

  override contains(item: Value): boolean {
    if (!(item instanceof Tuple) || item.length !== 2) return false
    const value = dictGet(this.dict, item[0]!)
    return value !== undefined && equals(value, item[1]!)
  }
}
