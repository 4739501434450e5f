// What filters, tests and methods may ask of the rendering they run in.
import type { Value } from '../../data/mod.ts'
import type { Kwargs, NativeFunction } from './native.ts'

export interface Runtime {
  readonly filters: ReadonlyMap<string, NativeFunction>
  readonly tests: ReadonlyMap<string, NativeFunction>
  /** Jinja's policies, such as `json.dumps_kwargs`, `truncate.leeway`, `urlize.rel`. */
  readonly policies: ReadonlyMap<string, Value>
  readonly autoescape: boolean
  /** Minion or master options (`__opts__`), for Salt's filters. */
  readonly opts: ReadonlyMap<Value, Value>
  /** Everything the template sees now: what it was given, and what it has set at its top. */
  variables(): ReadonlyMap<string, Value>
  /** `object.name`: attribute, then item, then an undefined value. */
  getAttr(object: Value, name: string): Value
  /** `object[key]`: item, then attribute, then an undefined value. */
  getItem(object: Value, key: Value): Value
  /** The environment's undefined value, with the hint as its message. */
  undefined(hint: string): Value
  /** Applies a filter or test by name; throws Jinja's error for an unknown one. */
  filter(name: string, value: Value, args: readonly Value[], kwargs?: Kwargs): Value | Promise<Value>
  test(name: string, value: Value, args: readonly Value[], kwargs?: Kwargs): boolean
  /** Calls anything callable. */
  call(callee: Value, args: readonly Value[], kwargs?: Kwargs): Value | Promise<Value>
}
