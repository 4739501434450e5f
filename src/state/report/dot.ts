// The graph of requisites in the DOT language of Graphviz.
import { str, type Value } from '../../data/mod.ts'
import type { Dependencies } from '../compile/dependencies.ts'
import type { GraphNode } from '../compile/graph.ts'

export function dotText({ nodes }: Dependencies): string {
  const lines = ['digraph G {']
  const all = new Set<GraphNode>(nodes.values())
  for (const node of nodes.values()) if (node.aggregate) all.add(node.aggregate)
  for (const node of all) lines.push(`  "${node.tag}" ${attributes(node)};`)
  for (const node of all) {
    for (const [after, types] of node.after) {
      for (const type of types) lines.push(`  "${node.tag}" -> "${after.tag}" [label="${type}"];`)
    }
  }
  lines.push('}')
  return lines.join('\n')
}

function attributes({ chunk, state }: GraphNode): string {
  if (!chunk) return `[label="Aggregate ${state}", shape=box]`
  const part = (key: string): string => str((chunk.get(key) ?? null) as Value)
  const name = part('name') === part('__id__') ? '' : `\\n(${part('name')})`
  return `[label="${part('state')}.${part('fun')}\\n${part('__id__')}${name}"]`
}
