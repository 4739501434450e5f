// Holding packages at their version: the packages of a call, and the reports about them.
import { type Dict, dictFrom, isDict, iterate, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { type FunctionContext, option } from '../../../sdk/mod.ts'

/** Return whether changes are only to be foreseen. */
export const isDryRun = ({ opts, host }: FunctionContext): boolean => host.readOnly || option(opts, 'test')

export interface HoldCall {
  name: string | null
  pkgs: Value
  sources?: Value
}

/** Return the packages to hold or to release. */
export function holdTargets({ name, pkgs, sources = null }: HoldCall): string[] {
  if (!truthy(name) && !truthy(pkgs) && !truthy(sources))
    throw misuse('One of name, pkgs, or sources must be specified.')
  if (truthy(pkgs) && truthy(sources)) throw misuse('Only one of pkgs or sources can be specified.')
  return packageNames(truthy(pkgs) ? pkgs : truthy(sources) ? sources : [name])
}

/** Return the names in a list of names and of dicts `{name: version}`. */
export const packageNames = (list: Value): string[] =>
  Array.from(iterate(list), (item) => str(isDict(item) ? [...item.keys()][0]! : item))

/** The result of one package; `changes` are the new and the old hold. */
export type Verdict = [result: boolean | null, comment: string, changes?: readonly [fresh: string, old: string]]

/** Return a report in the form of a state for each package. */
export async function judged(names: readonly string[], judge: (name: string) => Promise<Verdict>): Promise<Dict> {
  const found: Dict = new Map()
  for (const name of names) {
    const [result, comment, change] = await judge(name)
    const changes = new Map<Value, Value>(change ? Object.entries({ new: change[0], old: change[1] }) : [])
    found.set(name, dictFrom({ name, changes, result, comment }))
  }
  return found
}
