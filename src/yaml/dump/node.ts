// The tree that a value is before it is written: a tag, a style and a content for each part. A part that occurs twice
// is one node, which gets an anchor.

export type ScalarStyle = '' | "'" | '"' | '|' | '>'

export class DumpNode {
  readonly kind: 'scalar' | 'sequence' | 'mapping'
  readonly tag: string
  /** A scalar's text. */
  readonly text: string
  /** The requested style of a scalar. */
  readonly style: ScalarStyle
  /** A sequence's items; a mapping's keys and values in turn. */
  readonly items: DumpNode[] = []
  /** Whether a collection goes between brackets. */
  flow = false
  anchor: string | undefined = undefined
  written = false

  constructor(kind: DumpNode['kind'], tag: string, text = '', style: ScalarStyle = '') {
    this.kind = kind
    this.tag = tag
    this.text = text
    this.style = style
  }
}

/** Name the nodes that occur more than once, in the order of their second occurrence. */
export function nameShared(root: DumpNode): void {
  let count = 0
  const seen = new Set<DumpNode>()
  const visit = (node: DumpNode): void => {
    if (seen.has(node)) {
      node.anchor ??= `id${String(++count).padStart(3, '0')}`
      return
    }
    seen.add(node)
    for (const item of node.items) visit(item)
  }
  visit(root)
}
