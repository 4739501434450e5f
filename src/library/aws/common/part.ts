// States that look after several things one after another, as Salt's states for AWS do: each part has a result, a comment and changes.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import type { StateReturn } from '../../../sdk/mod.ts'

/** What became of one part. */
export interface Part {
  result: boolean | null
  comment: string
  changes?: Dict
}

/** Return a dict of old and new values, as `changes` has them. */
export const oldNew = (old: Value, now: Value): Dict =>
  new Map<Value, Value>([
    ['old', old],
    ['new', now],
  ])

/** Put changes over others, level by level. */
function mergeChanges(into: Dict, changes: Dict): Dict {
  for (const [key, value] of changes) {
    const known = into.get(key) ?? null
    into.set(key, isDict(known) && isDict(value) ? mergeChanges(new Map(known), value) : value)
  }
  return into
}

/** The parts of a state so far. */
export class Parts {
  private result: boolean | null = true
  private comment = ''
  private readonly changes: Dict = new Map()

  /** Add a part, and return whether the state may go on: neither failed nor foreseen to lack what comes next. */
  add({ result, comment, changes = new Map() }: Part): boolean {
    mergeChanges(this.changes, changes)
    this.comment = `${this.comment} ${comment}`
    if (!result && this.result !== false) this.result = result
    return result === true
  }

  report(name: string): StateReturn {
    return { name, result: this.result, comment: this.comment, changes: this.changes }
  }
}

/** What is to be done so that tags are as wanted. */
export interface TagChange {
  set: Dict
  remove: string[]
  comment: string
  changes: Dict
}

const are = (count: number): string => (count > 1 ? 's are' : ' is')

/** Compare tags with those that are wanted. Undefined means that they are the same. */
export function compareTags(wanted: Dict, present: Dict): TagChange | undefined {
  const remove = [...present.keys()].filter((tag) => !wanted.has(tag)).map(String)
  const added = [...wanted].filter(([tag]) => !present.has(tag))
  const updated = [...wanted].filter(([tag, value]) => present.has(tag) && String(present.get(tag)) !== String(value))
  const set = [...added, ...updated]
  if (remove.length + set.length === 0) return undefined
  const listed = (tags: [Value, Value][]): string => tags.map(([tag]) => String(tag)).join(', ')
  const lines = [
    remove.length > 0 ? `The following tag${are(remove.length)} set to be removed: ${remove.join(', ')}.` : '',
    added.length > 0 ? `The following tag${are(added.length)} set to be added: ${listed(added)}.` : '',
    updated.length > 0
      ? `The following tag ${updated.length > 1 ? 'values are' : 'value is'} set to be updated: ${listed(updated)}.`
      : '',
  ]
  const lost = [...remove, ...updated.map(([tag]) => tag)].map((tag): [Value, Value] => [tag, present.get(tag)!])
  const changes: Dict = new Map<Value, Value>([['old', new Map([['tags', new Map(lost)]])]])
  if (set.length > 0) changes.set('new', new Map([['tags', new Map(set)]]))
  return { set: new Map(set), remove, comment: lines.filter((line) => line !== '').join(' '), changes }
}
