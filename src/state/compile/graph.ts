// The graph of requisites. A node is a state, the trial run of a state for `prereq`, or several states that run as one.
// An edge leads from the required node to the node that requires it, and carries the requisite.
import type { RequisiteType } from './keywords.ts'
import type { LowChunk } from './types.ts'

export interface GraphNode {
  readonly tag: string
  /** Absent for an aggregate. */
  chunk?: LowChunk
  readonly state: string
  mayAggregate: boolean
  /** The aggregate that this state runs in. */
  aggregate?: GraphNode
  /** The states of an aggregate. */
  members?: Set<GraphNode>
  before: Edges
  after: Edges
}

type Edges = ReadonlyMap<GraphNode, Set<RequisiteType>>

/** Shared by all that have no edges, which are most. */
const NONE: Edges = new Map()

export function newNode(tag: string, state: string, chunk?: LowChunk): GraphNode {
  const node: GraphNode = { tag, state, mayAggregate: false, before: NONE, after: NONE }
  if (chunk) node.chunk = chunk
  return node
}

export function addEdge(from: GraphNode, to: GraphNode, type: RequisiteType): void {
  from.after = withEdge(from.after, to, type)
  to.before = withEdge(to.before, from, type)
}

function withEdge(edges: Edges, node: GraphNode, type: RequisiteType): Edges {
  const types = edges.get(node)
  if (types) {
    types.add(type)
    return edges
  }
  const own = edges === NONE ? new Map<GraphNode, Set<RequisiteType>>() : (edges as Map<GraphNode, Set<RequisiteType>>)
  return own.set(node, new Set([type]))
}

/** Gives a node all edges of another one. */
export function copyEdges(source: GraphNode, node: GraphNode): void {
  for (const [before, types] of source.before) for (const type of types) addEdge(before, node, type)
  for (const [after, types] of source.after) for (const type of types) addEdge(node, after, type)
}

export function hasPath(from: GraphNode, to: GraphNode): boolean {
  const visited = new Set<GraphNode>()
  const open = [from]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === to) return true
    if (visited.has(node)) continue
    visited.add(node)
    for (const next of node.after.keys()) if (!visited.has(next)) open.push(next)
  }
  return false
}

export interface GraphEdge {
  from: GraphNode
  to: GraphNode
  type: RequisiteType
}

/** A cycle as the edges that make it, or nothing. Depth first in the order of insertion, as the texts depend on it. */
export function findCycle(nodes: Iterable<GraphNode>): GraphEdge[] {
  const finished = new Set<GraphNode>()
  for (const start of nodes) {
    if (finished.has(start)) continue
    const cycle = cycleFrom(start, finished)
    if (cycle) return cycle
  }
  return []
}

interface Step {
  node: GraphNode
  edges: Iterator<[GraphNode, Set<RequisiteType>]>
  /** The edge that led here. */
  by?: GraphEdge
}

function cycleFrom(start: GraphNode, finished: Set<GraphNode>): GraphEdge[] | undefined {
  const path: Step[] = [{ node: start, edges: start.after.entries() }]
  const onPath = new Set([start])
  while (path.length > 0) {
    const step = path.at(-1)!
    const next = step.edges.next()
    if (next.done) {
      finished.add(step.node)
      onPath.delete(step.node)
      path.pop()
      continue
    }
    const [to, types] = next.value
    const edge: GraphEdge = { from: step.node, to, type: types.values().next().value! }
    if (onPath.has(to)) return [...path.slice(path.findIndex(({ node }) => node === to) + 1).map(({ by }) => by!), edge]
    if (finished.has(to)) continue
    onPath.add(to)
    path.push({ node: to, edges: to.after.entries(), by: edge })
  }
  return undefined
}
