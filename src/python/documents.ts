// Large dicts that many calls use (options, grains, pillar) are sent when Python first reads them, and later only their
// changes. The worker keeps each under a number as long as the dict exists in this process.
import { isAnyError, recover } from '../base/mod.ts'
import { type Dict, encodeMsgpack, type Value } from '../data/mod.ts'

interface Known {
  number: number
  isOptions: boolean
  /** The worker's copy; undefined before the first send. */
  sent?: Map<Value, Value>
}

export interface DocumentSink {
  document(number: number, value: Dict): void
  patch(number: number, changed: Dict, gone: Value[]): void
  drop(number: number): void
}

/** Parts of the options that are sent as separate documents. */
const APART: ReadonlySet<Value> = new Set(['grains', 'pillar'])

export class Documents {
  private readonly sink: DocumentSink
  private readonly known = new WeakMap<Dict, Known>()
  private readonly unsent = new Map<number, WeakRef<Dict>>()
  private readonly dropped: FinalizationRegistry<number>
  private last = 0
  private readonly apart: ReadonlySet<unknown>

  /** Options that are `withheld` are not sent. */
  constructor(sink: DocumentSink, withheld: ReadonlySet<unknown> = new Set()) {
    this.sink = sink
    this.apart = new Set([...APART, ...withheld])
    this.dropped = new FinalizationRegistry((number) => {
      this.unsent.delete(number)
      sink.drop(number)
    })
  }

  /** Return the number of a dict, after updating the worker's copy. */
  numberOf(dict: Dict, isOptions = false): number {
    const known = this.known.get(dict)
    if (known) {
      this.update(dict, known)
      return known.number
    }
    const number = this.identityOf(dict, isOptions)
    this.unsent.set(number, new WeakRef(dict))
    return number
  }

  /** Return a number without content, for data that the worker keeps itself. */
  identityOf(dict: Dict, isOptions = false): number {
    const known = this.known.get(dict)
    if (known) return known.number
    const number = ++this.last
    this.known.set(dict, { number, isOptions })
    this.dropped.register(dict, number)
    return number
  }

  /** Send the document of a number, if the worker does not have it. */
  send(number: number): void {
    const dict = this.unsent.get(number)?.deref()
    if (!dict) return
    this.unsent.delete(number)
    const known = this.known.get(dict)!
    known.sent = this.sendable(dict, known.isOptions)
    this.sink.document(number, known.sent)
  }

  private update(dict: Dict, { number, sent, isOptions }: Known): void {
    if (!sent) return
    let changed: Dict | undefined
    for (const [key, value] of dict) {
      if (Object.is(sent.get(key), value) || (isOptions && this.apart.has(key))) continue
      changed ??= new Map()
      changed.set(key, value)
    }
    const gone = sent.size > dict.size || changed ? [...sent.keys()].filter((key) => !dict.has(key)) : []
    if (!changed && gone.length === 0) return
    const fresh = this.sendable(changed ?? new Map(), isOptions)
    for (const [key, value] of fresh) sent.set(key, value)
    for (const key of gone) sent.delete(key)
    this.sink.patch(number, fresh, gone)
  }

  /** Return a dict without values that cannot be sent to another process. */
  private sendable(dict: Dict, isOptions: boolean): Dict {
    const kept: Dict = new Map()
    for (const [key, value] of dict) if (!(isOptions && this.apart.has(key)) && canTravel(value)) kept.set(key, value)
    return kept
  }
}

function canTravel(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return true
  return recover(isAnyError, false, () => {
    encodeMsgpack(value, 'python')
    return true
  })
}
