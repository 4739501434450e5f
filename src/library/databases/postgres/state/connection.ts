// What the postgres states share: how they connect, when they can be applied, and how a thing is dropped.
import { lookup } from '../../../../base/mod.ts'
import { str, truthy, type Value } from '../../../../data/mod.ts'
import { type Arg, arg, type StateContext, type StateDeclaration, type StateReturn } from '../../../../sdk/mod.ts'

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
  /** Said when it is still there; without it, what is said when it was not there. */
  failed?: string
}

/** Drops a thing when it is there. */
export async function dropped(ctx: StateContext, removal: Removal): Promise<StateReturn> {
  const { subject, name } = removal
  const missing = `${subject} is not present, so it cannot be removed`
  if (!truthy(await removal.exists())) return report(name, missing)
  if (ctx.test) return report(name, `${subject} is set to be removed`, null)
  if (truthy(await removal.remove())) return report(name, `${subject} has been removed`, true, { [name]: 'Absent' })
  return removal.failed === undefined ? report(name, missing) : report(name, removal.failed, false)
}
