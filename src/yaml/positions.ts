// Where in the text each map, key, list and item stood. Kept beside the values, for as long as they live, so that a
// later error about a state can name its line.
import { equals, type Value } from '../data/mod.ts'
import type { Node } from './node.ts'

/** From 1. */
export interface TextPosition {
  line: number
  column: number
}

const nodes = new WeakMap<object, Node>()

/** Remembers the nodes of all collections under the root. */
export function rememberPositions(root: Node): void {
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { value } = node
    if (typeof value !== 'object' || value === null || nodes.has(value)) continue
    nodes.set(value, node)
    for (const item of node.items) if (item.kind !== 'scalar') open.push(item)
  }
}

/** Makes a copy or a merge of a collection keep the positions of the first. */
export function inheritPositions(from: object, to: object): void {
  const node = nodes.get(from)
  if (node) nodes.set(to, node)
}

/** The place of a collection, or of one of its keys or items, when it was loaded with its positions. */
export function positionOf(container: Value, key?: Value): TextPosition | undefined {
  if (typeof container !== 'object' || container === null) return undefined
  const node = nodes.get(container)
  const found = node && key !== undefined ? childOf(node, key) : node
  return found && { line: found.line + 1, column: found.column + 1 }
}

function childOf(node: Node, key: Value): Node | undefined {
  if (node.kind === 'sequence') return typeof key === 'number' ? node.items[key] : undefined
  for (let i = 0; i < node.items.length; i += 2) {
    const { value } = node.items[i]!
    if (value === key || (value !== undefined && equals(value, key))) return node.items[i]
  }
  return undefined
}
