// Jinja's undefined values: what a missing name, attribute or item evaluates to. Salt renders with the strict kind,
// which fails on any use but `is defined`, `default` and being passed along.
import { PyObject, type Value } from '../../data/mod.ts'
import { JinjaError } from '../errors.ts'

export class Undefined extends PyObject {
  readonly typeName: string = 'Undefined'
  readonly message: string
  /** Close names that exist, for the person reading the error. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super()
    this.message = message
    this.hint = hint
  }

  fail(): never {
    throw new JinjaError('UndefinedError', this.message, this.hint === undefined ? {} : { hint: this.hint })
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
