// Finds states by name for references that are not IDs: as in Salt, any single argument whose value equals the name
// counts. Each state module is indexed at its first query, so many queries cost one walk over the high data.
import type { Dict, Value } from '../../data/mod.ts'
import { textKey } from './text-key.ts'
import type { High } from './types.ts'

export interface Found {
  id: Value
  state: string
}

export class NameIndex {
  private readonly high: High
  private readonly byState = new Map<string, Map<Value, Found[]>>()
  private bySls: Map<Value, Found[]> | undefined
  private byName: Map<Value, Found> | undefined

  constructor(high: High) {
    this.high = high
  }

  /** States that a reference `state: name` means. */
  find(name: Value, state: string, strict: boolean): Found[] {
    const body = this.high.get(name)
    if (body !== undefined && (!strict || hasKey(body, state))) return [{ id: name, state }]
    if (state === 'sls') return this.firstOfSls(name)
    return this.argumentsOf(state).get(name) ?? []
  }

  /** Every state of every ID that an SLS declares. */
  ofSls(sls: Value): Found[] {
    this.bySls ??= this.indexSls()
    return this.bySls.get(sls) ?? []
  }

  /** Return the last state with this `name` argument. */
  named(name: Value): Found | undefined {
    this.byName ??= this.indexNames()
    return this.byName.get(name)
  }

  /** Says that an argument was added to a state. */
  added(id: Value, state: string, arg: Value): void {
    const index = this.byState.get(state)
    if (index) addArgument(index, id, state, arg)
  }

  private firstOfSls(sls: Value): Found[] {
    const found: Found[] = []
    for (const [id, body] of this.high) {
      if (!(body instanceof Map) || body.get('__sls__') !== sls) continue
      for (const key of body.keys()) {
        found.push({ id, state: textKey(key) })
        break
      }
    }
    return found
  }

  private argumentsOf(state: string): Map<Value, Found[]> {
    let index = this.byState.get(state)
    if (index) return index
    index = new Map()
    for (const [id, body] of this.high) {
      const args = body instanceof Map ? body.get(state) : undefined
      if (Array.isArray(args)) for (const arg of args) addArgument(index, id, state, arg)
    }
    this.byState.set(state, index)
    return index
  }

  private indexSls(): Map<Value, Found[]> {
    const index = new Map<Value, Found[]>()
    for (const [id, body] of this.high) {
      if (!(body instanceof Map)) continue
      const sls = body.get('__sls__')
      if (sls === undefined) continue
      const found = index.get(sls) ?? []
      for (const state of statesOf(body)) found.push({ id, state })
      index.set(sls, found)
    }
    return index
  }

  private indexNames(): Map<Value, Found> {
    const index = new Map<Value, Found>()
    for (const [id, body] of this.high) {
      if (!(body instanceof Map)) continue
      for (const state of statesOf(body)) {
        const args = body.get(state)
        if (!Array.isArray(args)) continue
        for (const arg of args) {
          const name = arg instanceof Map ? arg.get('name') : undefined
          if (name !== undefined) index.set(name, { id, state })
        }
      }
    }
    return index
  }
}

const hasKey = (body: Value, key: string): boolean => body instanceof Map && body.has(key)

function addArgument(index: Map<Value, Found[]>, id: Value, state: string, arg: Value): void {
  if (!(arg instanceof Map) || arg.size !== 1) return
  for (const value of arg.values()) {
    const found = index.get(value)
    if (found) found.push({ id, state })
    else index.set(value, [{ id, state }])
  }
}

/** The state modules of an ID. */
export function statesOf(body: Dict): string[] {
  return [...body.keys()].map(textKey).filter((key) => !key.startsWith('__'))
}
