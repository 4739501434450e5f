// Parts that the docker states share: when they can be applied, reports, and refusals of the daemon as values.
import { isDict, isList, SaltError, str, type Value } from '../../../../data/mod.ts'
import type { StateDeclaration, StateReturn } from '../../../../sdk/mod.ts'

export type Given = Readonly<Record<string, Value>>

export const whenDocker: NonNullable<StateDeclaration['when']> = async ({ host }) =>
  (await host.which('docker')) !== undefined || "'docker.version' is not available."

export const report = (
  name: Value,
  result: boolean | null,
  comment: string,
  changes: StateReturn['changes'] = {},
): StateReturn => ({ name, changes, result, comment })

/** Return the value of a call, or the refusal of the daemon. */
export async function answered(call: () => Value | Promise<Value>): Promise<{ value: Value } | { refusal: string }> {
  try {
    return { value: await call() }
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return { refusal: error.message }
  }
}

/** Return the value of a call; None if the object does not exist, and a refusal for all else. */
export async function ifPresent(call: () => Value | Promise<Value>): Promise<{ value: Value } | { refusal: string }> {
  const answer = await answered(call)
  return 'refusal' in answer && answer.refusal.includes('404') ? { value: null } : answer
}

/** Return the names of a list, or of a text with commas. */
export function namesOf(value: Value): string[] {
  if (value === null) return []
  return isList(value) ? value.map(str) : str(value).split(',')
}

/** Return a dict, or a list of dicts as one dict. */
export function repacked(value: Value): Map<Value, Value> {
  if (isDict(value)) return new Map(value)
  const items = isList(value) ? value : []
  return new Map(items.flatMap((item) => (isDict(item) ? [...item] : [[item, null] as [Value, Value]])))
}
