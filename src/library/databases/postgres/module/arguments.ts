// Parameters of the functions of `postgres`, declared once: most functions take the same connection in the same words.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  type Arg,
  arg,
  type FunctionContext,
  type FunctionDeclaration,
  fn,
  type Result,
  type Returns,
  ret,
} from '../../../../sdk/mod.ts'

/** The arguments of a call by name. */
export type Given = Readonly<Record<string, Value>>

const MEANING: Readonly<Record<string, string>> = lookup({
  name: 'The name of the object',
  username: 'The name of the role',
  groupname: 'The name of the role',
  dbname: 'The database',
  user: 'The role that connects',
  host: 'The host, or the directory of the socket',
  port: 'The port',
  maintenance_db: 'The database that is connected to',
  password: 'The password of the role that connects',
  runas: 'The system user that psql runs as',
  db_user: 'The role that connects',
  db_password: 'The password of the role that connects',
  db_host: 'The host, or the directory of the socket',
  db_port: 'The port',
  tablespace: 'The tablespace',
  encoding: 'The encoding of characters',
  lc_collate: 'The order of texts',
  lc_ctype: 'The classes of characters',
  owner: 'The role that owns it',
  ownername: 'The role that will own it',
  owner_recurse: 'Whether all objects within change their owner too',
  template: 'The database that is copied',
  rolepassword: 'The password of the role, or its hash',
  encrypted: 'How the password is kept: md5, scram-sha-256, or false',
  valid_until: 'When the password expires',
  groups: 'Roles it becomes a member of',
  object_name: 'The object',
  object_type: 'Its kind: table, sequence, schema, database, function, language, tablespace or group',
  privileges: 'Privileges, with commas between',
  prepend: 'The schema of the object',
})

/** `name!` must be given, `name=text` has a default, the rest is None when left out. */
function parameters(names: string): Record<string, Arg<Value>> {
  return Object.fromEntries(
    names.split(' ').map((word) => {
      const [, name, mark, text] = /^(\w+)([!=]?)(.*)$/.exec(word)!
      const doc = MEANING[name!] ?? `The option ${name!.replaceAll('_', ' ')}`
      const secret = name!.includes('password') ? { secret: true } : {}
      if (mark === '!') return [name, arg.any(doc, secret)]
      const fallback = mark === '' ? null : text === 'false' ? false : text!
      return [name, arg.any(doc, { default: fallback, ...secret })]
    }),
  )
}

export const CONNECTION = 'user host port maintenance_db password runas'

type Body<R extends Result> = (ctx: FunctionContext, given: Given) => Promise<NoInfer<R>>

function declare(effect: FunctionDeclaration['effect']) {
  return <R extends Result = Result>(
    doc: string,
    names: string,
    example: string,
    run: Body<R>,
    returns?: Returns<R>,
  ): FunctionDeclaration =>
    fn({
      doc,
      args: parameters(names),
      returns: returns ?? ret.any('What the server tells'),
      examples: [`salt '*' postgres.${example}`],
      effect,
      run: (ctx, given) => run(ctx, given as Given),
    })
}

/** A function that asks, and one that changes. */
export const asking = declare('read')
export const changing = declare('change')

export const text = (given: Given, name: string): string => str(given[name] ?? null)
export const has = (given: Given, name: string): boolean => truthy(given[name] ?? null)

/** The connection of functions whose `user` is whom psql runs as. */
export function prefixedConnection(given: Given): Given {
  return {
    user: given['db_user'] ?? null,
    host: given['db_host'] ?? null,
    port: given['db_port'] ?? null,
    password: given['db_password'] ?? null,
    maintenance_db: given['dbname'] ?? null,
    runas: given['user'] ?? null,
  }
}

export type Rows = Dict[]
