// The dependencies between states: references by module and name, by ID, by SLS and by glob become edges of the graph.
import { didYouMean, type Log } from '../../base/mod.ts'
import { dictFrom, PyError, str, typeName, type Value } from '../../data/mod.ts'
import { addEdge, findCycle, type GraphNode, newNode } from './graph.ts'
import { GRAPH_REQUISITES, REQUISITE_TYPES, type RequisiteType } from './keywords.ts'
import { lowTag } from './low-tag.ts'
import { References } from './references.ts'
import type { LowChunk } from './types.ts'

const TRIAL = '_|-__prereq_test__'
const NOTHING: ReadonlyArray<readonly [RequisiteType, LowChunk]> = []

/** A reference to a missing state, with Salt's message. */
export interface WrongReference {
  text: string
  reference: Value
  /** A similar name. */
  hint?: string | undefined
}

export class Dependencies {
  readonly nodes = new Map<string, GraphNode>()
  /** Created for the first requisite. All states are known by then. */
  private references: References | undefined

  add(low: LowChunk, mayAggregate: boolean): GraphNode {
    const tag = lowTag(low)
    const state = str(low.get('state')!)
    let node = this.nodes.get(tag)
    if (node) node.chunk = low
    else {
      node = newNode(tag, state, low)
      this.nodes.set(tag, node)
    }
    node.mayAggregate = mayAggregate
    this.references = undefined
    return node
  }

  /** Add the requisites of a chunk; return the first error, if any. */
  addRequisites(low: LowChunk, disabled: readonly Value[], log: Log): WrongReference | undefined {
    if (!REQUISITE_TYPES.some((type) => low.has(type))) return undefined
    const node = this.nodes.get(lowTag(low))!
    for (const type of GRAPH_REQUISITES) {
      const references = low.get(type)
      if (!Array.isArray(references) || references.length === 0) continue
      if (disabled.includes(type)) {
        log('warning', `The ${type} requisite has been disabled, Ignoring.`)
        continue
      }
      for (const reference of references) {
        const text = this.addReference(node, type, reference)
        if (text !== undefined) return { text, reference, hint: this.near(reference) }
      }
    }
    return undefined
  }

  private addReference(node: GraphNode, type: RequisiteType, reference: Value): string | undefined {
    const [key, value] = parts(reference)
    if (value === null) return undefined
    const low = node.chunk!
    const where = `in state [${str(low.get('name')!)}] in SLS [${str(low.get('__sls__') ?? null)}]`
    if (typeof value !== 'string') return `Requisite [${type}: ${key}] ${where} must have a string as the value`
    this.references ??= new References([...this.nodes.values()].filter(({ tag }) => !tag.endsWith(TRIAL)))
    const found = this.references.find(key, value)
    if (found === undefined)
      return `Referenced state does not exist for requisite [${type}: (${key}: ${value})] ${where}`
    for (const states of found) for (const required of states) this.require(node, required, type)
    return undefined
  }

  private near(reference: Value): string | undefined {
    const [key, value] = parts(reference)
    return typeof value === 'string' ? didYouMean(value, this.references?.names(key) ?? []) : undefined
  }

  private require(node: GraphNode, required: GraphNode, type: RequisiteType): void {
    if (type === 'prereq') {
      this.addPrereq(node, required)
      return
    }
    const trial = node.chunk!.get('__prereq__') === true ? this.trialOf(node) : undefined
    if (trial) addEdge(required, trial, type)
    addEdge(required, node, type)
  }

  private trialOf(node: GraphNode): GraphNode | undefined {
    return this.nodes.get(`${node.tag}${TRIAL}`)
  }

  /** Order `node` between a trial of `required` and its real run. The trial waits for the same states as `required`. */
  private addPrereq(node: GraphNode, required: GraphNode): void {
    node.chunk!.set('__prerequiring__', true)
    required.chunk!.set('__prereq__', true)
    let trial = this.trialOf(required)
    if (!trial) {
      trial = newNode(`${required.tag}${TRIAL}`, required.state, required.chunk!)
      this.nodes.set(trial.tag, trial)
      for (const [before, types] of required.before) {
        for (const type of types) if (type !== 'prereq') addEdge(before, trial, type)
      }
    }
    addEdge(trial, node, 'prereq')
    addEdge(node, required, 'require')
    const ownTrial = this.trialOf(node)
    if (ownTrial) addEdge(trial, ownTrial, 'prereq')
  }

  /** Return the chunks that a chunk waits for; during its trial, those of the trial. */
  of(low: LowChunk, tag = lowTag(low)): ReadonlyArray<readonly [RequisiteType, LowChunk]> {
    const node = this.nodes.get(low.get('__prereq__') === true ? `${tag}${TRIAL}` : tag)
    if (!node || node.before.size === 0) return NOTHING
    const all: Array<[RequisiteType, LowChunk]> = []
    for (const [before, types] of node.before) {
      for (const type of types) {
        if (before.chunk) all.push([type, before.chunk])
        else for (const member of before.members ?? []) all.push([type, member.chunk!])
      }
    }
    return all
  }

  /** The chunks that may run in one call with this one. */
  aggregateOf(low: LowChunk): LowChunk[] {
    const members = this.nodes.get(lowTag(low))?.aggregate?.members
    return members ? Array.from(members, ({ chunk }) => chunk!) : []
  }

  /** Return a cycle of requisites in Salt's notation. */
  cycle(): { text: string; first: Value | undefined } {
    const edges = findCycle(this.nodes.values())
    const text = edges
      .map(({ from, to, type }) => {
        // the edges that a prereq makes are shown as the prereq
        const shown = type === 'require' && !to.chunk!.has('require') ? 'prereq' : type
        return `(${shortChunk(to.chunk!)}, '${shown}', ${shortChunk(from.chunk!)})`
      })
      .join(', ')
    return { text, first: edges[0]?.to.chunk?.get('__id__') }
  }
}

/** A reference as module and name: text alone is an ID, and a function behind the module does not matter. */
function parts(reference: Value): [key: string, value: Value] {
  if (typeof reference === 'string') return ['id', reference]
  if (reference instanceof Map) {
    for (const [key, value] of reference) return [str(key).split('.')[0]!, value]
  }
  throw new PyError('AttributeError', `'${typeName(reference)}' object has no attribute 'items'`)
}

function shortChunk(chunk: LowChunk): string {
  const shown = dictFrom({ SLS: chunk.get('__sls__') ?? null, ID: chunk.get('__id__') ?? null })
  if (chunk.get('__id__') !== chunk.get('name')) shown.set('NAME', chunk.get('name') ?? null)
  return str(shown)
}
