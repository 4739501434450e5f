// PostgreSQL, through psql: databases, roles, extensions, schemas, privileges. A server that does not answer looks like
// an empty one, as in Salt; the log has the error of psql.
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { clusters, createCluster, directoryExists, initDirectory, removeCluster } from './module/clusters.ts'
import * as databases from './module/databases.ts'
import * as extensions from './module/extensions.ts'
import { grantPrivileges, hasPrivileges, listPrivileges, revokePrivileges, targetOf } from './module/privileges.ts'
import { connection, execute, findProgram, identifier, runas, select, server, serverVersion } from './module/psql.ts'
import { createRole, getRole, listRoles, removeRole, roleExists, updateRole } from './module/roles.ts'

const database = arg.text('Name of the database')
const owner = arg.text('Role that owns it', { optional: true })
const tablespace = arg.text('Tablespace of the database', { optional: true })
const encoding = 'Encoding of characters'

const databaseFunctions = {
  db_list: reads({
    doc: 'Return all databases and their properties.',
    args: connection,
    returns: ret.dict('Properties by database'),
    run: databases.databases,
  }),
  db_exists: reads({
    doc: 'Return whether a database exists.',
    args: { name: database, ...connection },
    returns: ret.boolean('Whether the database exists'),
    example: 'postgres.db_exists dbname',
    run: async (ctx, { name, ...at }) => (await databases.databases(ctx, at)).has(name),
  }),
  db_create: changes({
    doc: 'Create a database.',
    args: {
      name: database,
      ...server,
      tablespace,
      encoding: arg.text(encoding, { optional: true }),
      lc_collate: arg.text('Collation order', { optional: true }),
      lc_ctype: arg.text('Character classification', { optional: true }),
      owner,
      template: arg.text('Database that is copied', { optional: true }),
      runas,
    },
    returns: ret.boolean('Whether the database was created'),
    example: 'postgres.db_create dbname template=template_postgis',
    run: databases.createDatabase,
  }),
  db_alter: changes({
    doc: 'Change the tablespace or owner of a database.',
    args: {
      name: database,
      ...server,
      tablespace,
      owner,
      owner_recurse: arg.flag('Whether all objects in the database get the owner too', { default: false }),
      runas,
    },
    returns: ret.boolean('Whether the database is as wanted'),
    example: 'postgres.db_alter dbname owner=otheruser',
    run: async (ctx, given) => (!given.tablespace && !given.owner) || databases.alterDatabase(ctx, given),
  }),
  db_remove: changes({
    doc: 'End the sessions of a database, and drop it.',
    args: { name: database, ...connection },
    returns: ret.boolean('True; a failure is an error'),
    example: 'postgres.db_remove dbname',
    run: databases.removeDatabase,
  }),
  owner_to: changes({
    doc: 'Change the owner of a database and of all objects in it.',
    args: {
      dbname: database,
      ownername: arg.text('Role that becomes the owner'),
      user: server.user,
      host: server.host,
      port: server.port,
      password: server.password,
      runas,
    },
    returns: ret.dict('What `cmd.run_all` returns'),
    example: 'postgres.owner_to dbname username',
    run: (ctx, { dbname, ownername, ...at }) => databases.changeOwner(ctx, at, dbname, ownername),
  }),
  tablespace_list: reads({
    doc: 'Return all tablespaces and their properties.',
    args: connection,
    returns: ret.dict('Properties by tablespace'),
    run: databases.tablespaces,
  }),
  tablespace_exists: reads({
    doc: 'Return whether a tablespace exists.',
    args: { name: arg.text('Name of the tablespace'), ...connection },
    returns: ret.boolean('Whether the tablespace exists'),
    example: 'postgres.tablespace_exists fast',
    run: async (ctx, { name, ...at }) => (await databases.tablespaces(ctx, at)).has(name),
  }),
  tablespace_create: changes({
    doc: 'Create a tablespace in a directory.',
    args: {
      name: arg.text('Name of the tablespace'),
      location: arg.text('Directory of the tablespace'),
      options: arg.dict('Options of the tablespace by name', { optional: true }),
      owner,
      ...connection,
    },
    returns: ret.boolean('Whether the tablespace was created'),
    example: 'postgres.tablespace_create fast /srv/fast',
    run: databases.createTablespace,
  }),
  tablespace_alter: changes({
    doc: 'Change the name, owner or options of a tablespace.',
    args: {
      name: arg.text('Name of the tablespace'),
      ...server,
      new_name: arg.text('New name', { optional: true }),
      new_owner: arg.text('Role that becomes the owner', { optional: true }),
      set_option: arg.dict('Option to set: a dict of one name and its value', { optional: true }),
      reset_option: arg.text('Name of an option that gets its default again', { optional: true }),
      runas,
    },
    returns: ret.boolean('Whether the tablespace was changed'),
    example: 'postgres.tablespace_alter fast new_owner=otheruser',
    run: databases.alterTablespace,
  }),
  tablespace_remove: changes({
    doc: 'Drop a tablespace.',
    args: { name: arg.text('Name of the tablespace'), ...connection },
    returns: ret.boolean('Whether the tablespace was dropped'),
    example: 'postgres.tablespace_remove fast',
    run: (ctx, { name, ...at }) => execute(ctx, at, `DROP TABLESPACE ${identifier(name)}`),
  }),
}

const role = arg.text('Name of the role')
const createdb = arg.flag('Whether the role may create databases', { optional: true })
const createroles = arg.flag('Whether the role may create roles', { optional: true })
const encrypted = arg.any('How the password is stored: md5 (also True and None), scram-sha-256, False for plain text', {
  optional: true,
})
const superuser = arg.flag('Whether the role is a superuser', { optional: true })
const replication = arg.flag('Whether the role may replicate', { optional: true })
const inherit = arg.flag('Whether the role inherits the privileges of its groups', { optional: true })
const login = arg.flag('Whether the role may log in', { optional: true })
const rolepassword = arg.any('Password or its hash; True for an empty password, False for none', {
  optional: true,
  secret: true,
})
const groups = arg.words('Groups that the role becomes a member of: a list, or a text with commas', { optional: true })
const connlimit = arg.text('Highest number of connections', { optional: true })
const validUntil = arg.text('Time at which the password expires', { optional: true })
const return_password = arg.flag('Whether hashes of passwords are returned', { default: false })

const roleFunctions = {
  user_list: reads({
    doc: 'Return all roles and their properties.',
    args: { ...connection, return_password },
    returns: ret.orFalse(ret.dict('Properties by role; False without an answer of the server')),
    run: listRoles,
  }),
  role_get: reads({
    doc: 'Return the properties of a role.',
    args: { name: role, ...connection, return_password },
    returns: ret.optional(ret.dict('Properties; None without such a role')),
    example: 'postgres.role_get postgres',
    run: (ctx, { name, ...at }) => getRole(ctx, at, name),
  }),
  user_exists: reads({
    doc: 'Return whether a role exists.',
    args: { name: role, ...connection },
    returns: ret.boolean('Whether the role exists'),
    example: 'postgres.user_exists joe',
    run: (ctx, { name, ...at }) => roleExists(ctx, at, name),
  }),
  user_create: changes({
    doc: 'Create a role that can log in.',
    args: {
      username: role,
      ...server,
      createdb,
      createroles,
      inherit,
      login,
      connlimit,
      encrypted,
      superuser,
      replication,
      rolepassword,
      valid_until: validUntil,
      groups,
      runas,
    },
    returns: ret.boolean('Whether the role was created'),
    example: 'postgres.user_create joe rolepassword=secret',
    run: (ctx, { username, ...wanted }) => createRole(ctx, wanted, username, 'user'),
  }),
  user_update: changes({
    doc: 'Change a role.',
    args: {
      username: role,
      ...server,
      createdb,
      createroles,
      encrypted,
      superuser,
      inherit,
      login,
      connlimit,
      replication,
      rolepassword,
      valid_until: validUntil,
      groups,
      runas,
    },
    returns: ret.boolean('Whether the role was changed'),
    example: 'postgres.user_update joe createdb=True',
    run: (ctx, { username, ...wanted }) => updateRole(ctx, wanted, username, 'user'),
  }),
  user_remove: changes({
    doc: 'Drop a role.',
    args: { username: role, ...connection },
    returns: ret.boolean('Whether the role was dropped'),
    example: 'postgres.user_remove joe',
    run: (ctx, { username, ...at }) => removeRole(ctx, at, username),
  }),
  group_create: changes({
    doc: 'Create a role that other roles are members of.',
    args: {
      groupname: role,
      ...server,
      createdb,
      createroles,
      encrypted,
      login,
      inherit,
      superuser,
      replication,
      rolepassword,
      groups,
      runas,
    },
    returns: ret.boolean('Whether the role was created'),
    example: 'postgres.group_create staff',
    run: (ctx, { groupname, ...wanted }) => createRole(ctx, wanted, groupname, 'group'),
  }),
  group_update: changes({
    doc: 'Change a role that other roles are members of.',
    args: {
      groupname: role,
      ...server,
      createdb,
      createroles,
      encrypted,
      inherit,
      login,
      superuser,
      replication,
      rolepassword,
      groups,
      runas,
    },
    returns: ret.boolean('Whether the role was changed'),
    example: 'postgres.group_update staff createdb=True',
    run: (ctx, { groupname, ...wanted }) => updateRole(ctx, wanted, groupname, 'group'),
  }),
  group_remove: changes({
    doc: 'Drop a role that other roles are members of.',
    args: { groupname: role, ...connection },
    returns: ret.boolean('Whether the role was dropped'),
    example: 'postgres.group_remove staff',
    run: (ctx, { groupname, ...at }) => removeRole(ctx, at, groupname),
  }),
}

const extension = { name: arg.text('Name of the extension'), ...connection }
const ext_version = arg.text('Version of the extension', { optional: true })
const schemaOf = arg.text('Schema of the objects of the extension', { optional: true })

const extensionFunctions = {
  available_extensions: reads({
    doc: 'Return the extensions that the server offers.',
    args: connection,
    returns: ret.dict('Properties by extension'),
    run: extensions.availableExtensions,
  }),
  installed_extensions: reads({
    doc: 'Return the extensions that a database has.',
    args: connection,
    returns: ret.dict('Properties by extension'),
    example: 'postgres.installed_extensions maintenance_db=app',
    run: extensions.installedExtensions,
  }),
  get_available_extension: reads({
    doc: 'Return an extension that the server offers.',
    args: extension,
    returns: ret.any('Properties; None without such an extension'),
    example: 'postgres.get_available_extension hstore',
    run: async (ctx, { name, ...at }) => (await extensions.availableExtensions(ctx, at)).get(name),
  }),
  get_installed_extension: reads({
    doc: 'Return an extension that a database has.',
    args: extension,
    returns: ret.any('Properties; None without such an extension'),
    example: 'postgres.get_installed_extension hstore',
    run: async (ctx, { name, ...at }) => (await extensions.installedExtensions(ctx, at)).get(name),
  }),
  is_available_extension: reads({
    doc: 'Return whether the server offers an extension.',
    args: extension,
    returns: ret.boolean('Whether the server offers the extension'),
    example: 'postgres.is_available_extension hstore',
    run: extensions.isAvailable,
  }),
  is_installed_extension: reads({
    doc: 'Return whether a database has an extension.',
    args: extension,
    returns: ret.boolean('Whether the database has the extension'),
    example: 'postgres.is_installed_extension hstore',
    run: extensions.isInstalled,
  }),
  create_metadata: reads({
    doc: 'Return what an extension needs to be as wanted.',
    args: { name: extension.name, ext_version, schema: schemaOf, ...connection },
    returns: ret.texts(
      '`EXTENSION NOT INSTALLED`; or `EXTENSION INSTALLED`, with `EXTENSION TO UPGRADE` and `EXTENSION TO MOVE`',
    ),
    example: 'postgres.create_metadata hstore ext_version=1.8',
    run: extensions.extensionStatus,
  }),
  create_extension: changes({
    doc: 'Install an extension, or upgrade or move it.',
    args: {
      name: extension.name,
      if_not_exists: arg.flag('Whether an installed extension is no error. Default: True', { optional: true }),
      schema: schemaOf,
      ext_version,
      from_version: arg.text('Version of the objects that were installed without an extension', { optional: true }),
      ...connection,
    },
    returns: ret.boolean('Whether the extension is as wanted'),
    example: 'postgres.create_extension hstore',
    run: extensions.createExtension,
  }),
  drop_extension: changes({
    doc: 'Remove an extension from a database.',
    args: {
      name: extension.name,
      if_exists: arg.flag('Whether a missing extension is no error', { optional: true }),
      restrict: arg.flag('Whether the extension stays if other objects need it', { optional: true }),
      cascade: arg.flag('Whether objects that need the extension are dropped too. Default: True', { optional: true }),
      ...connection,
    },
    returns: ret.boolean('Whether the extension is gone'),
    example: 'postgres.drop_extension hstore',
    run: extensions.dropExtension,
  }),
}

const dbname = arg.text('Name of the database')
const schema = arg.text('Name of the schema')
const prefixed = {
  user: runas,
  db_user: server.user,
  db_password: server.password,
  db_host: server.host,
  db_port: server.port,
}
const language = {
  maintenance_db: arg.text('Name of the database'),
  user: server.user,
  host: server.host,
  port: server.port,
  password: server.password,
  runas,
}
const languageName = arg.text('Name of the language')

const withinFunctions = {
  schema_list: reads({
    doc: 'Return the schemas of a database.',
    args: { dbname, ...prefixed },
    returns: ret.dict('Owner and access list by schema'),
    example: 'postgres.schema_list app',
    run: databases.schemas,
  }),
  schema_get: reads({
    doc: 'Return a schema of a database.',
    args: { dbname, name: schema, ...prefixed },
    returns: ret.any('Owner and access list; None without such a schema'),
    example: 'postgres.schema_get app public',
    run: async (ctx, given) => (await databases.schemas(ctx, given)).get(given.name),
  }),
  schema_exists: reads({
    doc: 'Return whether a database has a schema.',
    args: { dbname, name: schema, ...prefixed },
    returns: ret.boolean('Whether the schema exists'),
    example: 'postgres.schema_exists app public',
    run: databases.schemaExists,
  }),
  schema_create: changes({
    doc: 'Create a schema.',
    args: { dbname, name: schema, owner, ...prefixed },
    returns: ret.boolean('Whether the schema was created'),
    example: 'postgres.schema_create app audit owner=joe',
    run: databases.createSchema,
  }),
  schema_remove: changes({
    doc: 'Drop a schema.',
    args: { dbname, name: schema, ...prefixed },
    returns: ret.boolean('Whether the schema was dropped'),
    example: 'postgres.schema_remove app audit',
    run: databases.removeSchema,
  }),
  language_list: reads({
    doc: 'Return the languages of a database.',
    args: language,
    returns: ret.dict('Names by name'),
    example: 'postgres.language_list app',
    run: databases.languages,
  }),
  language_exists: reads({
    doc: 'Return whether a database has a language.',
    args: { name: languageName, ...language },
    returns: ret.boolean('Whether the database has the language'),
    example: 'postgres.language_exists plpgsql app',
    run: async (ctx, { name, ...at }) => (await databases.languages(ctx, at)).has(name),
  }),
  language_create: changes({
    doc: 'Install a language in a database.',
    args: { name: languageName, ...language },
    returns: ret.boolean('Whether the language was installed'),
    example: 'postgres.language_create plperl app',
    run: (ctx, given) => databases.setLanguage(ctx, given, true),
  }),
  language_remove: changes({
    doc: 'Remove a language from a database.',
    args: { name: languageName, ...language },
    returns: ret.boolean('Whether the language was removed'),
    example: 'postgres.language_remove plperl app',
    run: (ctx, given) => databases.setLanguage(ctx, given, false),
  }),
}

const object_type = arg.text('Type: table, sequence, schema, database, function, language, tablespace or group')
const within = {
  prepend: arg.text('Schema of the object', { default: 'public' }),
  maintenance_db: server.maintenance_db,
  user: server.user,
  host: server.host,
  port: server.port,
  password: server.password,
  runas,
}
const object = {
  name: role,
  object_name: arg.text('Name of the object'),
  object_type,
  privileges: arg.text('Privileges, separated by commas', { optional: true }),
}
const grant_option = arg.flag('Whether the role may grant the privileges to others', { optional: true })

const privilegeFunctions = {
  privileges_list: reads({
    doc: 'Return the privileges on an object.',
    args: { name: arg.text('Name of the object'), object_type, ...within },
    returns: ret.dict('By role: privileges, each with whether the role may grant it; for a group, whether it is admin'),
    example: 'postgres.privileges_list orders table maintenance_db=app',
    run: (ctx, { name, ...given }) => listPrivileges(ctx, given, targetOf({ ...given, object_name: name })),
  }),
  has_privileges: reads({
    doc: 'Return whether a role has privileges on an object.',
    args: { ...object, grant_option, ...within },
    returns: ret.boolean('Whether the role has all the privileges'),
    example: 'postgres.has_privileges joe orders table SELECT,INSERT maintenance_db=app',
    run: hasPrivileges,
  }),
  privileges_grant: changes({
    doc: 'Grant a role privileges on an object.',
    args: { ...object, grant_option, ...within },
    returns: ret.boolean('Whether the privileges were granted'),
    example: 'postgres.privileges_grant joe orders table SELECT,UPDATE maintenance_db=app',
    run: grantPrivileges,
  }),
  privileges_revoke: changes({
    doc: 'Revoke privileges on an object from a role.',
    args: { ...object, ...within },
    returns: ret.boolean('Whether the privileges were revoked'),
    example: 'postgres.privileges_revoke joe orders table SELECT,UPDATE maintenance_db=app',
    run: revokePrivileges,
  }),
}

const version = arg.text('Version of the server')
const cluster = arg.text('Name of the cluster', { default: 'main' })
const datadir = arg.text('Data directory')

const directoryFunctions = {
  datadir_init: changes({
    doc: 'Create a data directory.',
    args: {
      name: datadir,
      auth: arg.text('Authentication method of local connections', { default: 'password' }),
      user: arg.text('Name of the superuser. Default: the system user', { optional: true }),
      password: arg.text('Password of the superuser', { optional: true, secret: true }),
      encoding: arg.text(encoding, { default: 'UTF8' }),
      locale: arg.text('Locale', { optional: true }),
      waldir: arg.text('Directory of the write-ahead log', { optional: true }),
      checksums: arg.flag('Whether pages have checksums', { default: false }),
      runas: arg.text('System user that owns the directory. Default: postgres', { optional: true }),
    },
    returns: ret.boolean('Whether the directory was created'),
    example: 'postgres.datadir_init /srv/pgsql/data',
    run: initDirectory,
  }),
  datadir_exists: reads({
    doc: 'Return whether a directory is a data directory.',
    args: { name: datadir },
    returns: ret.boolean('Whether the directory holds the data of a server'),
    example: 'postgres.datadir_exists /srv/pgsql/data',
    run: (ctx, { name }) => directoryExists(ctx, name),
  }),
  cluster_create: changes({
    doc: 'Create a cluster of a Debian system.',
    args: {
      version,
      name: cluster,
      port: arg.text('Port of the cluster', { optional: true }),
      locale: arg.text('Locale', { optional: true }),
      encoding: arg.text(encoding, { optional: true }),
      datadir: arg.text('Data directory', { optional: true }),
      allow_group_access: arg.any('True lets the group read the files', { optional: true }),
      data_checksums: arg.any('True gives pages checksums', { optional: true }),
      wal_segsize: arg.text('Segment size of the write-ahead log, in megabytes', { optional: true }),
    },
    returns: ret.orFalse(ret.dict('What `cmd.run_all` returns; False after a failure')),
    example: 'postgres.cluster_create 15 main',
    run: createCluster,
  }),
  cluster_list: reads({
    doc: 'Return the clusters of a Debian system.',
    args: { verbose: arg.flag('Whether the properties are returned too', { default: false }) },
    returns: ret.any('List of `version/name`; with verbose, properties by that name'),
    example: 'postgres.cluster_list verbose=True',
    run: async (ctx, { verbose }) => {
      const found = await clusters(ctx)
      return verbose ? found : [...found.keys()]
    },
  }),
  cluster_exists: reads({
    doc: 'Return whether a Debian system has a cluster.',
    args: { version, name: cluster },
    returns: ret.boolean('Whether the cluster exists'),
    example: 'postgres.cluster_exists 15 main',
    run: async (ctx, { version, name }) => (await clusters(ctx)).has(`${version}/${name}`),
  }),
  cluster_remove: changes({
    doc: 'Remove a cluster of a Debian system.',
    args: { version, name: cluster, stop: arg.flag('Whether a running cluster is stopped first', { default: false }) },
    returns: ret.dict('What `cmd.run_all` returns'),
    example: 'postgres.cluster_remove 15 main stop=True',
    run: removeCluster,
  }),
}

export default defineModule({
  name: 'postgres',
  doc: 'Manage PostgreSQL.',
  when: async (ctx) => (await findProgram(ctx, 'psql')) !== undefined || 'psql was not found',
  functions: {
    version: reads({
      doc: 'Return the version of the server.',
      args: connection,
      returns: ret.optional(ret.string('Version; None without an answer of the server')),
      run: serverVersion,
    }),
    psql_query: reads({
      doc: 'Run a query that returns rows.',
      args: {
        query: arg.text('Query'),
        ...connection,
        write: arg.flag('Whether the query runs in a transaction that may write', { default: false }),
      },
      returns: ret.dicts('Rows by column; empty after a failure'),
      example: "postgres.psql_query 'select * from pg_stat_activity'",
      run: (ctx, { query, write, ...at }) => select(ctx, at, query, write),
    }),
    ...databaseFunctions,
    ...roleFunctions,
    ...extensionFunctions,
    ...withinFunctions,
    ...privilegeFunctions,
    ...directoryFunctions,
  },
})
