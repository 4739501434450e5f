// Shared parts of the modules of secrets engines and auth methods.
import { type Dict, isList, str, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'
import { dataOf, type VaultAccess } from './access.ts'
import { unlessMissing } from './approles.ts'
import { vaultAccess } from './connect.ts'
import { functionError, VaultError } from './errors.ts'

/** Run `work` with the access of the caller; errors of Vault become errors of a function. */
export async function asking<T>(ctx: FunctionContext, work: (access: VaultAccess) => Promise<T>): Promise<T> {
  try {
    return await work(await vaultAccess(ctx))
  } catch (error) {
    if (error instanceof VaultError) throw functionError(error)
    throw error
  }
}

/** Return fields without omitted ones. */
export const given = (fields: Readonly<Record<string, Value>>): Dict =>
  new Map(Object.entries(fields).filter(([, value]) => value !== null))

/** Return the data at a path; null if it does not exist. */
export async function dataAt(access: VaultAccess, path: string): Promise<Dict | null> {
  const body = await unlessMissing(access.get(path))
  return body ? dataOf(body) : null
}

/** Return the items of a list, or of a text that separates them by commas; null stays null. */
export function items(value: Value): Value[] | null {
  if (value === null) return null
  if (isList(value)) return [...value]
  return str(value)
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
