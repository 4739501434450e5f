// What is written down about one reaction: the event, the rules and files that answered it, the calls that came of it and how
// they ended. Written when it begins, when its calls are known and as they end, so that a crash in between can be seen.
import { type Dict, isList, str, type Value } from '../data/mod.ts'
import type { ReactionStore } from '../store/mod.ts'
import type { ReactionCall } from './calls.ts'

export interface ReactionHead {
  tag: string
  data: Dict
  rules: string[]
  depth: number
  cause?: number
}

export class ReactionRecord {
  readonly id: number
  private readonly store: ReactionStore
  private readonly content: Dict
  private readonly calls: Dict[] = []
  private left = 0

  constructor(store: ReactionStore, { tag, data, rules, depth, cause }: ReactionHead) {
    this.store = store
    this.content = new Map<Value, Value>([
      ['tag', tag],
      ['data', data],
      ['rules', rules],
      ['depth', depth],
      ['cause', cause ?? null],
      ['files', []],
      ['errors', []],
      ['calls', null],
    ])
    this.id = store.begin(tag, this.content)
  }

  file(path: string, high: Dict): void {
    const known = this.content.get('files') as Value[]
    known.push(new Map<Value, Value>([['file', path]]).set('reactions', high))
  }

  error(text: string): void {
    ;(this.content.get('errors') as Value[]).push(text)
  }

  /** The entry of a call that is to be made. */
  add(call: ReactionCall, sls: Value): Dict {
    const entry = new Map<Value, Value>([
      ['id', call.id],
      ['type', call.kind],
      ['fun', call.fun],
      ['args', call.args],
      ['kwargs', new Map<Value, Value>(call.kwargs)],
    ])
    if (call.tgt !== undefined) entry.set('tgt', call.tgt).set('tgt_type', call.tgtType ?? 'glob')
    entry.set('file', sls).set('state', 'waiting')
    this.calls.push(entry)
    this.left++
    return entry
  }

  /** From here on the calls stand. */
  planned(): void {
    this.content.set('calls', this.calls)
    this.write()
  }

  begun(entry: Dict, jid: string): void {
    entry.set('jid', jid).set('state', 'running')
  }

  ended(entry: Dict, state: 'done' | 'failed', result: Value): void {
    entry.set('state', state).set(state === 'done' ? 'result' : 'error', result)
    this.left--
    if (this.content.get('calls') !== null) this.write()
  }

  private write(): void {
    this.store.update(this.id, this.content, this.left > 0)
  }
}

/** A reaction that the master ended in the middle of, and whether its calls were not made yet. */
export interface Interrupted {
  tag: string
  data: Dict
  depth: number
  isUndone: boolean
}

/** What a crash left unfinished; told in the record. */
export function closeInterrupted(store: ReactionStore): Interrupted[] {
  return store.open().map(({ id, record }) => {
    const calls = record.get('calls')
    for (const call of calls !== undefined && isList(calls) ? calls : []) {
      if (!(call instanceof Map) || !['waiting', 'running'].includes(str(call.get('state') ?? ''))) continue
      call.set('state', 'failed').set('error', 'The master ended meanwhile')
    }
    const isUndone = record.get('calls') === null
    if (isUndone) record.set('errors', ['The master ended before this was carried out; it is done again'])
    store.update(id, record, false)
    const data = record.get('data')
    return {
      tag: str(record.get('tag') ?? ''),
      data: data instanceof Map ? data : new Map(),
      depth: Number(record.get('depth') ?? 1),
      isUndone,
    }
  })
}
