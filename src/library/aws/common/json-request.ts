// Requests to services that take and answer JSON documents.
import { type Dict, isDict, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import type { AwsCaller } from './caller.ts'

/** Call an action with the given parameters: null values are left out. */
export async function request(caller: AwsCaller, action: string, parameters: Record<string, Value>): Promise<Dict> {
  const given = Object.entries(parameters).filter(([, value]) => value !== null)
  const content = Object.fromEntries(given.map(([name, value]) => [name, toPlain(value)])) as Plain
  const answer = await caller.json(action, content)
  return isDict(answer) ? answer : new Map()
}
