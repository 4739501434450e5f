// Converts nodes to values: PyYAML's safe constructor. Collections are created empty and filled later, level by level,
// as in PyYAML; so a document can contain itself, and the order of errors is the same.
import { type Dict, dictSet, PySet, quote, tuple, type Value } from '../../data/mod.ts'
import { type Mark, markedError, whereText, type YamlError } from '../errors.ts'
import type { Node } from '../node.ts'
import {
  BINARY,
  BOOL,
  FLOAT,
  INT,
  MAP,
  MERGE,
  NULL,
  OMAP,
  PAIRS,
  SEQ,
  SET,
  STR,
  TIMESTAMP,
  VALUE_TAG,
} from '../tags.ts'
import { BinaryFault, binaryFromScalar, boolFromScalar, floatFromScalar, intFromScalar } from './scalars.ts'
import { timestampFromScalar } from './timestamp.ts'

/** Maps that merge maps twice each double with every level; no real data has so many keys and values in one map. */
const MOST_MERGED = 1_000_000

/** Keys `<<` of one mapping: to remove each of very many of them takes long. */
const MOST_MERGES = 1000
const MAPPING_CONTEXT = 'while constructing a mapping'

export class Constructor {
  private readonly source: string
  private readonly pending: Node[] = []

  constructor(source: string) {
    this.source = source
  }

  document(root: Node): Value {
    const value = this.object(root)
    for (let i = 0; i < this.pending.length; i++) this.fill(this.pending[i]!, this.pending[i]!.value!)
    return value
  }

  /** The value of a node, the same one each time; a collection may still be empty. */
  protected object(node: Node): Value {
    if (node.value !== undefined) return node.value
    node.value = this.make(node)
    return node.value
  }

  protected make(node: Node): Value {
    switch (node.tag) {
      case STR:
        return this.scalarText(node)
      case MAP:
        return this.later(node, this.newMap())
      case SEQ:
        return this.later(node, [])
      case NULL:
        this.scalarText(node)
        return null
      case BOOL:
        return boolFromScalar(this.scalarText(node))
      case INT:
        return intFromScalar(this.scalarText(node))
      case FLOAT:
        return floatFromScalar(this.scalarText(node))
      case TIMESTAMP:
        return timestampFromScalar(this.scalarText(node))
      case BINARY:
        return this.binary(node, false)
      case SET:
        return this.later(node, new PySet())
      case OMAP:
      case PAIRS:
        return this.later(node, [])
      default:
        throw this.error(undefined, `could not determine a constructor for the tag ${quote(node.tag)}`, node)
    }
  }

  /** A collection that gets its content in its turn. */
  protected later(node: Node, empty: Value): Value {
    this.pending.push(node)
    return empty
  }

  protected newMap(): Dict {
    return new Map()
  }

  protected fill(node: Node, value: Value): void {
    if (value instanceof Map) this.fillMap(node, value)
    else if (value instanceof PySet) this.fillSet(node, value)
    else if (node.tag === OMAP) this.fillPairs(node, value as Value[], 'while constructing an ordered map')
    else if (node.tag === PAIRS) this.fillPairs(node, value as Value[], 'while constructing pairs')
    else this.fillList(node, value as Value[])
  }

  private fillList(node: Node, list: Value[]): void {
    if (node.kind !== 'sequence') throw this.unexpected('sequence', node)
    for (const item of node.items) list.push(this.object(item))
  }

  private fillSet(node: Node, set: PySet): void {
    const keys: Dict = new Map()
    this.fillMap(node, keys)
    for (const key of keys.keys()) set.add(key)
  }

  protected fillMap(node: Node, map: Dict): void {
    if (node.kind !== 'mapping') throw this.unexpected('mapping', node)
    this.flatten(node)
    const { items } = node
    for (let i = 0; i < items.length; i += 2) {
      const key = this.object(items[i]!)
      if (isUnhashable(key)) throw this.error([MAPPING_CONTEXT, node], 'found unhashable key', items[i]!)
      dictSet(map, key, this.object(items[i + 1]!))
    }
  }

  private fillPairs(node: Node, list: Value[], context: string): void {
    if (node.kind !== 'sequence') {
      throw this.error([context, node], `expected a sequence, but found ${node.kind}`, node)
    }
    for (const item of node.items) {
      if (item.kind !== 'mapping') {
        throw this.error([context, node], `expected a mapping of length 1, but found ${item.kind}`, item)
      }
      if (item.items.length !== 2) {
        const found = `expected a single mapping item, but found ${item.items.length / 2} items`
        throw this.error([context, node], found, item)
      }
      list.push(tuple([this.object(item.items[0]!), this.object(item.items[1]!)]))
    }
  }

  /**
   * Insert the pairs of `<<` before the mapping's own pairs. The merge pair is removed first: a map may merge itself.
   */
  protected flatten(node: Node): void {
    if (!hasSpecialKey(node)) return
    const merged: Node[] = []
    let merges = 0
    for (let i = 0; i < node.items.length; ) {
      const key = node.items[i]!
      if (key.tag === MERGE) {
        if (++merges > MOST_MERGES) throw this.error(undefined, 'too much to merge', key)
        const [, value] = node.items.splice(i, 2)
        this.gather(node, value!, merged)
        continue
      }
      if (key.tag === VALUE_TAG) key.tag = STR
      i += 2
    }
    if (merged.length > 0) node.items = this.combine(merged, node.items)
  }

  /** Own pairs come last and therefore override. */
  protected combine(merged: Node[], own: Node[]): Node[] {
    return [...merged, ...own]
  }

  private gather(node: Node, value: Node, merged: Node[]): void {
    if (value.kind === 'mapping') {
      this.flatten(value)
      this.append(merged, value)
      return
    }
    if (value.kind === 'scalar') {
      const found = `expected a mapping or list of mappings for merging, but found ${value.kind}`
      throw this.error([MAPPING_CONTEXT, node], found, value)
    }
    for (const item of value.items) {
      if (item.kind !== 'mapping') {
        throw this.error([MAPPING_CONTEXT, node], `expected a mapping for merging, but found ${item.kind}`, item)
      }
      this.flatten(item)
    }
    for (let i = value.items.length - 1; i >= 0; i--) this.append(merged, value.items[i]!)
  }

  private append(merged: Node[], mapping: Node): void {
    if (merged.length + mapping.items.length > MOST_MERGED) throw this.error(undefined, 'too much to merge', mapping)
    for (const item of mapping.items) merged.push(item)
  }

  /** A scalar's text, or that of the `=` key's value in a mapping. */
  protected scalarText(node: Node): string {
    if (node.kind === 'scalar') return node.text
    if (node.kind === 'mapping') {
      for (let i = 0; i < node.items.length; i += 2) {
        if (node.items[i]!.tag === VALUE_TAG) return this.scalarText(node.items[i + 1]!)
      }
    }
    throw this.unexpected('scalar', node)
  }

  protected binary(node: Node, padding: boolean): Uint8Array {
    const text = this.scalarText(node)
    try {
      return binaryFromScalar(text, padding)
    } catch (fault) {
      if (fault instanceof BinaryFault) throw this.error(undefined, fault.message, node)
      throw fault
    }
  }

  protected unexpected(wanted: string, node: Node): YamlError {
    return this.error(undefined, `expected a ${wanted} node, but found ${node.kind}`, node)
  }

  protected where(at: Mark): string {
    return whereText(this.source, at)
  }

  protected error(context: [text: string, at: Mark] | undefined, problem: string, at: Mark): YamlError {
    return markedError('ConstructorError', {
      source: this.source,
      context: context?.[0],
      contextMark: context?.[1],
      problem,
      problemMark: at,
    })
  }
}

function hasSpecialKey(node: Node): boolean {
  const { items } = node
  for (let i = 0; i < items.length; i += 2) {
    const { tag } = items[i]!
    if (tag === MERGE || tag === VALUE_TAG) return true
  }
  return false
}

/** Lists, dicts and sets cannot be keys. */
export function isUnhashable(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || value instanceof Map || value instanceof PySet
}
