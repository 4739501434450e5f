// Holding packages at their version: which ones are meant, and the reports about them.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { type FunctionContext, option } from '../../../sdk/mod.ts'
import { misuse } from './installed.ts'

/** Whether only what would happen is to be told. */
export const isDryRun = ({ opts, host }: FunctionContext): boolean => host.readOnly || option(opts, 'test')

export interface HoldCall {
  name: Value
  pkgs: Value
  sources: Value
}

/** Which packages are to be held or let go. */
export function holdTargets({ name, pkgs, sources }: HoldCall): string[] {
  if (!truthy(name) && !truthy(pkgs) && !truthy(sources))
    throw misuse('One of name, pkgs, or sources must be specified.')
  if (truthy(pkgs) && truthy(sources)) throw misuse('Only one of pkgs or sources can be specified.')
  const list = truthy(pkgs) ? (pkgs as Value[]) : truthy(sources) ? (sources as Value[]) : [name]
  return list.map((one) => str(isDict(one) ? [...one.keys()][0]! : one))
}

/** What became of one package; `changes` are what it is now and what it was. */
export type Verdict = [result: boolean | null, comment: string, changes?: readonly [fresh: string, old: string]]

/** Reports in the form of states, by package. */
export async function judged(names: readonly string[], judge: (name: string) => Promise<Verdict>): Promise<Dict> {
  const found: Dict = new Map()
  for (const name of names) {
    const [result, comment, change] = await judge(name)
    const changes = new Map<Value, Value>(change ? Object.entries({ new: change[0], old: change[1] }) : [])
    found.set(name, new Map<Value, Value>(Object.entries({ name, changes, result, comment })))
  }
  return found
}
