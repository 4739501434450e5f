// The stored state of a batch, in the names of Salt's batch state.
import { type Dict, isDict, isList, truthy, type Value } from '../data/mod.ts'

/** Return how many minions a field of the state lists. */
export function batchCount(value: Value | undefined): number {
  if (value === undefined) return 0
  return isDict(value) ? value.size : isList(value) ? value.length : 0
}

/** Whether the batch was stopped, or no minion of it waits or works. */
export const isBatchOver = (state: Dict): boolean =>
  truthy(state.get('halted') ?? false) ||
  (batchCount(state.get('pending')) === 0 && batchCount(state.get('active')) === 0)
