// Converts high data to low chunks: one for each state of each ID, and one for each of its `names`.
import { type Dict, deepCopy, dictUpdate, equals, fnmatch, iterate, str, type Value } from '../../data/mod.ts'
import { required } from './low-tag.ts'
import { wholeKey } from './several-per-id.ts'
import { firstKey, textKey } from './text-key.ts'
import type { High, LowChunk } from './types.ts'

/** The keys that chunks inherit from their ID. */
const INHERITED = ['__sls__', '__env__', '__sls_included_from__']

export interface LowChunkOptions {
  orchestrationJid?: Value | undefined
  /** Called for each chunk; return false to leave it out. */
  accepts?: (chunk: LowChunk) => boolean
}

export function lowChunks(
  high: High,
  { orchestrationJid = null, accepts = () => true }: LowChunkOptions = {},
): LowChunk[] {
  const chunks: LowChunk[] = []
  high.forEach((body, id) => {
    if (textKey(id).startsWith('__') || !(body instanceof Map)) return
    body.forEach((run, key) => {
      if (textKey(key).startsWith('__')) return
      const whole = wholeKey(textKey(key))
      const chunk: LowChunk = new Map().set('state', whole?.module ?? key).set('name', id)
      if (orchestrationJid !== null) chunk.set('__orchestration_jid__', orchestrationJid)
      INHERITED.forEach((name) => {
        const value = body.get(name)
        if (value !== undefined) chunk.set(name, value)
      })
      chunk.set('__id__', id)
      chunksOf(chunk, id, run, whole?.fun).forEach((made) => {
        if (accepts(made)) chunks.push(made)
      })
    })
  })
  return chunks
}

function chunksOf(chunk: LowChunk, id: Value, run: Value, whole: string | undefined): LowChunk[] {
  let fun = whole
  const names = new Names()
  for (const arg of iterate(run)) {
    if (typeof arg === 'string') fun ??= arg
    else if (arg instanceof Map) takeArguments(chunk, arg, id, names)
  }
  if (fun === undefined) return []
  // a chunk without collections shares nothing with the high data
  if (names.list.length === 0) return [(isFlat(chunk) ? chunk : deepCopy(chunk)).set('fun', fun)]
  return names.list.map((entry, index) => {
    const live = deepCopy(chunk)
    if (entry instanceof Map) overlay(live, entry)
    else live.set('name', entry)
    return live.set('name_order', index + 1).set('fun', fun)
  })
}

function isFlat(chunk: LowChunk): boolean {
  let flat = true
  chunk.forEach((value) => {
    if (typeof value === 'object' && value !== null) flat = false
  })
  return flat
}

function takeArguments(chunk: LowChunk, arg: Dict, id: Value, names: Names): void {
  arg.forEach((value, key) => {
    if (key === 'names') for (const name of iterate(value)) names.add(name)
    else if (key === 'name' && typeof value !== 'string') chunk.set(key, id)
    // the module that a chunk calls is fixed
    else if (key !== 'state') chunk.set(key, value)
  })
}

function overlay(live: LowChunk, entry: Dict): void {
  const name = firstKey(entry)!
  live.set('name', name)
  for (const changes of iterate(entry.get(name)!)) dictUpdate(live, changes)
}

/** Each name once, in order; text is looked up, dicts are compared. */
class Names {
  readonly list: Value[] = []
  private texts: Set<Value> | undefined

  add(name: Value): void {
    if (typeof name === 'string') {
      this.texts ??= new Set()
      if (this.texts.has(name)) return
      this.texts.add(name)
    } else if (this.list.some((known) => equals(known, name))) return
    this.list.push(name)
  }
}

/** Return a filter that drops chunks whose function is in the grain `state_runs_disabled`, without a result. */
export function disabledFilter(grains: Dict): ((low: LowChunk) => boolean) | undefined {
  const patterns = grains.get('state_runs_disabled')
  if (!Array.isArray(patterns) || patterns.length === 0) return undefined
  const globs = patterns.map(str)
  return (low) => {
    const fun = `${str(required(low, 'state'))}.${str(required(low, 'fun'))}`
    return globs.some((glob) => fnmatch(fun, glob))
  }
}
