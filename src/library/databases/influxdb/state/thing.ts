// Things of InfluxDB that are there or not: the sentences of their states differ, the steps do not.
import { str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'

export const report = (
  name: Value,
  result: boolean | null,
  comment: string,
  changes: StateReturn['changes'] = {},
): StateReturn => ({
  name,
  changes,
  result,
  comment,
})

interface Thing {
  name: Value
  /** At the start of sentences: `Database app`. */
  subject: string
  exists: () => Value | Promise<Value>
}

interface Making extends Thing {
  create: () => Value | Promise<Value>
  /** Said in a dry run. */
  foreseen: string
}

export async function made(
  ctx: StateContext,
  { name, subject, exists, create, foreseen }: Making,
): Promise<StateReturn> {
  if (truthy(await exists())) return report(name, true, `${subject} is already present`)
  if (ctx.test) return report(name, null, foreseen)
  if (!truthy(await create())) return report(name, false, `Failed to create ${lower(subject)}`)
  return report(name, true, `${subject} has been created`, { [str(name)]: 'Present' })
}

interface Removing extends Thing {
  remove: () => Value | Promise<Value>
}

export async function removed(ctx: StateContext, { name, subject, exists, remove }: Removing): Promise<StateReturn> {
  if (!truthy(await exists())) return report(name, true, `${subject} is not present`)
  if (ctx.test) return report(name, null, `${subject} is present and needs to be removed`)
  if (!truthy(await remove())) return report(name, false, `Failed to remove ${lower(subject)}`)
  return report(name, true, `${subject} has been removed`, { [str(name)]: 'Absent' })
}

const lower = (subject: string): string => subject.replace(/^Database/, 'database')
