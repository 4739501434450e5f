// The tree that a document is before it becomes values. An alias is the very node it names, so the tree may share
// nodes and may contain itself.
import type { Value } from '../data/mod.ts'

export type NodeKind = 'scalar' | 'sequence' | 'mapping'

export class Node {
  readonly kind: NodeKind
  tag: string
  /** A scalar's text. */
  text: string
  /** A sequence's items; a mapping's keys and values in turn. */
  items: Node[]
  /** Start line, from 0. */
  readonly line: number
  readonly column: number
  /** The value it became. */
  value: Value | undefined = undefined

  constructor(kind: NodeKind, tag: string, text: string, items: Node[], line: number, column: number) {
    this.kind = kind
    this.tag = tag
    this.text = text
    this.items = items
    this.line = line
    this.column = column
  }
}

/** Scalars have no items; one frozen list serves all. */
export const NO_ITEMS: Node[] = Object.freeze([]) as unknown as Node[]
