// Jinja's undefined values: the result of a missing name, attribute or item. Salt uses the strict kind, which fails on
// any use except `is defined`, `default` and passing it on.
import { type BinaryOp, PyObject, type Value } from '../../data/mod.ts'
import { JinjaError, type JinjaErrorCode } from '../errors.ts'

/** Names that exist and look like the missing one; worked out only when an error is shown. */
export type HintMaker = () => string | undefined

export class Undefined extends PyObject {
  readonly typeName: string = 'Undefined'
  override readonly module = 'jinja2.runtime'
  readonly message: string
  private readonly hint: HintMaker | undefined
  private readonly error: JinjaErrorCode

  constructor(message: string, hint?: HintMaker, error: JinjaErrorCode = 'UndefinedError') {
    super()
    this.message = message
    this.hint = hint
    this.error = error
  }

  fail(): never {
    throw new JinjaError(this.error, this.message, { hint: this.hint?.() })
  }

  override str(): string {
    return ''
  }

  override repr(): string {
    return 'Undefined'
  }

  override truthy(): boolean {
    return false
  }

  override equals(other: Value): boolean {
    return other instanceof Undefined
  }

  override iterate(): Iterator<Value> {
    return [][Symbol.iterator]()
  }

  override len(): number {
    return 0
  }

  override compare(): number | undefined {
    return this.fail()
  }

  override getAttr(name: string): Value | undefined {
    return name.startsWith('__') ? undefined : this.fail()
  }

  override getItem(): Value | undefined {
    return this.fail()
  }

  override getSlice(): Value {
    return this.fail()
  }

  override binary(_op: BinaryOp, _other: Value, _reversed: boolean): Value {
    return this.fail()
  }

  override unary(): Value {
    return this.fail()
  }
}

export class StrictUndefined extends Undefined {
  override readonly typeName = 'StrictUndefined'

  override str(): string {
    return this.fail()
  }

  override truthy(): boolean {
    return this.fail()
  }

  override equals(): boolean {
    return this.fail()
  }

  override iterate(): Iterator<Value> {
    return this.fail()
  }

  override len(): number {
    return this.fail()
  }

  override contains(): boolean {
    return this.fail()
  }

  override key(): Value | undefined {
    return this.fail()
  }
}
