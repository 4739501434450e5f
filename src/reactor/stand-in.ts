// An event that has everything, for looking at files before there is an event: whatever is asked of it gives the same again.
// Functions called in such a template answer with it too, so that nothing is done.
import type { BinaryOp, Value } from '../data/mod.ts'
import { CallableValue } from '../jinja/mod.ts'
import type { FunctionSource } from '../render/mod.ts'

const TEXT = 'event'

export class StandIn extends CallableValue {
  readonly typeName = 'dict'

  override str(): string {
    return TEXT
  }

  override repr(): string {
    return `'${TEXT}'`
  }

  override truthy(): boolean {
    return true
  }

  override getAttr(): Value {
    return this
  }

  override getItem(): Value {
    return this
  }

  override *iterate(): Iterator<Value> {
    yield this
  }

  override len(): number {
    return 1
  }

  override contains(): boolean {
    return true
  }

  override binary(_op: BinaryOp, other: Value): Value {
    return typeof other === 'string' ? other : this
  }

  override call(): Value {
    return this
  }
}

export const standIn: StandIn = new StandIn()

/** Every function there could be, none of which does anything. */
export const standInFunctions: FunctionSource = {
  has: () => true,
  hasModule: () => true,
  names: () => [],
  call: () => standIn,
}
