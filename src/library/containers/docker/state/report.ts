// What the docker states share: when they can be applied, their report, and failures that are no more than answers.
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

/** What a call answers, or the daemon's refusal. */
export async function answered(call: () => Value | Promise<Value>): Promise<{ value: Value } | { refusal: string }> {
  try {
    return { value: await call() }
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return { refusal: error.message }
  }
}

/** A value of something that may not be there: None for a 404, and a refusal for all else. */
export async function ifPresent(call: () => Value | Promise<Value>): Promise<{ value: Value } | { refusal: string }> {
  const answer = await answered(call)
  return 'refusal' in answer && answer.refusal.includes('404') ? { value: null } : answer
}

/** Names of a list, or of a text with commas. */
export function namesOf(value: Value): string[] {
  if (value === null) return []
  return isList(value) ? (value as Value[]).map((item) => str(item)) : str(value).split(',')
}

/** A mapping, or a list of mappings as one. */
export function repacked(value: Value): Map<Value, Value> {
  if (isDict(value)) return new Map(value)
  const items = isList(value) ? (value as Value[]) : []
  return new Map(items.flatMap((item) => (isDict(item) ? [...item] : [[item, null] as [Value, Value]])))
}
