// YAMLEX, the YAML of Salt's `yamlex` renderer: a key may come several times, and values marked `!aggregate` join what
// came before, where others replace it; a key marked `!reset` forgets it.
import {
  AggregateList,
  AggregateMap,
  aggregate,
  dictGet,
  dictSet,
  intFromText,
  OrderedDict,
  type Value,
} from '../data/mod.ts'
import { Constructor, isUnhashable } from './construct/constructor.ts'
import { YamlError } from './errors.ts'
import { Node } from './node.ts'
import { composeSource } from './parser.ts'
import { resolvePlain } from './resolve.ts'
import { openSource } from './scan/source.ts'
import { INT, MAP, OMAP, SEQ } from './tags.ts'

const AGGREGATE = '!aggregate'
const RESET = '!reset'

class YamlexConstructor extends Constructor {
  private readonly open = new Set<Node>()

  protected override make(node: Node): Value {
    if (this.open.has(node)) throw this.error(undefined, 'found unconstructable recursive node', node)
    this.open.add(node)
    try {
      return this.madeBy(node.tag, node)
    } finally {
      this.open.delete(node)
    }
  }

  private madeBy(tag: string, node: Node): Value {
    switch (tag) {
      case AGGREGATE:
        return this.aggregated(this.object(unmarked(node)))
      case RESET:
        return this.object(unmarked(node))
      case MAP:
      case OMAP:
        return this.joinedMap(node)
      case SEQ:
        return node.items.map((item) => this.object(item))
      case INT:
        return intFromText(this.scalarText(node).replace(/^0+(?![bx]|$)/, ''))
      default:
        return super.make(node)
    }
  }

  private aggregated(value: Value): Value {
    if (value instanceof Map) return fill(new AggregateMap(), value)
    const list = new AggregateList()
    for (const item of Array.isArray(value) ? value : value === null ? [] : [value]) list.push(item)
    return list
  }

  private joinedMap(node: Node): Value {
    if (node.kind !== 'mapping') throw this.unexpected('mapping', node)
    this.flatten(node)
    const map = new OrderedDict()
    for (let i = 0; i < node.items.length; i += 2) {
      const keyNode = node.items[i]!
      const valueNode = node.items[i + 1]!
      const reset = keyNode.tag === RESET
      if (keyNode.tag === AGGREGATE) {
        valueNode.tag = AGGREGATE
        keyNode.tag = plainTag(keyNode)
      }
      const key = this.object(keyNode)
      if (isUnhashable(key)) throw this.error(undefined, 'found unacceptable key', keyNode)
      const value = this.object(valueNode)
      const present = dictGet(map, key)
      dictSet(map, key, present === undefined || reset ? value : aggregate(present, value))
    }
    return map
  }
}

function fill(map: AggregateMap, entries: Iterable<[Value, Value]>): AggregateMap {
  for (const [key, value] of entries) map.set(key, value)
  return map
}

/** The node as it would be without its mark. */
function unmarked(node: Node): Node {
  return new Node(node.kind, plainTag(node), node.text, node.items, node.line, node.column)
}

function plainTag(node: Node): string {
  return node.kind === 'scalar' ? resolvePlain(node.text) : node.kind === 'sequence' ? SEQ : MAP
}

/** Errors are those of Salt's serializer: a scanner's says no more than that there is one, and its line. */
export function loadYamlex(text: string): Value {
  const source = openSource(text)
  try {
    const root = composeSource(source)
    return root ? new YamlexConstructor(source.name).document(root) : null
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (!(error instanceof YamlError)) throw new YamlError('DeserializationError', error.message, { cause: error })
    const at = error.problemAt && { problemAt: error.problemAt }
    if (error.code !== 'ScannerError')
      throw new YamlError('DeserializationError', error.message, { ...at, cause: error })
    const line = error.problemAt?.line
    const problem = 'Unknown yaml render error'
    throw new YamlError('DeserializationError', problem, { ...at, ...(line && { line }), cause: error })
  }
}
