// PostgreSQL, through psql: databases, roles, extensions, schemas, privileges. A server that does not answer reads as
// an empty one, as in Salt; what psql said is in the log.
import { truthy } from '../../../data/mod.ts'
import { defineModule, ret } from '../../../sdk/mod.ts'
import { asking, CONNECTION, changing, text } from './module/arguments.ts'
import { clusters, createCluster, directoryExists, initDirectory, removeCluster } from './module/clusters.ts'
import * as database from './module/databases.ts'
import * as extension from './module/extensions.ts'
import { grantPrivileges, hasPrivileges, listPrivileges, revokePrivileges, targetOf } from './module/privileges.ts'
import { execute, findProgram, select, serverVersion } from './module/psql.ts'
import { createRole, getRole, listRoles, removeRole, roleExists, updateRole } from './module/roles.ts'

const NAMED = `name! ${CONNECTION}`
const SCHEMA = 'dbname! name! user db_user db_password db_host db_port'
const LANGUAGE = 'maintenance_db! user host port password runas'
const SERVER = 'user host port maintenance_db password'
const PRIVILEGE = 'prepend=public maintenance_db user host port password runas'

const databases = {
  db_list: asking(
    'All databases and their properties.',
    CONNECTION,
    'db_list',
    database.databases,
    ret.dict('The properties, by database'),
  ),
  db_exists: asking(
    'Whether there is a database.',
    NAMED,
    'db_exists dbname',
    async (ctx, given) => (await database.databases(ctx, given)).has(text(given, 'name')),
    ret.boolean('Whether it is there'),
  ),
  db_create: changing(
    'Make a database.',
    `name! ${SERVER} tablespace encoding lc_collate lc_ctype owner template runas`,
    'db_create dbname template=template_postgis',
    database.createDatabase,
  ),
  db_alter: changing(
    'Change the tablespace or owner of a database.',
    `name! ${SERVER} tablespace owner owner_recurse=false runas`,
    'db_alter dbname owner=otheruser',
    async (ctx, given) => database.nothingToAlter(given, 'tablespace', 'owner') || database.alterDatabase(ctx, given),
  ),
  db_remove: changing(
    'Drop a database and end its sessions.',
    NAMED,
    'db_remove dbname',
    database.removeDatabase,
    ret.boolean('Whether it is gone'),
  ),
  owner_to: changing(
    'Give a database and all in it to another role.',
    'dbname! ownername! user host port password runas',
    'owner_to dbname username',
    (ctx, given) => database.changeOwner(ctx, given, text(given, 'dbname'), text(given, 'ownername')),
  ),
  tablespace_list: asking(
    'All tablespaces.',
    CONNECTION,
    'tablespace_list',
    database.tablespaces,
    ret.dict('The properties, by tablespace'),
  ),
  tablespace_exists: asking(
    'Whether there is a tablespace.',
    NAMED,
    'tablespace_exists fast',
    async (ctx, given) => (await database.tablespaces(ctx, given)).has(text(given, 'name')),
    ret.boolean('Whether it is there'),
  ),
  tablespace_create: changing(
    'Make a tablespace in a directory.',
    `name! location! options owner ${CONNECTION}`,
    'tablespace_create fast /srv/fast',
    database.createTablespace,
  ),
  tablespace_alter: changing(
    'Change the name, owner or options of a tablespace.',
    `name! ${SERVER} new_name new_owner set_option reset_option runas`,
    'tablespace_alter fast new_owner=otheruser',
    database.alterTablespace,
  ),
  tablespace_remove: changing(
    'Drop a tablespace.',
    NAMED,
    'tablespace_remove fast',
    (ctx, given) => execute(ctx, given, `DROP TABLESPACE "${text(given, 'name')}"`),
    ret.boolean('Whether it is gone'),
  ),
}

const USER = 'rolepassword valid_until groups runas'

const roles = {
  user_list: asking('All roles.', `${CONNECTION} return_password=false`, 'user_list', listRoles),
  role_get: asking('One role.', `${NAMED} return_password=false`, 'role_get postgres', (ctx, given) =>
    getRole(ctx, given, given['name']!),
  ),
  user_exists: asking('Whether there is a role.', NAMED, 'user_exists joe', (ctx, given) =>
    roleExists(ctx, given, given['name']!),
  ),
  user_create: changing(
    'Make a role that can log in.',
    `username! ${SERVER} createdb createroles inherit login connlimit encrypted superuser replication ${USER}`,
    'user_create joe rolepassword=secret',
    (ctx, given) => createRole(ctx, given, text(given, 'username'), 'user'),
  ),
  user_update: changing(
    'Change a role.',
    `username! ${SERVER} createdb createroles encrypted superuser inherit login connlimit replication ${USER}`,
    'user_update joe createdb=True',
    (ctx, given) => updateRole(ctx, given, text(given, 'username'), 'user'),
  ),
  user_remove: changing('Drop a role.', `username! ${CONNECTION}`, 'user_remove joe', (ctx, given) =>
    removeRole(ctx, given, text(given, 'username')),
  ),
  group_create: changing(
    'Make a role that others are members of.',
    `groupname! ${SERVER} createdb createroles encrypted login inherit superuser replication rolepassword groups runas`,
    'group_create staff',
    (ctx, given) => createRole(ctx, given, text(given, 'groupname'), 'group'),
  ),
  group_update: changing(
    'Change a role that others are members of.',
    `groupname! ${SERVER} createdb createroles encrypted inherit login superuser replication rolepassword groups runas`,
    'group_update staff createdb=True',
    (ctx, given) => updateRole(ctx, given, text(given, 'groupname'), 'group'),
  ),
  group_remove: changing('Drop a role.', `groupname! ${CONNECTION}`, 'group_remove staff', (ctx, given) =>
    removeRole(ctx, given, text(given, 'groupname')),
  ),
}

const extensions = {
  available_extensions: asking(
    'Extensions that the server offers.',
    CONNECTION,
    'available_extensions',
    extension.availableExtensions,
  ),
  installed_extensions: asking(
    'Extensions of a database.',
    CONNECTION,
    'installed_extensions maintenance_db=app',
    extension.installedExtensions,
  ),
  get_available_extension: asking(
    'One extension that the server offers.',
    NAMED,
    'get_available_extension hstore',
    async (ctx, given) => (await extension.availableExtensions(ctx, given)).get(text(given, 'name')),
  ),
  get_installed_extension: asking(
    'One extension of a database.',
    NAMED,
    'get_installed_extension hstore',
    async (ctx, given) => (await extension.installedExtensions(ctx, given)).get(text(given, 'name')),
  ),
  is_available_extension: asking(
    'Whether the server offers an extension.',
    NAMED,
    'is_available_extension hstore',
    extension.isAvailable,
  ),
  is_installed_extension: asking(
    'Whether a database has an extension.',
    NAMED,
    'is_installed_extension hstore',
    extension.isInstalled,
  ),
  create_metadata: asking(
    'How an extension stands to what is wanted.',
    `name! ext_version schema ${CONNECTION}`,
    'create_metadata hstore ext_version=1.8',
    extension.extensionStatus,
    ret.texts('`EXTENSION NOT INSTALLED`; or `EXTENSION INSTALLED`, and what is left to do'),
  ),
  create_extension: changing(
    'Install an extension, or upgrade or move it.',
    `name! if_not_exists schema ext_version from_version ${CONNECTION}`,
    'create_extension hstore',
    extension.createExtension,
  ),
  drop_extension: changing(
    'Remove an extension from a database.',
    `name! if_exists restrict cascade ${CONNECTION}`,
    'drop_extension hstore',
    extension.dropExtension,
  ),
}

const within = {
  schema_list: asking('All schemas of a database.', SCHEMA.replace(' name!', ''), 'schema_list app', database.schemas),
  schema_get: asking('One schema of a database.', SCHEMA, 'schema_get app public', async (ctx, given) =>
    (await database.schemas(ctx, given)).get(text(given, 'name')),
  ),
  schema_exists: asking('Whether a database has a schema.', SCHEMA, 'schema_exists app public', database.schemaExists),
  schema_create: changing(
    'Make a schema.',
    SCHEMA.replace('name! user', 'name! owner user'),
    'schema_create app audit owner=joe',
    database.createSchema,
  ),
  schema_remove: changing('Drop a schema.', SCHEMA, 'schema_remove app audit', database.removeSchema),
  language_list: asking(
    'All languages of a database.',
    LANGUAGE,
    'language_list app',
    database.languages,
    ret.dict('The languages, by name'),
  ),
  language_exists: asking(
    'Whether a database has a language.',
    `name! ${LANGUAGE}`,
    'language_exists plpgsql app',
    async (ctx, given) => (await database.languages(ctx, given)).has(text(given, 'name')),
  ),
  language_create: changing('Install a language.', `name! ${LANGUAGE}`, 'language_create plperl app', (ctx, given) =>
    database.setLanguage(ctx, given, true),
  ),
  language_remove: changing('Remove a language.', `name! ${LANGUAGE}`, 'language_remove plperl app', (ctx, given) =>
    database.setLanguage(ctx, given, false),
  ),
}

const OBJECT = 'name! object_name! object_type! privileges'

const privileges = {
  privileges_list: asking(
    'Who may do what with an object.',
    `name! object_type! ${PRIVILEGE}`,
    'privileges_list orders table maintenance_db=app',
    (ctx, given) => listPrivileges(ctx, given, targetOf(given, 'name')),
  ),
  has_privileges: asking(
    'Whether a role may do something with an object.',
    `${OBJECT} grant_option ${PRIVILEGE}`,
    'has_privileges joe orders table SELECT,INSERT maintenance_db=app',
    hasPrivileges,
  ),
  privileges_grant: changing(
    'Allow a role to do something with an object.',
    `${OBJECT} grant_option ${PRIVILEGE}`,
    'privileges_grant joe orders table SELECT,UPDATE maintenance_db=app',
    grantPrivileges,
  ),
  privileges_revoke: changing(
    'Forbid a role to do something with an object.',
    `${OBJECT} ${PRIVILEGE}`,
    'privileges_revoke joe orders table SELECT,UPDATE maintenance_db=app',
    revokePrivileges,
  ),
}

const directories = {
  datadir_init: changing(
    'Make a data directory.',
    'name! auth=password user password encoding=UTF8 locale waldir checksums=false runas',
    'datadir_init /srv/pgsql/data',
    initDirectory,
  ),
  datadir_exists: asking('Whether a directory holds data.', 'name!', 'datadir_exists /srv/pgsql/data', (ctx, given) =>
    directoryExists(ctx, given['name']!),
  ),
  cluster_create: changing(
    'Make a cluster of a Debian system.',
    'version! name=main port locale encoding datadir allow_group_access data_checksums wal_segsize',
    'cluster_create 15 main',
    createCluster,
  ),
  cluster_list: asking(
    'The clusters of a Debian system.',
    'verbose=false',
    'cluster_list verbose=True',
    async (ctx, given) => {
      const found = await clusters(ctx)
      return truthy(given['verbose']!) ? found : [...found.keys()]
    },
  ),
  cluster_exists: asking(
    'Whether a Debian system has a cluster.',
    'version! name=main',
    'cluster_exists 15 main',
    async (ctx, given) => (await clusters(ctx)).has(`${text(given, 'version')}/${text(given, 'name')}`),
  ),
  cluster_remove: changing(
    'Remove a cluster of a Debian system.',
    'version! name=main stop=false',
    'cluster_remove 15 main stop=True',
    removeCluster,
  ),
}

export default defineModule({
  name: 'postgres',
  doc: 'Work with PostgreSQL.',
  when: async (ctx) => (await findProgram(ctx, 'psql')) !== undefined || 'psql was not found',
  functions: {
    version: asking('The version of the server.', CONNECTION, 'version', serverVersion),
    psql_query: asking(
      'Run a query that returns rows.',
      `query! ${CONNECTION} write=false`,
      "psql_query 'select * from pg_stat_activity'",
      (ctx, given) => select(ctx, given, text(given, 'query'), truthy(given['write']!)),
    ),
    ...databases,
    ...roles,
    ...extensions,
    ...within,
    ...privileges,
    ...directories,
  },
})
