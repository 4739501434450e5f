// Python's repr of a node's value, for the error about an unhashable key. Through aliases, a short text can have an
// endless repr, so a very long one is cut.
import { quote } from '../../data/mod.ts'
import type { Node } from '../node.ts'

const CLASSES = { scalar: 'ScalarNode', sequence: 'SequenceNode', mapping: 'MappingNode' } as const
const LONGEST = 100_000

/** `str(node.value)`: a scalar's text, else the list of nodes or of pairs of nodes. */
export function contentText(node: Node): string {
  return node.kind === 'scalar' ? node.text : new NodePrinter().list(node)
}

class NodePrinter {
  private readonly open = new Set<Node>()
  private written = 0

  private node(node: Node): string {
    if (this.written > LONGEST) return '...'
    const value = node.kind === 'scalar' ? quote(node.text) : this.list(node)
    const text = `${CLASSES[node.kind]}(tag=${quote(node.tag)}, value=${value})`
    this.written += text.length - value.length + (node.kind === 'scalar' ? value.length : 0)
    return text
  }

  list(node: Node): string {
    if (this.open.has(node)) return '[...]'
    this.open.add(node)
    const parts: string[] = []
    for (let i = 0; i < node.items.length && this.written <= LONGEST; i++) {
      const item = node.items[i]!
      if (node.kind === 'sequence') parts.push(this.node(item))
      else parts.push(`(${this.node(item)}, ${this.node(node.items[++i]!)})`)
    }
    this.open.delete(node)
    return `[${parts.join(', ')}]`
  }
}
