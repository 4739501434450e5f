// What Vault answers about approles and entities.
import type { Case } from './case.ts'

const roles: readonly Case[] = [
  {
    name: 'The method approle is enabled',
    as: 'root',
    request: 'POST sys/auth/{run}roles',
    body: { type: 'approle' },
    status: 204,
  },
  {
    name: 'Auth methods have accessors',
    as: 'root',
    request: 'GET sys/auth',
    status: 200,
    answer: { data: { '{run}roles/': { type: 'approle', accessor: '/^auth_approle_/' } } },
    keep: { accessor: 'data.{run}roles/.accessor' },
  },
  {
    name: 'There is no such role',
    as: 'root',
    request: 'GET auth/{run}roles/role/web1',
    status: 404,
    answer: { errors: [] },
  },
  { name: 'No roles are no list', as: 'root', request: 'GET auth/{run}roles/role?list=true', status: 404 },
  {
    name: 'A role is made',
    as: 'root',
    request: 'POST auth/{run}roles/role/web1',
    body: {
      bind_secret_id: true,
      secret_id_num_uses: 1,
      secret_id_ttl: 60,
      token_explicit_max_ttl: 60,
      token_num_uses: 10,
      token_policies: ['{run}reader'],
    },
    status: 204,
  },
  {
    name: 'A role is read',
    as: 'root',
    request: 'GET auth/{run}roles/role/web1',
    status: 200,
    answer: {
      data: {
        bind_secret_id: true,
        secret_id_num_uses: 1,
        secret_id_ttl: 60,
        token_explicit_max_ttl: 60,
        token_num_uses: 10,
        token_policies: ['{run}reader'],
        token_ttl: 0,
        token_period: 0,
      },
    },
  },
  {
    name: 'Roles are listed',
    as: 'root',
    request: 'GET auth/{run}roles/role?list=true',
    status: 200,
    answer: { data: { keys: ['web1'] } },
  },
  {
    name: 'A role has an id',
    as: 'root',
    request: 'GET auth/{run}roles/role/web1/role-id',
    status: 200,
    keep: { role: 'data.role_id' },
  },
  {
    name: 'A secret id is made',
    as: 'root',
    request: 'POST auth/{run}roles/role/web1/secret-id',
    body: { metadata: '{"minion":"web1"}' },
    status: 200,
    keep: { secret: 'data.secret_id' },
  },
  {
    name: 'A secret id is looked up',
    as: 'root',
    request: 'POST auth/{run}roles/role/web1/secret-id/lookup',
    body: { secret_id: '{secret}' },
    status: 200,
    answer: { data: { metadata: { minion: 'web1' }, secret_id_num_uses: 1 } },
  },
  {
    name: 'No login without a secret id',
    request: 'POST auth/{run}roles/login',
    body: { role_id: '{role}' },
    status: 400,
    answer: { errors: ['missing secret_id'] },
  },
  {
    name: 'No login with another role',
    request: 'POST auth/{run}roles/login',
    body: { role_id: 'x', secret_id: '{secret}' },
    status: 400,
    answer: { errors: ['/^invalid role (or secret )?ID$/'] },
  },
  {
    name: 'A login',
    request: 'POST auth/{run}roles/login',
    body: { role_id: '{role}', secret_id: '{secret}' },
    status: 200,
    answer: {
      auth: {
        policies: ['default', '{run}reader'],
        lease_duration: 60,
        metadata: { minion: 'web1', role_name: 'web1' },
      },
    },
    keep: { logged: 'auth.client_token' },
  },
  {
    name: 'A secret id for one login serves one',
    request: 'POST auth/{run}roles/login',
    body: { role_id: '{role}', secret_id: '{secret}' },
    status: 400,
    answer: { errors: ['/^invalid (role or )?secret (id|ID)/'] },
  },
  { name: 'What a login gives works', as: 'logged', request: 'GET {run}two/data/app/db', status: 200 },
  {
    name: 'A secret id of no role is refused',
    as: 'root',
    request: 'POST auth/{run}roles/role/none/secret-id',
    body: {},
    status: 404,
    answer: { errors: ['/role "none" does not exist/'] },
  },
]

const entities: readonly Case[] = [
  { name: 'There is no such entity', as: 'root', request: 'GET identity/entity/name/{run}web1', status: 404 },
  {
    name: 'An entity is made',
    as: 'root',
    request: 'POST identity/entity/name/{run}web1',
    body: { metadata: { 'minion-id': 'web1' } },
    status: 200,
    keep: { entity: 'data.id' },
  },
  {
    name: 'An entity is read',
    as: 'root',
    request: 'GET identity/entity/name/{run}web1',
    status: 200,
    answer: { data: { name: '{run}web1', metadata: { 'minion-id': 'web1' } } },
  },
  {
    name: 'No entity has the alias',
    as: 'root',
    request: 'POST identity/lookup/entity',
    body: { alias_name: '{role}', alias_mount_accessor: '{accessor}x' },
    status: 204,
  },
  { name: 'An entity is deleted', as: 'root', request: 'DELETE identity/entity/name/{run}web1', status: 204 },
]

export const ROLE_CASES: readonly Case[] = [...roles, ...entities]
