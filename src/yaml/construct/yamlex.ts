// The changes of `yamlex`: every map is ordered and merges duplicate keys, `!aggregate` values join, `!reset` keys
// start anew. As in Salt, maps are built at once and lists later: an untagged list under a duplicate key is copied
// before it is filled, and stays empty.
import {
  AggregateList,
  AggregateMap,
  aggregate,
  type Dict,
  dictGet,
  dictSet,
  intFromText,
  OrderedDict,
  PyError,
  type Value,
} from '../../data/mod.ts'
import { type Mark, YamlError } from '../errors.ts'
import { Node } from '../node.ts'
import { resolvePlain } from '../resolve.ts'
import { INT, OMAP, SEQ } from '../tags.ts'
import { Constructor, isUnhashable } from './constructor.ts'

const AGGREGATE = '!aggregate'
const RESET = '!reset'

export class YamlexConstructor extends Constructor {
  /** Whether lists, too, are filled at once. */
  private deep = false
  private readonly open = new Set<Node>()

  protected override object(node: Node, deep = false): Value {
    if (node.value !== undefined) return node.value
    if (this.open.has(node)) throw this.error(undefined, 'found unconstructable recursive node', node)
    this.open.add(node)
    const outer = this.deep
    if (deep) this.deep = true
    node.value = this.make(node)
    this.deep = outer
    this.open.delete(node)
    return node.value
  }

  protected override make(node: Node): Value {
    switch (node.tag) {
      case OMAP:
        return this.map(node)
      case INT:
        return this.int(node)
      case AGGREGATE:
        return this.aggregated(node)
      case RESET: {
        const { tag, deep } = naturalTag(node)
        return this.object(retagged(node, tag), deep)
      }
      default:
        return super.make(node)
    }
  }

  protected override later(node: Node, empty: Value): Value {
    if (!this.deep) return super.later(node, empty)
    this.fill(node, empty)
    return empty
  }

  private map(node: Node): Dict {
    if (node.kind !== 'mapping') throw this.unexpected('mapping', node)
    this.flatten(node)
    const map = new OrderedDict()
    for (let i = 0; i < node.items.length; i += 2) {
      const keyNode = node.items[i]!
      const valueNode = node.items[i + 1]!
      const reset = keyNode.tag === RESET
      if (keyNode.tag === AGGREGATE) {
        // the tag applies to the value
        valueNode.tag = AGGREGATE
        keyNode.tag = naturalTag(keyNode).tag
      }
      const key = this.object(keyNode)
      if (isUnhashable(key)) throw this.unacceptable(node, keyNode)
      const value = this.object(valueNode)
      const present = reset ? undefined : dictGet(map, key)
      dictSet(map, key, present === undefined ? value : aggregate(present, value))
    }
    return map
  }

  private unacceptable(map: Mark, key: Mark): YamlError {
    const [mapAt, keyAt] = [this.where(map), this.where(key)]
    return new YamlError('ConstructorError', `While constructing a mapping ${mapAt} found unacceptable key ${keyAt}`)
  }

  /** Always decimal. */
  private int(node: Node): number | bigint {
    if (node.kind !== 'scalar') throw new PyError('AttributeError', "'list' object has no attribute 'startswith'")
    const decimal = /^0[^bx]/.test(node.text) ? node.text.replace(/^0+/, '') || '0' : node.text
    return intFromText(decimal)
  }

  private aggregated(node: Node): Value {
    const { tag, deep } = naturalTag(node)
    const value = this.object(retagged(node, tag), deep)
    if (value === null) return new AggregateList()
    if (tag === OMAP) return new AggregateMap(value as Dict)
    const list = new AggregateList()
    if (tag === SEQ) for (const item of value as Value[]) list.push(item)
    else list.push(value)
    return list
  }
}

/** The tag the node would have without its own, and whether all in it is built at once. */
function naturalTag(node: Node): { tag: string; deep: boolean } {
  if (node.kind === 'scalar') return { tag: resolvePlain(node.text), deep: false }
  return { tag: node.kind === 'sequence' ? SEQ : OMAP, deep: true }
}

const retagged = (node: Node, tag: string): Node =>
  new Node(node.kind, tag, node.text, node.items, node.line, node.column)
