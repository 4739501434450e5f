// The positions of each map, key, list and item in the text. A collection carries its node in a private field that is
// added from outside and visible only to this file: a WeakMap of all loaded data would slow down each garbage
// collection.
import { equals, type Value } from '../data/mod.ts'
import type { Node } from './node.ts'

/** From 1. */
export interface TextPosition {
  line: number
  column: number
}

class Itself {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: a subclass then puts its private field on that object
    return object
  }
}

class Placed extends Itself {
  #node: Node

  constructor(collection: object, node: Node) {
    super(collection)
    this.#node = node
  }

  static node(collection: object): Node | undefined {
    return #node in collection ? (collection as Placed).#node : undefined
  }
}

/** Remembers the nodes of all collections under the root. */
export function rememberPositions(root: Node): void {
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { value } = node
    if (typeof value !== 'object' || value === null || Placed.node(value)) continue
    new Placed(value, node)
    node.items.forEach((item) => {
      if (item.kind !== 'scalar') open.push(item)
    })
  }
}

/** Gives a copy or a merge the positions of the collection it was made from, unless it has its own. */
export function inheritPositions(from: object, to: object): void {
  const node = Placed.node(from)
  if (node && !Placed.node(to)) new Placed(to, node)
}

/** The place of a collection, or of one of its keys or items, when it was loaded with its positions. */
export function positionOf(container: Value, key?: Value): TextPosition | undefined {
  if (typeof container !== 'object' || container === null) return undefined
  const node = Placed.node(container)
  const found = node && key !== undefined ? childOf(node, key) : node
  return found && { line: found.line + 1, column: found.column + 1 }
}

/** The place of the first key of a dict that passes the test. */
export function positionOfKey(container: Value, isMeant: (key: Value) => boolean): TextPosition | undefined {
  const node = typeof container === 'object' && container !== null ? Placed.node(container) : undefined
  if (node?.kind !== 'mapping') return undefined
  for (let i = 0; i < node.items.length; i += 2) {
    const { value, line, column } = node.items[i]!
    if (value !== undefined && isMeant(value)) return { line: line + 1, column: column + 1 }
  }
  return undefined
}

/** Return the identity of a collection in its text; copies that inherited its positions share it. */
export function originOf(container: object): object | undefined {
  return Placed.node(container)
}

/** The origins of a collection and of all collections in it. */
export function originsIn(container: object): Iterable<object> {
  const root = Placed.node(container)
  // a node may be part of several others, and even of itself
  const found = new Set<Node>(root ? [root] : [])
  for (const node of found) for (const item of node.items) if (item.kind !== 'scalar') found.add(item)
  return found
}

function childOf(node: Node, key: Value): Node | undefined {
  if (node.kind === 'sequence') return typeof key === 'number' ? node.items[key] : undefined
  for (let i = 0; i < node.items.length; i += 2) {
    const { value } = node.items[i]!
    if (value === key || (value !== undefined && equals(value, key))) return node.items[i]
  }
  return undefined
}
