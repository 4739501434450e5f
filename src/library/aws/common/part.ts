// States that manage several resources in order, like Salt's states for AWS: each part has a result, a comment and changes.
import { type Dict, dictFrom, isDict, truthy, type Value } from '../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../sdk/mod.ts'

/** The result of one part. */
export interface Part {
  result: boolean | null
  comment: string
  changes?: Dict
}

/** Return a dict of old and new values for `changes`. */
export const oldNew = (old: Value, now: Value): Dict => dictFrom({ old, new: now })

/** Return the old and new values of one field for `changes`. */
export const fieldChange = (name: string, old: Value, now: Value): Dict =>
  oldNew(new Map([[name, old]]), new Map([[name, now]]))

/** One change, with the comments for each result. */
export interface Deed {
  foreseen: string
  done: string
  failed: string
  act: () => Promise<Value>
  /** The applied changes. */
  changes: Dict | (() => Promise<Dict>)
}

/** Do a change, unless this is a dry run. */
export async function perform({ test }: Pick<StateContext, 'test'>, deed: Deed): Promise<Part> {
  if (test) return { result: null, comment: deed.foreseen }
  if (!truthy(await deed.act())) return { result: false, comment: deed.failed }
  const changes = typeof deed.changes === 'function' ? await deed.changes() : deed.changes
  return { result: true, comment: deed.done, changes }
}

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
  private readonly separator: string
  private readonly changes: Dict = new Map()

  constructor(separator = ' ') {
    this.separator = separator
  }

  /**
   * Add a part, and return whether the state may continue: it has not failed, and no prediction makes the next part
   * impossible.
   */
  add({ result, comment, changes = new Map() }: Part): boolean {
    mergeChanges(this.changes, changes)
    this.comment = `${this.comment}${this.separator}${comment}`
    if (!result && this.result !== false) this.result = result
    return result === true
  }

  /** Add a part, and return whether the state may continue: a dry run continues to predict the next parts. */
  addUnlessFailed(part: Part): boolean {
    return this.add(part) || part.result === null
  }

  report(name: string): StateReturn {
    return { name, result: this.result, comment: this.comment, changes: this.changes }
  }
}

/** The changes that make tags equal to the wanted ones. */
export interface TagChange {
  set: Dict
  remove: string[]
  comment: string
  changes: Dict
}

const are = (count: number): string => (count > 1 ? 's are' : ' is')

/** Compare tags with the wanted ones. Undefined if they are equal. */
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
