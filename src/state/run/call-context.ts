// The context of one call of a state function. One is created for every state of a run, so the parts of the functions'
// context are on a prototype that all calls over the same functions share, and each call has only its own fields.
import type { Log } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import type { FunctionContext, Keywords, StateContext } from '../../sdk/mod.ts'
import type { LowChunk } from '../compile/types.ts'

export interface CallFacts {
  log: Log
  test: boolean
  low: LowChunk
  running: Dict
  lowstate: readonly LowChunk[]
  env: string
  instanceId: string
  hasState: StateContext['hasState']
  callState(ctx: StateContext, name: string, kwargs: Keywords): Promise<Dict>
}

class OwnFields {
  readonly log: Log
  readonly test: boolean
  readonly low: LowChunk
  readonly running: Dict
  readonly lowstate: readonly LowChunk[]
  readonly env: string
  readonly instanceId: string
  readonly hasState: StateContext['hasState']
  readonly state: StateContext['state']

  constructor(facts: CallFacts) {
    this.log = facts.log
    this.test = facts.test
    this.low = facts.low
    this.running = facts.running
    this.lowstate = facts.lowstate
    this.env = facts.env
    this.instanceId = facts.instanceId
    this.hasState = facts.hasState
    this.state = (name, kwargs) => facts.callState(this as unknown as StateContext, name, kwargs)
  }
}

type ContextClass = new (facts: CallFacts) => StateContext

const classes = new WeakMap<FunctionContext, ContextClass>()

/** Return the class of the contexts of calls over these functions. */
export function contextClass(functions: FunctionContext): ContextClass {
  const known = classes.get(functions)
  if (known) return known
  const made = class extends OwnFields {}
  Object.assign(made.prototype, functions)
  classes.set(functions, made as unknown as ContextClass)
  return made as unknown as ContextClass
}
