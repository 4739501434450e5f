// A stand-in event for checks of files without a real event: every attribute, item and call of it returns the stand-in.
// Functions that such a template calls return it too, so that nothing is executed.
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

/** A source with every function name; the functions do nothing. */
export const standInFunctions: FunctionSource = {
  has: () => true,
  hasModule: () => true,
  names: () => [],
  call: () => standIn,
}
