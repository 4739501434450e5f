// The references of requisites: by module and name or ID, by ID only, by SLS, and by glob.
import { compileGlob, type Value } from '../../data/mod.ts'
import type { GraphNode } from './graph.ts'

const GLOB = /[*?[\]]/

export class References {
  /** Module (or `id`) → name or ID → states. */
  private readonly byReference = new Map<string, Map<string, Set<GraphNode>>>()
  private readonly bySls = new Map<string, Set<GraphNode>>()
  private readonly globbed = new Map<string, Array<Set<GraphNode>>>()

  constructor(nodes: Iterable<GraphNode>) {
    for (const node of nodes) if (node.chunk) this.add(node, node.chunk)
  }

  private add(node: GraphNode, low: ReadonlyMap<Value, Value>): void {
    const id = low.get('__id__')!
    const name = low.get('name')!
    this.refer(node.state, name, node)
    this.refer(node.state, id, node)
    this.refer('id', id, node)
    this.refer('id', name, node)
    const from = low.get('__sls_included_from__')
    for (const sls of [low.get('__sls__'), ...(Array.isArray(from) ? from : [])]) {
      if (typeof sls === 'string' && sls !== '') setOf(this.bySls, sls).add(node)
    }
  }

  private refer(type: string, name: Value, node: GraphNode): void {
    if (typeof name !== 'string') return
    let names = this.byReference.get(type)
    if (!names) {
      names = new Map()
      this.byReference.set(type, names)
    }
    setOf(names, name).add(node)
  }

  /** Return the names that references of this kind can have. */
  names(key: string): Iterable<string> {
    return (key === 'sls' ? this.bySls : this.byReference.get(key))?.keys() ?? []
  }

  /** Return sets of states; undefined if no state matches. A glob of SLS files may match nothing. */
  find(key: string, value: string): Array<Set<GraphNode>> | undefined {
    const names = key === 'sls' ? this.bySls : this.byReference.get(key)
    if (!GLOB.test(value)) {
      const found = names?.get(value)
      return found && [found]
    }
    const slot = `${key}\0${value}`
    let found = this.globbed.get(slot)
    if (!found) {
      const matches = compileGlob(value)
      found = [...(names ?? [])].filter(([name]) => matches(name)).map(([, states]) => states)
      this.globbed.set(slot, found)
    }
    return found.length > 0 || key === 'sls' ? found : undefined
  }
}

function setOf<K, V>(sets: Map<K, Set<V>>, key: K): Set<V> {
  let set = sets.get(key)
  if (!set) {
    set = new Set()
    sets.set(key, set)
  }
  return set
}
