// Merges the documents of a pillar stack. The key `__` of a dict or list selects the strategy: merge last, merge first,
// overwrite or remove.
import {
  contains,
  type Dict,
  dictDelete,
  dictGet,
  dictSet,
  isList,
  PyError,
  str,
  typeName,
  type Value,
} from '../../data/mod.ts'

const STRATEGIES = ['overwrite', 'merge-first', 'merge-last', 'remove']

/** Merges a document over the stack, which is changed; takes the document apart. */
export function mergeDict(stack: Dict, document: Dict): Dict {
  const strategy = checked(document.get('__'))
  document.delete('__')
  if (strategy === 'overwrite') return withoutMarks(document) as Dict
  for (const [key, value] of document) {
    const present = dictGet(stack, key)
    if (strategy === 'remove') dictDelete(stack, key)
    else if (present === undefined) dictSet(stack, key, withoutMarks(value))
    else if (strategy === 'merge-first') dictSet(stack, key, met(withoutMarks(value), present))
    else dictSet(stack, key, met(present, value))
  }
  return stack
}

function met(present: Value, value: Value): Value {
  if (typeName(present) !== typeName(value)) return withoutMarks(value)
  if (present instanceof Map && value instanceof Map) return mergeDict(present, value)
  return isList(present) && isList(value) ? mergeList(present, value) : value
}

function mergeList(stack: Value[], list: Value[]): Value[] {
  const [first] = list
  const mark = first instanceof Map ? first.get('__') : undefined
  if (mark !== undefined) list.shift()
  const strategy = checked(mark)
  if (strategy === 'overwrite') return list
  if (strategy === 'remove') return stack.filter((item) => !contains(list, item))
  return strategy === 'merge-first' ? [...list, ...stack] : [...stack, ...list]
}

function checked(strategy: Value | undefined): string {
  if (strategy === undefined) return 'merge-last'
  if (typeof strategy === 'string' && STRATEGIES.includes(strategy)) return strategy
  const names = STRATEGIES.map((name) => `'${name}'`).join(', ')
  throw new PyError('Exception', `Unknown strategy "${str(strategy)}", should be one of (${names})`)
}

/** Without the marks for strategies, which dicts in lists keep. */
function withoutMarks(value: Value): Value {
  if (value instanceof Map) {
    value.delete('__')
    for (const [key, item] of value) value.set(key, withoutMarks(item))
    return value
  }
  if (!isList(value)) return value
  const [first] = value
  if (first instanceof Map && first.has('__')) value.shift()
  return value
}
