// Values that Python iterates only once: the generators of `map`, `select` and the like, and the iterators of
// `reversed()`. Items are computed while the template iterates, so a failing item fails there and not earlier.
import { PyObject, type Value } from '../../data/mod.ts'

let lastAddress = 0x7f3a5c2b0000

/** A number that looks like the address CPython prints; each object gets its own. */
function nextAddress(): string {
  lastAddress += 0x40
  return `0x${lastAddress.toString(16)}`
}

export class PyIterator extends PyObject {
  readonly typeName: string
  /** The text after the type's name in the repr: the function of a generator. */
  private readonly label: string
  private readonly items: Iterable<Value>
  private iterator: Iterator<Value> | undefined
  private address: string | undefined

  constructor(typeName: string, items: Iterable<Value>, label = '') {
    super()
    this.typeName = typeName
    this.label = label
    this.items = items
  }

  override iterate(): Iterator<Value> {
    const iterator = (this.iterator ??= this.items[Symbol.iterator]())
    // without `return`, so that a loop that stops early leaves the rest for the next one, as in Python
    return iterator.return === undefined ? iterator : { next: () => iterator.next() }
  }

  override repr(): string {
    this.address ??= nextAddress()
    return `<${this.typeName} object ${this.label ? `${this.label} ` : ''}at ${this.address}>`
  }
}

/** A generator made by the Python function of that name. */
export class PyGenerator extends PyIterator {
  constructor(name: string, items: Iterable<Value>) {
    super('generator', items, name)
  }
}

/** Return the items that `fill` collects at the first iteration; if it fails, the items before come first. */
export function collected(fill: (items: Value[]) => void): Iterable<Value> {
  return {
    [Symbol.iterator]: () => {
      const items: Value[] = []
      try {
        fill(items)
      } catch (error) {
        return failingAfter(items, error)
      }
      return items[Symbol.iterator]()
    },
  }
}

/** The items, and then the error. */
export function* failingAfter(items: Iterable<Value>, error: unknown): Generator<Value> {
  yield* items
  throw error
}
