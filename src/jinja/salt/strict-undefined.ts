// Filters on whole structures first search for undefined values in them. If there are any, the result is itself
// undefined, so that `default` after it still works and the message names all of them.
import { isDict, typeError, type Value } from '../../data/mod.ts'
import { NativeFunction } from '../runtime/native.ts'
import type { Kwargs, Runtime } from '../runtime/runtime.ts'
import { StrictUndefined } from '../runtime/undefined.ts'

function collect(value: Value, seen: Set<Value>, found: StrictUndefined[]): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (value instanceof StrictUndefined) found.push(value)
  else if (Array.isArray(value)) for (const item of value) collect(item, seen, found)
  else if (isDict(value)) {
    for (const [key, item] of value) {
      collect(key, seen, found)
      collect(item, seen, found)
    }
  }
}

/** Return an undefined value for all within; undefined if there are none. */
function undefinedWithin(value: Value): StrictUndefined | undefined {
  const found: StrictUndefined[] = []
  collect(value, new Set(), found)
  if (found.length === 1) return found[0]
  return found.length === 0 ? undefined : new StrictUndefined(found.map(({ message }) => message).join('\n'))
}

class StrictFilter extends NativeFunction {
  private readonly inner: NativeFunction

  constructor(inner: NativeFunction) {
    super(inner.name, ['value', '*args', '**kwargs'], inner.body)
    this.inner = inner
  }

  override invoke(rt: Runtime, args: readonly Value[], kwargs?: Kwargs): Value | Promise<Value> {
    if (kwargs?.has('value')) throw typeError(`${this.name}() got multiple values for argument 'value'`)
    return undefinedWithin(args[0] ?? null) ?? this.inner.invoke(rt, args, kwargs)
  }
}

/** The filter, with the look for undefined values before it. */
export function strict(filter: NativeFunction): NativeFunction {
  return new StrictFilter(filter)
}
