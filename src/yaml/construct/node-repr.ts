// Python's repr of what a node holds; the error about a key that cannot be one shows it.
import { quote } from '../../data/mod.ts'
import type { Node } from '../node.ts'

const CLASSES = { scalar: 'ScalarNode', sequence: 'SequenceNode', mapping: 'MappingNode' } as const

/** `str(node.value)`: a scalar's text, else the list of nodes or of pairs of nodes. */
export function contentText(node: Node): string {
  return node.kind === 'scalar' ? node.text : listRepr(node, new Set())
}

function nodeRepr(node: Node, open: Set<Node>): string {
  const value = node.kind === 'scalar' ? quote(node.text) : listRepr(node, open)
  return `${CLASSES[node.kind]}(tag=${quote(node.tag)}, value=${value})`
}

function listRepr(node: Node, open: Set<Node>): string {
  if (open.has(node)) return '[...]'
  open.add(node)
  const parts: string[] = []
  if (node.kind === 'sequence') for (const item of node.items) parts.push(nodeRepr(item, open))
  else {
    for (let i = 0; i < node.items.length; i += 2) {
      parts.push(`(${nodeRepr(node.items[i]!, open)}, ${nodeRepr(node.items[i + 1]!, open)})`)
    }
  }
  open.delete(node)
  return `[${parts.join(', ')}]`
}
