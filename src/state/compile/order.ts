// The order of chunks: requisites first, then `order`, then names. Each state is visited once, so the time grows
// linearly with states and requisites.
import { compareText, float, isFloat, numberOf, str, type Value } from '../../data/mod.ts'
import type { Dependencies } from './dependencies.ts'
import { copyEdges, type GraphNode, hasPath, newNode } from './graph.ts'
import { Heap } from './heap.ts'
import { REQUISITE_WEIGHT } from './keywords.ts'
import type { LowChunk } from './types.ts'

/** Above every order that is written. */
const LAST = 1_000_000
const LARGEST_AGGREGATE = 500

interface Ranked {
  node: GraphNode
  order: number
  own: number
  label: string
}

function runsBefore(a: Ranked, b: Ranked): boolean {
  if (a.order !== b.order) return a.order < b.order
  if (a.own !== b.own) return a.own < b.own
  if (a.label !== b.label) return compareText(a.label, b.label) < 0
  return compareText(a.node.tag, b.node.tag) < 0
}

/** Return the chunks in order; undefined for a cycle of requisites. `cap` is above every numeric order. */
export function orderChunks(dependencies: Dependencies, cap: number): LowChunk[] | undefined {
  const waiting = new Map<GraphNode, number>()
  const free: Ranked[] = []
  for (const node of dependencies.nodes.values()) {
    if (node.before.size === 0) {
      free.push(rank(node, cap))
      continue
    }
    let count = 0
    for (const types of node.before.values()) count += types.size
    waiting.set(node, count)
  }
  const ready = new Heap<Ranked>(runsBefore, free)
  const ordered: GraphNode[] = []
  const groups = new Aggregates()
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    const { node } = next
    ordered.push(node)
    if (node.mayAggregate) groups.add(node)
    if (node.after.size === 0) continue
    for (const [after, types] of node.after) {
      const left = waiting.get(after)
      if (left === undefined) continue
      waiting.set(after, left - types.size)
      if (left === types.size) ready.push(rank(after, cap))
    }
  }
  return ordered.length === dependencies.nodes.size ? ordered.map(({ chunk }) => chunk!) : undefined
}

/** Return `order` as a number; keywords and invalid values get the number that they represent. */
function orderOf(chunk: LowChunk, cap: number): number {
  const given = chunk.get('order')
  const number = given === undefined ? undefined : numberOf(given)
  if (number !== undefined) return number
  const order = given === 'last' ? cap + LAST : given === 'first' ? 0 : cap
  chunk.set('order', order)
  return order
}

function rank(node: GraphNode, cap: number): Ranked {
  const chunk = node.chunk!
  let order = orderOf(chunk, cap)
  const nameOrder = numberOf(chunk.get('name_order') ?? 0) ?? 0
  chunk.delete('name_order')
  if (nameOrder > 0) {
    order += nameOrder / 10000
    chunk.set('order', float(order))
  }
  if (order < 0) {
    const isFraction = isFloat(chunk.get('order')!)
    order += cap + LAST
    chunk.set('order', isFraction ? float(order) : order)
  }
  const label = `${text(chunk, 'state')}${text(chunk, 'name')}${text(chunk, 'fun')}`
  return { node, order: Math.min(order, earliestAfter(node, cap)), own: order, label }
}

function text(chunk: LowChunk, key: string): string {
  const value = chunk.get(key) as Value
  return typeof value === 'string' ? value : str(value)
}

/** The lowest order among the states that wait on this one; requisites of less weight than one seen before do not count. */
function earliestAfter(node: GraphNode, cap: number): number {
  let earliest = Number.POSITIVE_INFINITY
  if (node.after.size === 0) return earliest
  let weight = Number.NEGATIVE_INFINITY
  for (const [after, types] of node.after) {
    for (const type of types) {
      const own = REQUISITE_WEIGHT.get(type)!
      if (weight > own) continue
      weight = own
      if (after.chunk?.has('order')) earliest = Math.min(earliest, orderOf(after.chunk, cap))
    }
  }
  return earliest
}

/** States of one module that do not wait on each other, in groups of limited size. */
class Aggregates {
  private readonly byState = new Map<string, Array<Set<GraphNode>>>()

  add(node: GraphNode): void {
    const groups = this.byState.get(node.state) ?? []
    this.byState.set(node.state, groups)
    for (const [index, group] of groups.entries()) {
      if (group.size >= LARGEST_AGGREGATE) continue
      const [first] = group as Iterable<GraphNode> as [GraphNode]
      if (hasPath(first.aggregate ?? first, node)) continue
      if (!first.aggregate) {
        first.aggregate = newNode(`__aggregate_${node.state}_${index}__`, node.state)
        first.aggregate.members = group
        copyEdges(first, first.aggregate)
      }
      copyEdges(node, first.aggregate)
      node.aggregate = first.aggregate
      group.add(node)
      return
    }
    groups.push(new Set([node]))
  }
}
