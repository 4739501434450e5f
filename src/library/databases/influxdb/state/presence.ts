// The steps of states about objects of InfluxDB that exist or do not; only the sentences differ.
import { truthy, type Value } from '../../../../data/mod.ts'
import { arg, changed, ensure, failed, type StateContext, type StateReturn, settled } from '../../../../sdk/mod.ts'

export const clientArgs = arg.open('Connection: influxdb_host, influxdb_port, influxdb_user, influxdb_password, ssl')

/** Keywords of the connection, handed on to the functions. */
export type Connection = Map<string, Value>

interface Subject {
  name: string
  /** At the start of sentences: `Database app`. */
  subject: string
  exists: () => Value | Promise<Value>
}

interface Creation extends Subject {
  create: () => Value | Promise<Value>
  /** Comment of a dry run. */
  forecast: string
}

const inside = (subject: string): string => subject.replace(/^Database/, 'database')

/** Create an object that does not exist. */
export function present(
  ctx: StateContext,
  { name, subject, exists, create, forecast }: Creation,
): Promise<StateReturn> {
  return ensure(ctx, {
    name,
    look: async () => (truthy(await exists()) ? settled(`${subject} is already present`) : 'missing'),
    foresee: () => forecast,
    act: async () => {
      if (!truthy(await create())) return failed(`Failed to create ${inside(subject)}`)
      return changed(`${subject} has been created`, { [name]: 'Present' })
    },
  })
}

interface Removal extends Subject {
  remove: () => Value | Promise<Value>
}

/** Remove an object that exists. */
export function absent(ctx: StateContext, { name, subject, exists, remove }: Removal): Promise<StateReturn> {
  return ensure(ctx, {
    name,
    look: async () => (truthy(await exists()) ? 'there' : settled(`${subject} is not present`)),
    foresee: () => `${subject} is present and needs to be removed`,
    act: async () => {
      if (!truthy(await remove())) return failed(`Failed to remove ${inside(subject)}`)
      return changed(`${subject} has been removed`, { [name]: 'Absent' })
    },
  })
}
