// What the postgres states share: how they connect, when they can be applied, and how a thing is dropped.
import { lookup } from '../../../../base/mod.ts'
import { str, truthy, type Value } from '../../../../data/mod.ts'
import {
  type Arg,
  arg,
  changed,
  ensure,
  failed,
  type StateContext,
  type StateDeclaration,
  type StateReturn,
  settled,
} from '../../../../sdk/mod.ts'

/** The arguments of a state by name. */
export type Given = Readonly<Record<string, Value>>

export const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })

const MEANING: Readonly<Record<string, Arg<Value>>> = lookup({
  user: optional('The system user that psql runs as'),
  maintenance_db: optional('The database that is connected to'),
  db_password: arg.any('The password of the role that connects', { optional: true, secret: true }),
  db_host: optional('The host, or the directory of the socket'),
  db_port: optional('The port'),
  db_user: optional('The role that connects'),
})

/** Connection parameters, in the order in which the state takes them. */
export const connectionArgs = (
  names = 'user maintenance_db db_password db_host db_port db_user',
): Record<string, Arg<Value>> => Object.fromEntries(names.split(' ').map((name) => [name, MEANING[name]!]))

/** The same connection in the words of the functions of `postgres`. */
export const connection = (given: Given): Record<string, Value> => ({
  ...('maintenance_db' in given && { maintenance_db: given['maintenance_db']! }),
  runas: given['user'] ?? null,
  host: given['db_host'] ?? null,
  user: given['db_user'] ?? null,
  port: given['db_port'] ?? null,
  password: given['db_password'] ?? null,
})

export const whenPsql: NonNullable<StateDeclaration['when']> = async ({ opts, host }) => {
  const directory = opts.get('postgres.bins_dir') ?? ''
  const places = truthy(directory) ? [`${str(directory).replace(/\/$/, '')}/psql`, 'psql'] : ['psql']
  for (const place of places) if ((await host.which(place)) !== undefined) return true
  return 'Unable to load postgres module.  Make sure `postgres.bins_dir` is set.'
}

export const report = (name: string, comment: string, result: boolean | null = true, changes = {}): StateReturn => ({
  name,
  changes,
  result,
  comment,
})

interface Removal {
  /** `Database app`, at the start of every sentence. */
  subject: string
  name: string
  exists: () => Value | Promise<Value>
  remove: () => Value | Promise<Value>
  /** Said when the thing is still there afterwards; without it, the state ends as if there were none. */
  failure?: string
}

/** Drop a thing when it is there. */
export function dropped(ctx: StateContext, { subject, name, exists, remove, failure }: Removal): Promise<StateReturn> {
  const missing = settled(`${subject} is not present, so it cannot be removed`)
  return ensure(ctx, {
    name,
    look: async () => (truthy(await exists()) ? 'there' : missing),
    foresee: () => `${subject} is set to be removed`,
    act: async () => {
      if (truthy(await remove())) return changed(`${subject} has been removed`, { [name]: 'Absent' })
      return failure === undefined ? missing : failed(failure)
    },
  })
}
