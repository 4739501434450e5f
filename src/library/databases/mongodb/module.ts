// MongoDB, through its shell: databases, users and their roles, collections and what is in them. A refusal of the
// server is an answer in words or false, as in Salt.
import { type Dict, equals, isDict, isList, loadJson, str, tuple, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  fn,
  ret,
} from '../../../sdk/mod.ts'
import { findShell, type Given, MongoError, run } from './module/shell.ts'

const LOST = 'Failed to connect to mongo database'

const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
const login = {
  user: optional('Who logs in'),
  password: arg.any('The password', { optional: true, secret: true }),
  host: optional('The host'),
  port: optional('The port'),
}
const database = arg.any('The database', { default: 'admin' })
const authdb = optional('The database that knows the user who logs in')
const inside = { ...login, database, authdb }
const name = arg.any('The name')

type Body = (ctx: FunctionContext, given: Given) => Promise<Value>

/** A refusal as an answer. */
async function orAnswer(
  ctx: FunctionContext,
  body: () => Promise<Value>,
  answer: (message: string) => Value,
): Promise<Value> {
  try {
    return await body()
  } catch (error) {
    if (!(error instanceof MongoError)) throw error
    ctx.log('error', error.message)
    return answer(error.message)
  }
}

const declare =
  (effect: FunctionDeclaration['effect']) =>
  (
    doc: string,
    args: Record<string, Arg<Value>>,
    example: string,
    body: Body,
    refused: (message: string) => Value = (message) => message,
  ) =>
    fn({
      doc,
      args,
      returns: ret.any('What the server answers'),
      examples: [`salt '*' mongodb.${example}`],
      effect,
      run: (ctx, given) => orAnswer(ctx, () => body(ctx, given as Given), refused),
    })

const asking = declare('read')
const changing = declare('change')

const of = (given: Given, key: string): Value => given[key] ?? null

/** Objects that may be written as JSON. */
const parsed = (value: Value): Value => (typeof value === 'string' ? loadJson(value) : value)

const databases: Body = (ctx, given) =>
  run(ctx, given, 'return db.adminCommand({ listDatabases: 1 }).databases.map((each) => each.name)')

const users: Body = (ctx, given) =>
  run(
    ctx,
    given,
    'return target.getUsers().users?.map(({ user, roles }) => ({ user, roles })) ?? target.getUsers().map(({ user, roles }) => ({ user, roles }))',
  )

async function userOf(ctx: FunctionContext, given: Given): Promise<Dict | undefined> {
  const found = await users(ctx, given)
  return (isList(found) ? (found as Dict[]) : []).find((each) => each.get('user') === of(given, 'name'))
}

/** A role by itself is one of this database. */
const complete = (roles: Value, database: Value): Dict[] =>
  (isList(roles) ? (roles as Value[]) : []).map((role) =>
    isDict(role)
      ? role
      : new Map([
          ['role', role],
          ['db', database],
        ] as [Value, Value][]),
  )

const people = {
  user_list: asking('The users of a database.', inside, 'user_list', users),
  user_find: asking(
    'A user, with everything known.',
    { name, ...inside },
    'user_find joe',
    (ctx, given) =>
      run(ctx, given, 'return target.runCommand({ usersInfo: given.name }).users', { name: of(given, 'name') }),
    (message) => tuple([false, message]),
  ),
  user_exists: asking(
    'Whether there is a user.',
    { name, ...inside },
    'user_exists joe',
    async (ctx, given) => (await userOf(ctx, given)) !== undefined,
    () => LOST,
  ),
  user_create: changing(
    'Make a user.',
    { name, passwd: arg.any('The password', { secret: true }), ...inside, roles: optional('Roles in the database') },
    'user_create joe secret localhost 27017 app',
    async (ctx, given) => {
      const roles = complete(of(given, 'roles'), of(given, 'database'))
      await run(ctx, given, 'target.createUser({ user: given.name, pwd: given.passwd, roles: given.roles })', {
        name: of(given, 'name'),
        passwd: of(given, 'passwd'),
        roles,
      })
      return true
    },
    () => false,
  ),
  user_remove: changing(
    'Remove a user.',
    { name, ...inside },
    'user_remove joe',
    async (ctx, given) => {
      await run(ctx, given, 'target.dropUser(given.name)', { name: of(given, 'name') })
      return true
    },
    () => false,
  ),
  user_roles_exists: asking(
    'Whether a user has roles.',
    { name, roles: arg.any('The roles'), database: arg.any('The database'), ...login, authdb },
    `user_roles_exists joe '["readWrite"]' app`,
    async (ctx, given) => {
      const user = await userOf(ctx, given)
      const held = (user?.get('roles') ?? []) as Value[]
      return (
        user !== undefined &&
        complete(parsed(of(given, 'roles')), of(given, 'database')).every((role) =>
          held.some((own) => equals(own, role)),
        )
      )
    },
    () => LOST,
  ),
}

const roleChange = (doc: string, verb: 'grant' | 'revoke') =>
  changing(
    doc,
    { name, roles: arg.any('The roles'), database: arg.any('The database'), ...login, authdb },
    `user_${verb}_roles joe '["readWrite"]' app`,
    async (ctx, given) => {
      const call = verb === 'grant' ? 'grantRolesToUser' : 'revokeRolesFromUser'
      await run(ctx, given, `target.${call}(given.name, given.roles)`, {
        name: of(given, 'name'),
        roles: parsed(of(given, 'roles')),
      })
      return true
    },
  )

const collection = arg.any('The collection')

/** Each of the queries, or the one. */
const queries = (query: Value): Value[] => {
  const value = parsed(query)
  return isList(value) ? [...(value as Value[])] : [value ?? new Map()]
}

async function update(ctx: FunctionContext, given: Given): Promise<Value> {
  const parts = str(of(given, 'objects')).split(/}\s+{/)
  if (parts.length !== 2) return `Your request does not contain a valid '{_"id": "my_id"} {"my_doc": "my_val"}'`
  const [filter, change] = [loadJson(`${parts[0]}}`), loadJson(`{${parts[1]}`)]
  const values = { collection: of(given, 'collection'), filter, change }
  const found = Number(
    await run(ctx, given, 'return target.getCollection(given.collection).countDocuments(given.filter)', values),
  )
  if (found === 0) return 'Did not find any result. You should try an insert before.'
  if (found > 1) return 'Too many results. Please try to be more specific.'
  const script =
    'return target.getCollection(given.collection).updateOne(given.filter, { $set: given.change }).modifiedCount'
  return `${str(await run(ctx, given, script, values))} objects updated`
}

const contents = {
  collections_list: asking('The collections of a database.', inside, 'collections_list database=app', (ctx, given) =>
    run(ctx, given, 'return target.getCollectionNames()'),
  ),
  collection_create: changing(
    'Make a collection.',
    { collection, ...inside },
    'collection_create things database=app',
    async (ctx, given) => {
      await run(ctx, given, 'target.createCollection(given.collection)', { collection: of(given, 'collection') })
      return true
    },
  ),
  collection_drop: changing(
    'Drop a collection.',
    { collection, ...inside },
    'collection_drop things database=app',
    async (ctx, given) => {
      await run(ctx, given, 'target.getCollection(given.collection).drop()', { collection: of(given, 'collection') })
      return true
    },
  ),
  insert: changing(
    'Put objects into a collection.',
    { objects: arg.any('The objects'), collection, ...inside },
    `insert '[{"a": 1}]' things database=app`,
    (ctx, given) =>
      run(ctx, given, 'return target.getCollection(given.collection).insertMany(given.objects).acknowledged', {
        collection: of(given, 'collection'),
        objects: parsed(of(given, 'objects')),
      }),
  ),
  update_one: changing(
    'Change one object.',
    { objects: arg.any('What it is found by, and what changes'), collection, ...inside },
    `update_one '{"_id": "a"} {"b": 1}' things database=app`,
    update,
  ),
  find: asking(
    'Objects of a collection.',
    { collection, query: optional('What they are found by'), ...inside },
    `find things '[{"a": 1}]' database=app`,
    (ctx, given) =>
      run(
        ctx,
        given,
        'return given.queries.flatMap((query) => target.getCollection(given.collection).find(query).toArray())',
        { collection: of(given, 'collection'), queries: queries(of(given, 'query')) },
      ),
  ),
  remove: changing(
    'Remove objects from a collection.',
    {
      collection,
      query: optional('What they are found by'),
      ...login,
      database,
      w: arg.any('How many for each query', { default: 1 }),
      authdb,
    },
    `remove things '[{"a": 1}]' database=app`,
    async (ctx, given) => {
      const script =
        'let n = 0; for (const query of given.queries) for (let i = 0; i < given.w; i++) n += target.getCollection(given.collection).deleteOne(query).deletedCount; return n'
      const values = { collection: of(given, 'collection'), queries: queries(of(given, 'query')), w: of(given, 'w') }
      return `${str(await run(ctx, given, script, values))} objects removed`
    },
  ),
}

export default defineModule({
  name: 'mongodb',
  doc: 'Work with MongoDB.',
  when: async ({ host }) =>
    (await findShell(host)) !== undefined ||
    'The mongodb execution module cannot be loaded: the program mongosh was not found.',
  functions: {
    db_list: asking('All databases.', { ...login, authdb }, 'db_list', databases),
    db_exists: asking(
      'Whether there is a database.',
      { name, ...login, authdb },
      'db_exists app',
      async (ctx, given) => ((await databases(ctx, given)) as Value[]).includes(str(of(given, 'name'))),
      () => false,
    ),
    db_remove: changing('Drop a database.', { name, ...login, authdb }, 'db_remove app', async (ctx, given) => {
      await run(ctx, given, 'db.getSiblingDB(given.name).dropDatabase()', { name: of(given, 'name') })
      return true
    }),
    version: asking(
      'The version of the server.',
      inside,
      'version',
      (ctx, given) => run(ctx, given, 'return db.version()'),
      (message) => tuple([false, message]),
    ),
    ...people,
    user_grant_roles: roleChange('Give roles to a user.', 'grant'),
    user_revoke_roles: roleChange('Take roles from a user.', 'revoke'),
    ...contents,
  },
})
