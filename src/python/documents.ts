// Large dicts that many calls see (options, grains, pillar) are sent once, and later only what changed in them. The worker
// keeps each under a number as long as it lives here.
import { type Dict, encodeMsgpack, type Value } from '../data/mod.ts'

interface Known {
  number: number
  sent: Map<Value, Value>
}

export interface DocumentSink {
  document(number: number, value: Dict): void
  patch(number: number, changed: Dict, gone: Value[]): void
  drop(number: number): void
}

/** Options hold them too; they travel as documents of their own. */
const APART: ReadonlySet<Value> = new Set(['grains', 'pillar'])

export class Documents {
  private readonly sink: DocumentSink
  private readonly known = new WeakMap<Dict, Known>()
  private readonly dropped: FinalizationRegistry<number>
  private last = 0

  constructor(sink: DocumentSink) {
    this.sink = sink
    this.dropped = new FinalizationRegistry((number) => sink.drop(number))
  }

  /** The number of a dict, which the worker now knows as it is. */
  numberOf(dict: Dict, isOptions = false): number {
    const known = this.known.get(dict)
    if (known) {
      this.update(dict, known, isOptions)
      return known.number
    }
    const number = ++this.last
    const sent = sendable(dict, isOptions)
    this.known.set(dict, { number, sent })
    this.dropped.register(dict, number)
    this.sink.document(number, sent)
    return number
  }

  /** A number without contents, for what the worker keeps itself. */
  identityOf(dict: Dict): number {
    const known = this.known.get(dict)
    if (known) return known.number
    const number = ++this.last
    this.known.set(dict, { number, sent: new Map() })
    this.dropped.register(dict, number)
    return number
  }

  private update(dict: Dict, known: Known, isOptions: boolean): void {
    const { number, sent } = known
    let changed: Dict | undefined
    for (const [key, value] of dict) {
      if (Object.is(sent.get(key), value) || (isOptions && APART.has(key))) continue
      changed ??= new Map()
      changed.set(key, value)
    }
    const gone = sent.size > dict.size || changed ? [...sent.keys()].filter((key) => !dict.has(key)) : []
    if (!changed && gone.length === 0) return
    const fresh = sendable(changed ?? new Map(), isOptions)
    for (const [key, value] of fresh) sent.set(key, value)
    for (const key of gone) sent.delete(key)
    this.sink.patch(number, fresh, gone)
  }
}

/** Without what has no form outside of this process. */
function sendable(dict: Dict, isOptions: boolean): Dict {
  const kept: Dict = new Map()
  for (const [key, value] of dict) if (!(isOptions && APART.has(key)) && canTravel(value)) kept.set(key, value)
  return kept
}

function canTravel(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return true
  try {
    encodeMsgpack(value, 'python')
    return true
  } catch {
    return false
  }
}
