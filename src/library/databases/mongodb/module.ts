// MongoDB, through its shell: databases, users and their roles, collections and documents. An error of the server is
// returned as a text or as False, as in Salt.
import { type Dict, dictFrom, equals, isDict, isList, loadJson, str, tuple, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  type Result,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { findShell, MongoError, run, type Server } from './module/shell.ts'

const LOST = 'Failed to connect to mongo database'

const login = {
  user: arg.text('User that logs in. Default: the option `mongodb.user`', { optional: true }),
  password: arg.text('Password of that user. Default: the option `mongodb.password`', { optional: true, secret: true }),
  host: arg.text('Host. Default: the option `mongodb.host`, else localhost', { optional: true }),
  port: arg.text('Port. Default: the option `mongodb.port`, else 27017', { optional: true }),
}
const authdb = arg.text('Database that authenticates the user. Default: the database itself', { optional: true })
const server = { ...login, authdb }
const inside = { ...login, database: arg.text('Database', { default: 'admin' }), authdb }
const name = arg.text('Name of the user')
const collection = arg.text('Collection')

/** Return the result of a body; for an error of the server, the result of `refused` for its message. */
async function orRefusal<R extends Result>(
  ctx: FunctionContext,
  body: () => Promise<R>,
  refused: (message: string) => R,
): Promise<R> {
  try {
    return await body()
  } catch (error) {
    if (!(error instanceof MongoError)) throw error
    ctx.log('error', error.message)
    return refused(error.message)
  }
}

const asText = (message: string): Value => message
const asPair = (message: string): Value => tuple([false, message])
const asLost = (): Value => LOST

/** Run a script that returns nothing; return True, or the error of the server as text. */
const carryOut = (ctx: FunctionContext, server: Server, script: string, values: Readonly<Record<string, Value>>) =>
  orRefusal<Value>(
    ctx,
    async () => {
      await run(ctx, server, script, values)
      return true
    },
    asText,
  )

/** Parse a text as JSON; return any other value as it is. */
const parsed = (value: Value): Value => (typeof value === 'string' ? loadJson(value) : value)

const databaseNames = (ctx: FunctionContext, server: Server): Promise<Value> =>
  run(ctx, server, 'return db.adminCommand({ listDatabases: 1 }).databases.map((each) => each.name)')

const users = (ctx: FunctionContext, server: Server): Promise<Value> =>
  run(
    ctx,
    server,
    'return target.getUsers().users?.map(({ user, roles }) => ({ user, roles })) ?? target.getUsers().map(({ user, roles }) => ({ user, roles }))',
  )

async function userOf(ctx: FunctionContext, name: string, server: Server): Promise<Dict | undefined> {
  const found = await users(ctx, server)
  return isList(found) ? found.filter(isDict).find((each) => each.get('user') === name) : undefined
}

/** Return roles as dicts; a role without a database belongs to this one. */
function qualified(roles: Value, database: string): Dict[] {
  if (!isList(roles)) return []
  const own = (role: Value): Dict => dictFrom({ role, db: database })
  return roles.map((role) => (isDict(role) ? role : own(role)))
}

const roleArgs = {
  name,
  roles: arg.any('Roles: a list of names or dicts (`role`, `db`), or the JSON of one'),
  database: arg.text('Database'),
  ...server,
}
const done = ret.any('True, or the error of the server')

const databases = {
  db_list: reads({
    doc: 'Return all databases.',
    args: server,
    returns: ret.any('List of names, or the error of the server'),
    run: (ctx, server) => orRefusal(ctx, () => databaseNames(ctx, server), asText),
  }),
  db_exists: reads({
    doc: 'Return whether a database exists.',
    args: { name: arg.text('Name of the database'), ...server },
    returns: ret.boolean('Whether the database exists; False after an error of the server'),
    example: 'mongodb.db_exists app',
    run: (ctx, { name, ...server }) =>
      orRefusal(
        ctx,
        async () => {
          const names = await databaseNames(ctx, server)
          return isList(names) && names.includes(name)
        },
        () => false,
      ),
  }),
  db_remove: changes({
    doc: 'Drop a database.',
    args: { name: arg.text('Name of the database'), ...server },
    returns: done,
    example: 'mongodb.db_remove app',
    run: (ctx, { name, ...server }) => carryOut(ctx, server, 'db.getSiblingDB(given.name).dropDatabase()', { name }),
  }),
  version: reads({
    doc: 'Return the version of the server.',
    args: inside,
    returns: ret.any('Version; or False and the error of the server'),
    run: (ctx, server) => orRefusal(ctx, () => run(ctx, server, 'return db.version()'), asPair),
  }),
}

const people = {
  user_list: reads({
    doc: 'Return the users of a database.',
    args: inside,
    returns: ret.any('List of dicts with `user` and `roles`, or the error of the server'),
    run: (ctx, server) => orRefusal(ctx, () => users(ctx, server), asText),
  }),
  user_find: reads({
    doc: 'Return all that the server knows about a user.',
    args: { name, ...inside },
    returns: ret.any('List of one dict, empty without such a user; or False and the error of the server'),
    example: 'mongodb.user_find joe',
    run: (ctx, { name, ...server }) =>
      orRefusal(
        ctx,
        () => run(ctx, server, 'return target.runCommand({ usersInfo: given.name }).users', { name }),
        asPair,
      ),
  }),
  user_exists: reads({
    doc: 'Return whether a user exists.',
    args: { name, ...inside },
    returns: ret.any('Whether the user exists, or the error as text'),
    example: 'mongodb.user_exists joe',
    run: (ctx, { name, ...server }) =>
      orRefusal<Value>(ctx, async () => (await userOf(ctx, name, server)) !== undefined, asLost),
  }),
  user_create: changes({
    doc: 'Create a user.',
    args: {
      name,
      passwd: arg.text('Password of the user', { secret: true }),
      ...inside,
      roles: arg.any('Roles: a list of names or of dicts (`role`, `db`)', { optional: true }),
    },
    returns: ret.boolean('Whether the user was created'),
    example: 'mongodb.user_create joe secret localhost 27017 app',
    run: async (ctx, { name, passwd, roles, ...server }) => {
      const script = 'target.createUser({ user: given.name, pwd: given.passwd, roles: given.roles })'
      return (await carryOut(ctx, server, script, { name, passwd, roles: qualified(roles, server.database) })) === true
    },
  }),
  user_remove: changes({
    doc: 'Drop a user.',
    args: { name, ...inside },
    returns: ret.boolean('Whether the user was dropped'),
    example: 'mongodb.user_remove joe',
    run: async (ctx, { name, ...server }) =>
      (await carryOut(ctx, server, 'target.dropUser(given.name)', { name })) === true,
  }),
  user_roles_exists: reads({
    doc: 'Return whether a user has roles.',
    args: roleArgs,
    returns: ret.any('Whether the user has all the roles, or the error as text'),
    example: `mongodb.user_roles_exists joe '["readWrite"]' app`,
    run: (ctx, { name, roles, ...server }) =>
      orRefusal<Value>(
        ctx,
        async () => {
          const user = await userOf(ctx, name, server)
          const held = user?.get('roles') ?? []
          const hasRole = (role: Dict): boolean => isList(held) && held.some((own) => equals(own, role))
          return user !== undefined && qualified(parsed(roles), server.database).every(hasRole)
        },
        asLost,
      ),
  }),
  user_grant_roles: changes({
    doc: 'Grant roles to a user.',
    args: roleArgs,
    returns: done,
    example: `mongodb.user_grant_roles joe '["readWrite"]' app`,
    run: (ctx, { name, roles, ...server }) =>
      carryOut(ctx, server, 'target.grantRolesToUser(given.name, given.roles)', { name, roles: parsed(roles) }),
  }),
  user_revoke_roles: changes({
    doc: 'Revoke roles from a user.',
    args: roleArgs,
    returns: done,
    example: `mongodb.user_revoke_roles joe '["readWrite"]' app`,
    run: (ctx, { name, roles, ...server }) =>
      carryOut(ctx, server, 'target.revokeRolesFromUser(given.name, given.roles)', { name, roles: parsed(roles) }),
  }),
}

const query = arg.any('Query, or a list of queries, as dicts or as JSON. Default: all documents', { optional: true })

/** Return a query or a list of queries as a list. */
function queriesOf(query: Value): Value[] {
  const value = parsed(query)
  return isList(value) ? [...value] : [value ?? new Map()]
}

const updateArgs = { objects: arg.text('Filter and changes, as two JSON objects'), collection, ...inside }

async function updateOne(ctx: FunctionContext, given: Bound<typeof updateArgs>): Promise<Value> {
  const { objects, collection, ...server } = given
  const [head, tail, ...further] = objects.split(/}\s+{/)
  if (tail === undefined || further.length > 0) {
    return `Your request does not contain a valid '{_"id": "my_id"} {"my_doc": "my_val"}'`
  }
  const values = { collection, filter: loadJson(`${head}}`), change: loadJson(`{${tail}`) }
  const found = Number(
    await run(ctx, server, 'return target.getCollection(given.collection).countDocuments(given.filter)', values),
  )
  if (found === 0) return 'Did not find any result. You should try an insert before.'
  if (found > 1) return 'Too many results. Please try to be more specific.'
  const script =
    'return target.getCollection(given.collection).updateOne(given.filter, { $set: given.change }).modifiedCount'
  return `${str(await run(ctx, server, script, values))} objects updated`
}

const FIND = 'return given.queries.flatMap((query) => target.getCollection(given.collection).find(query).toArray())'
const REMOVE =
  'let n = 0; for (const query of given.queries) for (let i = 0; i < given.w; i++) n += target.getCollection(given.collection).deleteOne(query).deletedCount; return n'

const contents = {
  collections_list: reads({
    doc: 'Return the collections of a database.',
    args: inside,
    returns: ret.any('List of names, or the error of the server'),
    example: 'mongodb.collections_list database=app',
    run: (ctx, server) => orRefusal(ctx, () => run(ctx, server, 'return target.getCollectionNames()'), asText),
  }),
  collection_create: changes({
    doc: 'Create a collection.',
    args: { collection, ...inside },
    returns: done,
    example: 'mongodb.collection_create things database=app',
    run: (ctx, { collection, ...server }) =>
      carryOut(ctx, server, 'target.createCollection(given.collection)', { collection }),
  }),
  collection_drop: changes({
    doc: 'Drop a collection.',
    args: { collection, ...inside },
    returns: done,
    example: 'mongodb.collection_drop things database=app',
    run: (ctx, { collection, ...server }) =>
      carryOut(ctx, server, 'target.getCollection(given.collection).drop()', { collection }),
  }),
  insert: changes({
    doc: 'Insert documents into a collection.',
    args: { objects: arg.any('List of documents, or the JSON of one'), collection, ...inside },
    returns: ret.any('Whether the server acknowledged the insert, or its error'),
    example: `mongodb.insert '[{"a": 1}]' things database=app`,
    run: (ctx, { objects, collection, ...server }) => {
      const script = 'return target.getCollection(given.collection).insertMany(given.objects).acknowledged'
      return orRefusal(ctx, () => run(ctx, server, script, { collection, objects: parsed(objects) }), asText)
    },
  }),
  update_one: changes({
    doc: 'Update one document.',
    args: updateArgs,
    returns: ret.any('Sentence with the number of updated documents, or the error'),
    example: `mongodb.update_one '{"_id": "a"} {"b": 1}' things database=app`,
    run: (ctx, given) => orRefusal(ctx, () => updateOne(ctx, given), asText),
  }),
  find: reads({
    doc: 'Return documents of a collection.',
    args: { collection, query, ...inside },
    returns: ret.any('List of documents, or the error of the server'),
    example: `mongodb.find things '[{"a": 1}]' database=app`,
    run: (ctx, { collection, query, ...server }) =>
      orRefusal(ctx, () => run(ctx, server, FIND, { collection, queries: queriesOf(query) }), asText),
  }),
  remove: changes({
    doc: 'Remove documents from a collection.',
    args: {
      collection,
      query,
      ...login,
      database: inside.database,
      w: arg.any('How many documents to remove for each query', { default: 1 }),
      authdb,
    },
    returns: ret.any('Sentence with the number of removed documents, or the error'),
    example: `mongodb.remove things '[{"a": 1}]' database=app`,
    run: (ctx, { collection, query, w, ...server }) =>
      orRefusal<Value>(
        ctx,
        async () => {
          const removed = await run(ctx, server, REMOVE, { collection, queries: queriesOf(query), w })
          return `${str(removed)} objects removed`
        },
        asText,
      ),
  }),
}

export default defineModule({
  name: 'mongodb',
  doc: 'Manage MongoDB.',
  when: async ({ host }) =>
    (await findShell(host)) !== undefined ||
    'The mongodb execution module cannot be loaded: the program mongosh was not found.',
  functions: { ...databases, ...people, ...contents },
})
