// What Python iterates only once: the generators that `map`, `select` and their kin give, and the iterators of
// `reversed()`. Work is done while the template iterates, so a failing item fails there and not earlier.
import { PyObject, type Value } from '../../data/mod.ts'

let lastAddress = 0x7f3a5c2b0000

/** A number that looks like the address CPython prints; each object gets its own. */
function nextAddress(): string {
  lastAddress += 0x40
  return `0x${lastAddress.toString(16)}`
}

export class PyIterator extends PyObject {
  readonly typeName: string
  /** What repr puts after the type's name: the function of a generator. */
  private readonly label: string
  private readonly items: Iterator<Value>
  private address: string | undefined

  constructor(typeName: string, items: Iterable<Value>, label = '') {
    super()
    this.typeName = typeName
    this.label = label
    this.items = items[Symbol.iterator]()
  }

  override iterate(): Iterator<Value> {
    // without `return`, so that a loop that stops early leaves the rest for the next one, as in Python
    return { next: () => this.items.next() }
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
