// The `loop` variable. It reads one item ahead, because `loop.last` must know whether there is a next one.
import { equals, iterate, len, PyError, tuple, typeError, type Value } from '../../data/mod.ts'
import { BoundMethod, CallableValue } from './callable.ts'
import { native } from './native.ts'
import type { Kwargs, Runtime } from './runtime.ts'

export type LoopFunction = (iterable: Value, depth: number) => Value | Promise<Value>

/** Deeper than any data a recursive loop is written for. */
const DEEPEST = 450

const cycle = native('cycle', ['self', '*args'], (_rt, self: LoopContext, args: Value[]) => {
  if (!args.length) throw typeError('no items for cycling given')
  return args[self.index0 % args.length]!
})

const changed = native('changed', ['self', '*value'], (_rt, self: LoopContext, value: Value[]) =>
  self.hasChanged(value),
)

const ATTRIBUTES = [
  'index',
  'index0',
  'revindex',
  'revindex0',
  'first',
  'last',
  'length',
  'depth',
  'depth0',
  'previtem',
  'nextitem',
  'cycle',
  'changed',
]

export class LoopContext extends CallableValue {
  readonly typeName = 'LoopContext'
  override readonly module = 'jinja2.runtime'
  private readonly rt: Runtime
  private readonly iterable: Value
  /** A list is iterated by index, which includes items that are appended meanwhile; other values by their iterator. */
  private list: Value[] | undefined
  private iterator: Iterator<Value> | undefined
  private readonly recurse: LoopFunction | undefined
  private readonly depth0: number
  index0 = -1
  private count: number | undefined
  private before: Value | undefined
  private current: Value | undefined
  private after: Value | undefined
  private looked = false
  private lastChanged: Value | undefined

  constructor(rt: Runtime, iterable: Value, recurse?: LoopFunction, depth0 = 0) {
    super()
    this.rt = rt
    this.iterable = iterable
    if (Array.isArray(iterable)) this.list = iterable
    else this.iterator = iterate(iterable)[Symbol.iterator]()
    this.recurse = recurse
    this.depth0 = depth0
  }

  /** Moves to the next item; undefined at the end. */
  advance(): Value | undefined {
    const next = this.peek()
    this.looked = false
    if (next === undefined) return undefined
    this.index0++
    this.before = this.current
    this.current = next
    return next
  }

  private peek(): Value | undefined {
    if (this.looked) return this.after
    this.after = this.list ? this.list[this.index0 + 1] : this.pull()
    this.looked = true
    return this.after
  }

  private pull(): Value | undefined {
    const { done, value } = this.iterator!.next()
    return done ? undefined : value
  }

  private next(): Value {
    const next = this.peek()
    return next === undefined ? this.rt.undefined('there is no next item') : next
  }

  isLast(): boolean {
    return this.peek() === undefined
  }

  length(): number {
    if (this.count === undefined) {
      try {
        this.count = len(this.iterable)
      } catch (error) {
        if (!(error instanceof PyError)) throw error
        this.count = this.measure()
      }
    }
    return this.count
  }

  /** Counts an iterable that has no length by taking the rest of it now. */
  private measure(): number {
    const rest: Value[] = this.peek() === undefined ? [] : [this.after!]
    for (let next = this.pull(); next !== undefined; next = this.pull()) rest.push(next)
    const count = this.index0 + 1 + rest.length
    this.iterator = rest[Symbol.iterator]()
    this.looked = false
    return count
  }

  hasChanged(value: Value[]): boolean {
    const now = tuple(value)
    if (this.lastChanged !== undefined && equals(this.lastChanged, now)) return false
    this.lastChanged = now
    return true
  }

  override attrNames(): Iterable<string> {
    return ATTRIBUTES
  }

  override len(): number {
    return this.length()
  }

  override truthy(): boolean {
    return this.length() > 0
  }

  override getAttr(name: string): Value | undefined {
    switch (name) {
      case 'index':
        return this.index0 + 1
      case 'index0':
        return this.index0
      case 'revindex':
        return this.length() - this.index0
      case 'revindex0':
        return this.length() - this.index0 - 1
      case 'first':
        return this.index0 === 0
      case 'last':
        return this.isLast()
      case 'length':
        return this.length()
      case 'depth':
        return this.depth0 + 1
      case 'depth0':
        return this.depth0
      case 'previtem':
        return this.before === undefined ? this.rt.undefined('there is no previous item') : this.before
      case 'nextitem':
        return this.next()
      case 'cycle':
        return new BoundMethod(this, cycle)
      case 'changed':
        return new BoundMethod(this, changed)
      default:
        return undefined
    }
  }

  override repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.length()}>`
  }

  call(_rt: Runtime, args: readonly Value[], kwargs: Kwargs): Value | Promise<Value> {
    if (!this.recurse) throw typeError("The loop must have the 'recursive' marker to be called recursively.")
    const iterable = args.length ? args[0] : kwargs.get('iterable')
    if (iterable === undefined) {
      throw typeError("LoopContext.__call__() missing 1 required positional argument: 'iterable'")
    }
    if (this.depth0 > DEEPEST) throw new PyError('RecursionError', 'maximum recursion depth exceeded')
    return this.recurse(iterable, this.depth0 + 1)
  }
}
