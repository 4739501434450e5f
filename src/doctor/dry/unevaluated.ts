// Stand-ins for calls in templates that are not run: calls that change something, query the machine or the network, or
// are users' own Python. Templates get a placeholder that works like any value, and the call is noted as not evaluated.
import type { BinaryOp, Value } from '../../data/mod.ts'
import { HostFunction } from '../../jinja/mod.ts'

/** The text of a value that is not known. */
export const PLACEHOLDER = 'not-evaluated'

/** Represents an unknown value. */
class Placeholder extends HostFunction {
  override readonly typeName = 'str'

  constructor(name: string) {
    super(name, () => this)
  }

  override str(): string {
    return PLACEHOLDER
  }

  override repr(): string {
    return `'${PLACEHOLDER}'`
  }

  override format(): string {
    return this.str()
  }

  override truthy(): boolean {
    return true
  }

  override getAttr(name: string): Value | undefined {
    return name.startsWith('__') ? undefined : this
  }

  override getItem(): Value {
    return this
  }

  override getSlice(): Value {
    return this
  }

  override iterate(): Iterator<Value> {
    return [][Symbol.iterator]()
  }

  override len(): number {
    return 1
  }

  override contains(): boolean {
    return false
  }

  override compare(): number {
    return 0
  }

  override binary(_op: BinaryOp, _other: Value, _reversed: boolean): Value {
    return this
  }

  override unary(): Value {
    return this
  }
}

/** Notes calls that were not evaluated. */
export class Unevaluated {
  /** How many placeholders were created. */
  count = 0
  private readonly names = new Set<string>()

  /** A placeholder for the answer of a call. */
  placeholder(name: string): Value {
    this.note(name)
    return new Placeholder(name)
  }

  note(name: string): void {
    this.count++
    this.names.add(name)
  }

  /** The names since the last time. */
  take(): string[] {
    const names = [...this.names]
    this.names.clear()
    return names
  }
}
