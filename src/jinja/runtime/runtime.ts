// The interface of a rendering for filters, tests, methods, macros and blocks.
import type { Value } from '../../data/mod.ts'
import type { JinjaErrorCode } from '../errors.ts'
import type { HintMaker, Undefined } from './undefined.ts'

export type Kwargs = Map<string, Value>

export interface Runtime {
  readonly filters: ReadonlyMap<string, Value>
  readonly tests: ReadonlyMap<string, Value>
  /** Jinja's policies, such as `json.dumps_kwargs`, `truncate.leeway`, `urlize.rel`. */
  readonly policies: ReadonlyMap<string, Value>
  readonly autoescape: boolean
  /** Minion or master options (`__opts__`), for Salt's filters. */
  readonly opts: ReadonlyMap<Value, Value>
  /** All variables of the template: the given ones, and those set at its top level. */
  variables(): ReadonlyMap<string, Value>
  /** `object.name`: attribute, then item, then an undefined value. */
  getAttr(object: Value, name: string): Value
  /** `object[key]`: item, then attribute, then an undefined value. */
  getItem(object: Value, key: Value): Value
  /** The environment's undefined value, with the hint as its message. */
  undefined(hint: string): Value
  /** The same, with a hint for the reader of the error and the kind of the error. */
  undefinedWith(message: string, hint?: HintMaker, error?: JinjaErrorCode): Undefined
  /** Applies a filter or test by name; throws Jinja's error for an unknown one. */
  filter(name: string, value: Value, args: readonly Value[], kwargs?: Kwargs): Value | Promise<Value>
  test(name: string, value: Value, args: readonly Value[], kwargs?: Kwargs): boolean
  /** Calls anything callable. */
  call(callee: Value, args: readonly Value[], kwargs?: Kwargs): Value | Promise<Value>
  /** Run a macro, block or template inside the running one, within Python's depth limit. */
  nested(run: () => string | Promise<string>): Value | Promise<Value>
}
