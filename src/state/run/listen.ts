// `listen` and `listen_in`: after all states, those that listen to a changed one react with `mod_watch`.
import { type Dict, PyError, str, truthy, typeName, type Value } from '../../data/mod.ts'
import { REQUISITE_KEYWORDS } from '../compile/keywords.ts'
import { lowTag, required } from '../compile/low-tag.ts'
import type { LowChunk } from '../compile/types.ts'
import { resultDict } from './surroundings.ts'

export interface StateListeners {
  /** Calls of `mod_watch`. */
  watchers: LowChunk[]
  /** References to states that do not exist, by tag. */
  errors: Dict
}

interface Listener {
  state: Value
  /** An ID, or a name. */
  called: Value
  to: readonly Value[]
}

export function listeners(chunks: readonly LowChunk[], running: Dict): StateListeners {
  const listening: StateListeners = { watchers: [], errors: new Map() }
  const all = [...declared(chunks)]
  if (all.length === 0) return listening
  const index = new ChunkIndex(chunks)
  for (const listener of all) {
    for (const reference of listener.to) {
      for (const [state, called] of references(reference, index)) listen(listener, state, called)
    }
  }
  return listening

  function listen(listener: Listener, state: Value, called: Value): void {
    const heard = index.find(state, called)
    if (heard.length === 0) return noSuch(state, called)
    for (const chunk of heard) {
      const result = running.get(lowTag(chunk))
      if (!(result instanceof Map) || !truthy(result.get('changes') ?? null)) continue
      const reacting = index.find(listener.state, listener.called)
      if (reacting.length === 0) noSuch(listener.state, listener.called)
      for (const low of reacting) listening.watchers.push(watcher(low))
    }
  }

  function noSuch(state: Value, called: Value): void {
    const [type, name] = [str(state), str(called)]
    listening.errors.set(
      `Listen_Error_|-listen_${name}_|-listen_${type}_|-Listen_Error`,
      resultDict([
        ['comment', `Referenced state ${type}: ${name} does not exist`],
        ['name', `listen_${type}:${name}`],
        ['result', false],
        ['changes', new Map()],
      ]),
    )
  }
}

function* declared(chunks: readonly LowChunk[]): Generator<Listener> {
  for (const chunk of chunks) {
    const state = required(chunk, 'state')
    const to = chunk.get('listen')
    if (Array.isArray(to)) yield { state, called: required(chunk, '__id__'), to }
    const reversed = chunk.get('listen_in')
    if (!Array.isArray(reversed)) continue
    for (const reference of reversed) {
      if (!(reference instanceof Map)) {
        throw new PyError('AttributeError', `'${typeName(reference)}' object has no attribute 'items'`)
      }
      const own: Value[] = [new Map([[state, required(chunk, '__id__')]])]
      for (const [type, name] of reference) yield { state: type, called: name, to: own }
    }
  }
}

function references(reference: Value, index: ChunkIndex): Iterable<[Value, Value]> {
  if (reference instanceof Map) return reference
  const chunk = index.named(reference)
  return chunk ? [[required(chunk, 'state'), required(chunk, '__id__')]] : []
}

/** The call that reacts; it waits on nothing any more. */
function watcher(chunk: LowChunk): LowChunk {
  const low: LowChunk = new Map(chunk)
  low.set('sfun', required(chunk, 'fun'))
  low.set('fun', 'mod_watch')
  low.set('__id__', `listener_${str(required(chunk, '__id__'))}`)
  for (const keyword of REQUISITE_KEYWORDS) low.delete(keyword)
  return low
}

/** Chunks by module and by ID or name; the module's own name finds all of its chunks, as in Salt. */
class ChunkIndex {
  private readonly byState = new Map<Value, Map<Value, LowChunk[]>>()
  private readonly byName = new Map<Value, LowChunk>()

  constructor(chunks: readonly LowChunk[]) {
    const unique = new Map<string, LowChunk>()
    for (const chunk of chunks) {
      unique.set(['state', '__id__', 'name'].map((key) => str(required(chunk, key))).join('\0'), chunk)
      for (const key of ['__id__', 'name']) {
        const name = required(chunk, key)
        if (!this.byName.has(name)) this.byName.set(name, chunk)
      }
    }
    for (const chunk of unique.values()) this.add(chunk)
  }

  private add(chunk: LowChunk): void {
    const state = required(chunk, 'state')
    let names = this.byState.get(state)
    if (!names) {
      names = new Map()
      this.byState.set(state, names)
    }
    for (const name of new Set([state, required(chunk, '__id__'), required(chunk, 'name')])) {
      const found = names.get(name)
      if (found) found.push(chunk)
      else names.set(name, [chunk])
    }
  }

  find(state: Value, called: Value): readonly LowChunk[] {
    return this.byState.get(state)?.get(called) ?? []
  }

  named(name: Value): LowChunk | undefined {
    return this.byName.get(name)
  }
}
