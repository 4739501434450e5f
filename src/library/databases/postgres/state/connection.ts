// Shared parts of the postgres states: connection, condition, creating and dropping an object.
import { str, truthy, type Value } from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  ensure,
  failed,
  type StateContext,
  type StateDeclaration,
  type StateReturn,
  settled,
  type Verdict,
} from '../../../../sdk/mod.ts'

const user = arg.text('System user that runs psql', { optional: true })
const maintenance_db = arg.text('Database to connect to', { optional: true })
const db_user = arg.text('Role that connects', { optional: true })
const db_password = arg.text('Password of the role that connects', { optional: true, secret: true })
const db_host = arg.text('Host, or directory of the socket', { optional: true })
const db_port = arg.text('Port', { optional: true })

/** Connection parameters, in the two orders of the states. */
export const connectionArgs = { user, maintenance_db, db_password, db_host, db_port, db_user }
export const connectionArgsByRole = { user, maintenance_db, db_user, db_password, db_host, db_port }

type ConnectionArguments = Readonly<Omit<Bound<typeof connectionArgs>, 'maintenance_db'>> & {
  readonly maintenance_db?: string | null
}

/** Return the connection as the functions of `postgres` take it. */
export const connection = (given: ConnectionArguments): Record<string, Value> => ({
  ...(given.maintenance_db !== undefined && { maintenance_db: given.maintenance_db }),
  runas: given.user,
  host: given.db_host,
  user: given.db_user,
  port: given.db_port,
  password: given.db_password,
})

export const whenPsql: NonNullable<StateDeclaration['when']> = async ({ opts, host }) => {
  const directory = opts.get('postgres.bins_dir') ?? ''
  const places = truthy(directory) ? [`${str(directory).replace(/\/$/, '')}/psql`, 'psql'] : ['psql']
  for (const place of places) if ((await host.which(place)) !== undefined) return true
  return 'Unable to load postgres module.  Make sure `postgres.bins_dir` is set.'
}

interface Creation {
  name: string
  look: () => Verdict | 'missing' | Promise<Verdict | 'missing'>
  create: () => Value | Promise<Value>
  /** Comments of a dry run, after a success and after a failure. */
  forecast: string
  success: string
  failure: string
}

/** Create an object that does not exist. */
export function created(ctx: StateContext, { name, look, create, ...comments }: Creation): Promise<StateReturn> {
  return ensure(ctx, {
    name,
    look,
    foresee: () => comments.forecast,
    act: async () =>
      truthy(await create()) ? changed(comments.success, { [name]: 'Present' }) : failed(comments.failure),
  })
}

interface Removal {
  /** `Database app`, the start of every comment. */
  subject: string
  name: string
  exists: () => Value | Promise<Value>
  remove: () => Value | Promise<Value>
  /** Comment after a failure. Without it, the state ends as if the object did not exist. */
  failure?: string
}

/** Drop an object that exists. */
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
