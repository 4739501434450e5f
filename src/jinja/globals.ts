// The names Jinja itself puts into every template.
import { type Dict, dictUpdate, PyError, PyObject, PyRange, typeError, type Value } from '../data/mod.ts'
import { BoundMethod, CallableValue, TypeObject } from './runtime/callable.ts'
import { lipsum } from './runtime/lipsum.ts'
import { Namespace } from './runtime/namespace.ts'
import { native } from './runtime/native.ts'
import type { Kwargs } from './runtime/runtime.ts'

/** Jinja's sandbox refuses longer ranges. */
const MAX_RANGE = 100_000n

const range = native('range', ['*args'], (_rt, args: Value[]) => {
  const result = PyRange.of(...args)
  if (result.size > MAX_RANGE) {
    throw new PyError('OverflowError', `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${MAX_RANGE}).`)
  }
  return result
})

/** `dict(mapping_or_pairs, **more)`, into a dict of any class. */
function fillDict(target: Dict, name: string, args: readonly Value[], kwargs: Kwargs): Dict {
  if (args.length > 1) throw typeError(`${name} expected at most 1 argument, got ${args.length}`)
  if (args.length === 1) dictUpdate(target, args[0]!)
  for (const [key, value] of kwargs) target.set(key, value)
  return target
}

const makeDict = native('dict', ['*args', '**kwargs'], (_rt, args: Value[], kwargs: Kwargs) =>
  fillDict(new Map(), 'dict', args, kwargs),
)

const makeNamespace = native('namespace', ['*args', '**kwargs'], (_rt, args: Value[], kwargs: Kwargs) => {
  return new Namespace(fillDict(new Map(), 'dict', args, kwargs))
})

class Cycler extends PyObject {
  readonly typeName = 'Cycler'
  override readonly module = 'jinja2.utils'
  private readonly items: readonly Value[]
  private place = 0

  constructor(items: readonly Value[]) {
    super()
    this.items = items
  }

  next(): Value {
    const item = this.items[this.place]!
    this.place = (this.place + 1) % this.items.length
    return item
  }

  reset(): void {
    this.place = 0
  }

  override attrNames(): Iterable<string> {
    return ['current', 'next', 'reset', 'items', 'pos']
  }

  override getAttr(name: string): Value | undefined {
    switch (name) {
      case 'current':
        return this.items[this.place]
      case 'next':
        return new BoundMethod(this, nextItem)
      case 'reset':
        return new BoundMethod(this, resetItems)
      case 'items':
        return [...this.items]
      case 'pos':
        return this.place
      default:
        return undefined
    }
  }
}

const nextItem = native('next', ['self'], (_rt, self: Cycler) => self.next())

const resetItems = native('reset', ['self'], (_rt, self: Cycler) => {
  self.reset()
  return null
})

const makeCycler = native('cycler', ['*items'], (_rt, items: Value[]) => {
  if (!items.length) throw new PyError('RuntimeError', 'at least one item has to be provided')
  return new Cycler(items)
})

/** `joiner()`: empty at the first call, its separator at every further one. */
class Joiner extends CallableValue {
  readonly typeName = 'Joiner'
  override readonly module = 'jinja2.utils'
  private readonly separator: Value
  private used = false

  constructor(separator: Value) {
    super()
    this.separator = separator
  }

  call(): Value {
    if (this.used) return this.separator
    this.used = true
    return ''
  }
}

const makeJoiner = native('joiner', ['sep?'], (_rt, separator: Value = ', ') => new Joiner(separator))

export const builtinGlobals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['range', range],
  ['dict', new TypeObject('dict', makeDict)],
  ['lipsum', lipsum],
  ['cycler', new TypeObject('jinja2.utils.Cycler', makeCycler)],
  ['joiner', new TypeObject('jinja2.utils.Joiner', makeJoiner)],
  ['namespace', new TypeObject('jinja2.utils.Namespace', makeNamespace)],
])
