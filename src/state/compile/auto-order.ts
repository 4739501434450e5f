// Sets `order` for every state without it, in the order in which SLS files are rendered.
import { type Dict, isIterable, type Value } from '../../data/mod.ts'
import { firstKey } from './text-key.ts'

export class AutoOrder {
  private next = 10000

  /** Number the states of one SLS and of its includes, if they have no number. */
  number(state: Dict): void {
    for (const body of state.values()) {
      // Salt gives up on an SLS at the first ID that is no collection, and reports that ID elsewhere
      if (!isIterable(body)) return
      if (!(body instanceof Map)) continue
      body.forEach((args, key) => {
        if (typeof key !== 'string' || key.startsWith('_') || !Array.isArray(args)) return
        if (!args.some(isOrder)) args.push(new Map<Value, Value>().set('order', this.next++))
      })
    }
  }
}

const isOrder = (arg: Value): boolean => arg instanceof Map && firstKey(arg) === 'order'
