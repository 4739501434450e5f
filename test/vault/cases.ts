// What Vault answers to requests, in the order they are made: put to the stand-in by the gate, and to a real server of Vault or OpenBao
// with VAULT_ADDR and VAULT_TOKEN. `{name}` stands for what an earlier answer had, and for a part of names that is new in each run.
import type { Case } from './case.ts'
import { ROLE_CASES } from './role-cases.ts'

const READER =
  'path "{run}two/data/app/*" { capabilities = ["read"] }\npath "{run}two/metadata/app/*" { capabilities = ["list"] }\n'

/** What a token gets that is not valid; up to Vault 1.16 without the second sentence. */
const INVALID_TOKEN = '/^(permission denied|2 errors occurred:\\s+\\* permission denied\\s+\\* invalid token\\s*)$/'

const engines: Case[] = [
  {
    name: 'A request without a token is refused',
    request: 'GET auth/token/lookup-self',
    // a bad request up to Vault 1.9
    status: [403, 400],
    answer: { errors: ['/^(permission denied|missing client token)$/'] },
  },
  {
    name: 'A token that there is not is refused',
    as: '=nobody',
    request: 'GET auth/token/lookup-self',
    status: 403,
    answer: { errors: [INVALID_TOKEN] },
  },
  {
    name: 'An engine of version 1 is mounted',
    as: 'root',
    request: 'POST sys/mounts/{run}one',
    body: { type: 'kv', options: { version: '1' } },
    status: 204,
  },
  {
    name: 'An engine of version 2 is mounted',
    as: 'root',
    request: 'POST sys/mounts/{run}two',
    body: { type: 'kv', options: { version: '2' } },
    status: 204,
  },
  {
    name: 'A mount is in use',
    as: 'root',
    request: 'POST sys/mounts/{run}one',
    body: { type: 'kv' },
    status: 400,
    answer: { errors: ['/path is already in use at /'] },
  },
  {
    name: 'The mount of a path is told, version 1',
    as: 'root',
    request: 'GET sys/internal/ui/mounts/{run}one/a/b',
    status: 200,
    answer: { data: { path: '{run}one/', type: 'kv', options: { version: '1' } } },
  },
  {
    name: 'The mount of a path is told, version 2',
    as: 'root',
    request: 'GET sys/internal/ui/mounts/{run}two/a',
    status: 200,
    answer: { data: { path: '{run}two/', type: 'kv', options: { version: '2' } } },
  },
  {
    name: 'The mount of no path is refused',
    as: 'root',
    request: 'GET sys/internal/ui/mounts/{run}none/a',
    status: 403,
    answer: { errors: ['/preflight capability check returned 403/'] },
  },
]

const versionOne: Case[] = [
  {
    name: 'Nothing is at a path of version 1',
    as: 'root',
    request: 'GET {run}one/a',
    status: 404,
    answer: { errors: [] },
  },
  {
    name: 'A secret without fields cannot be written',
    as: 'root',
    request: 'PUT {run}one/a',
    body: {},
    status: 400,
    answer: { errors: ['missing data fields'] },
  },
  {
    name: 'A secret is written to version 1',
    as: 'root',
    request: 'PUT {run}one/a/b',
    body: { user: 'joe', n: 5 },
    status: 204,
  },
  {
    name: 'A secret of version 1 is read',
    as: 'root',
    request: 'GET {run}one/a/b',
    status: 200,
    answer: { data: { user: 'joe', n: 5 }, lease_id: '', renewable: false },
  },
  {
    name: 'Names of version 1 are listed',
    as: 'root',
    request: 'GET {run}one/?list=true',
    status: 200,
    answer: { data: { keys: ['a/'] } },
  },
  { name: 'A secret of version 1 is deleted', as: 'root', request: 'DELETE {run}one/a/b', status: 204 },
  { name: 'No names are no list', as: 'root', request: 'GET {run}one/?list=true', status: 404, answer: { errors: [] } },
]

const versionTwo: Case[] = [
  {
    name: 'Nothing is at a path of version 2',
    as: 'root',
    request: 'GET {run}two/data/app/db',
    status: 404,
    answer: { errors: [] },
  },
  {
    name: 'Version 2 wants data',
    as: 'root',
    request: 'PUT {run}two/data/app/db',
    body: { a: 1 },
    status: 400,
    answer: { errors: ['/no data provided/'] },
  },
  {
    name: 'A first version is written',
    as: 'root',
    request: 'PUT {run}two/data/app/db',
    body: { data: { password: 'one' } },
    status: 200,
    answer: { data: { version: 1, destroyed: false, deletion_time: '' } },
  },
  {
    name: 'A second version is written',
    as: 'root',
    request: 'PUT {run}two/data/app/db',
    body: { data: { password: 'two' }, options: { cas: 1 } },
    status: 200,
    answer: { data: { version: 2 } },
  },
  {
    name: 'A version that is not the latest cannot be replaced',
    as: 'root',
    request: 'PUT {run}two/data/app/db',
    body: { data: { password: 'x' }, options: { cas: 1 } },
    status: 400,
    answer: { errors: ['/check-and-set parameter did not match the current version/'] },
  },
  {
    name: 'The latest version is read',
    as: 'root',
    request: 'GET {run}two/data/app/db',
    status: 200,
    answer: { data: { data: { password: 'two' }, metadata: { version: 2, destroyed: false } } },
  },
  {
    name: 'An older version is read',
    as: 'root',
    request: 'GET {run}two/data/app/db?version=1',
    status: 200,
    answer: { data: { data: { password: 'one' } } },
  },
  {
    name: 'Versions are listed',
    as: 'root',
    request: 'GET {run}two/metadata/app/db',
    status: 200,
    answer: { data: { current_version: 2, versions: { 1: { destroyed: false }, 2: { deletion_time: '' } } } },
  },
  {
    name: 'Names of version 2 are listed',
    as: 'root',
    request: 'GET {run}two/metadata/app/?list=true',
    status: 200,
    answer: { data: { keys: ['db'] } },
  },
  { name: 'The latest version is deleted', as: 'root', request: 'DELETE {run}two/data/app/db', status: 204 },
  {
    name: 'A deleted version has no data',
    as: 'root',
    request: 'GET {run}two/data/app/db',
    status: 404,
    answer: { data: { data: null, metadata: { version: 2, deletion_time: '/^20/' } } },
  },
  {
    name: 'A deleted version is restored',
    as: 'root',
    request: 'POST {run}two/undelete/app/db',
    body: { versions: [2] },
    status: 204,
  },
  {
    name: 'A restored version is read',
    as: 'root',
    request: 'GET {run}two/data/app/db',
    status: 200,
    answer: { data: { data: { password: 'two' } } },
  },
  {
    name: 'Some version must be named',
    as: 'root',
    request: 'POST {run}two/destroy/app/db',
    body: {},
    status: 400,
    answer: { errors: ['/[Nn]o version number provided/'] },
  },
  {
    name: 'A version is destroyed',
    as: 'root',
    request: 'POST {run}two/destroy/app/db',
    body: { versions: [1] },
    status: 204,
  },
  {
    name: 'A destroyed version has no data',
    as: 'root',
    request: 'GET {run}two/data/app/db?version=1',
    status: 404,
    answer: { data: { data: null, metadata: { destroyed: true } } },
  },
]

const policies: Case[] = [
  {
    name: 'There is no such policy',
    as: 'root',
    request: 'GET sys/policy/{run}reader',
    status: 404,
    answer: { errors: [] },
  },
  {
    name: 'A policy wants rules',
    as: 'root',
    request: 'PUT sys/policy/{run}reader',
    body: {},
    status: 400,
    answer: { errors: ['/policy/'] },
  },
  {
    name: 'A policy is written',
    as: 'root',
    request: 'PUT sys/policy/{run}reader',
    body: { policy: READER },
    status: 204,
  },
  {
    name: 'A policy is read',
    as: 'root',
    request: 'GET sys/policy/{run}reader',
    status: 200,
    answer: { rules: READER, data: { rules: READER, name: '{run}reader' } },
  },
  {
    name: 'Policies are listed',
    as: 'root',
    request: 'GET sys/policy',
    status: 200,
    answer: { policies: '/default.*{run}reader.*root/' },
  },
]

const tokens: Case[] = [
  {
    name: 'A token with a policy is made',
    as: 'root',
    request: 'POST auth/token/create',
    body: { policies: ['{run}reader'], ttl: '1h', num_uses: 4, meta: { 'saltstack-minion': 'web1' } },
    status: 200,
    answer: {
      auth: {
        policies: ['default', '{run}reader'],
        lease_duration: 3600,
        renewable: true,
        metadata: { 'saltstack-minion': 'web1' },
      },
    },
    keep: { reader: 'auth.client_token' },
  },
  {
    name: 'A token reads what its policy allows',
    as: 'reader',
    request: 'GET {run}two/data/app/db',
    status: 200,
    answer: { data: { data: { password: 'two' } } },
  },
  {
    name: 'The mount of its own path is told without a use',
    as: 'reader',
    request: 'GET sys/internal/ui/mounts/{run}two/app',
    status: 200,
    answer: { data: { path: '{run}two/' } },
  },
  {
    name: 'The mount of another path is refused',
    as: 'reader',
    request: 'GET sys/internal/ui/mounts/{run}one/app',
    status: 403,
  },
  {
    name: 'A token writes nothing that its policy does not allow',
    as: 'reader',
    request: 'PUT {run}two/data/app/db',
    body: { data: { a: '1' } },
    status: 403,
    answer: { errors: ['/permission denied/'] },
  },
  {
    name: 'Uses are counted',
    as: 'reader',
    request: 'GET auth/token/lookup-self',
    status: 200,
    answer: {
      data: {
        num_uses: 1,
        policies: ['default', '{run}reader'],
        path: 'auth/token/create',
        meta: { 'saltstack-minion': 'web1' },
      },
    },
  },
  { name: 'The last use works', as: 'reader', request: 'GET {run}two/data/app/db', status: 200 },
  {
    name: 'After it the token is gone',
    as: 'reader',
    request: 'GET {run}two/data/app/db',
    status: 403,
    answer: { errors: [INVALID_TOKEN] },
  },
  {
    name: 'A token with a limit is made',
    as: 'root',
    request: 'POST auth/token/create',
    body: { policies: ['{run}reader'], explicit_max_ttl: '60s' },
    status: 200,
    answer: { auth: { lease_duration: 60 } },
    keep: { limited: 'auth.client_token' },
  },
  {
    name: 'A token is renewed within its limit',
    as: 'limited',
    request: 'POST auth/token/renew-self',
    body: { increment: 3600 },
    status: 200,
    answer: { auth: { renewable: true, lease_duration: '/^(59|60)$/' } },
  },
  {
    name: 'A token makes no token with other policies',
    as: 'limited',
    request: 'POST auth/token/create',
    body: { policies: ['root'] },
    status: 403,
  },
  { name: 'A token is revoked by itself', as: 'limited', request: 'POST auth/token/revoke-self', status: 204 },
  {
    name: 'A revoked token is gone',
    as: 'limited',
    request: 'GET auth/token/lookup-self',
    status: 403,
    answer: { errors: [INVALID_TOKEN] },
  },
  {
    name: 'A token of an unknown role is refused',
    as: 'root',
    request: 'POST auth/token/create/{run}none',
    body: {},
    status: 400,
    answer: { errors: ['/unknown role/'] },
  },
]

const wrapping: Case[] = [
  {
    name: 'A wrapped token is made',
    as: 'root',
    request: 'POST auth/token/create',
    body: { policies: ['{run}reader'], ttl: 60 },
    wrap: '30s',
    status: 200,
    answer: { auth: null, data: null, wrap_info: { ttl: 30, creation_path: 'auth/token/create' } },
    keep: { wrapping: 'wrap_info.token' },
  },
  {
    name: 'A wrapping token says what made it',
    request: 'POST sys/wrapping/lookup',
    body: { token: '{wrapping}' },
    status: 200,
    answer: { data: { creation_path: 'auth/token/create', creation_ttl: 30 } },
  },
  {
    name: 'A wrapped token is unwrapped',
    as: 'wrapping',
    request: 'POST sys/wrapping/unwrap',
    status: 200,
    answer: { auth: { policies: ['default', '{run}reader'], lease_duration: 60 }, data: null },
    keep: { unwrapped: 'auth.client_token' },
  },
  {
    name: 'It is unwrapped once only',
    as: 'wrapping',
    request: 'POST sys/wrapping/unwrap',
    status: 400,
    answer: { errors: ['/wrapping token is not valid or does not exist/'] },
  },
  {
    name: 'Another wrapped token is made',
    as: 'root',
    request: 'POST auth/token/create',
    body: { policies: ['{run}reader'], ttl: 60 },
    wrap: '30s',
    status: 200,
    keep: { spent: 'wrap_info.token' },
  },
  { name: 'A wrapping token opens nothing else', as: 'spent', request: 'GET {run}two/data/app/db', status: 403 },
  {
    name: 'A wrapping token that was used for something else is spent',
    as: 'spent',
    request: 'POST sys/wrapping/unwrap',
    status: 400,
    answer: { errors: ['/wrapping token is not valid or does not exist/'] },
  },
  { name: 'What was wrapped works', as: 'unwrapped', request: 'GET {run}two/data/app/db', status: 200 },
]

const ending: Case[] = [
  { name: 'A policy is deleted', as: 'root', request: 'DELETE sys/policy/{run}reader', status: 204 },
  {
    name: 'A secret with its versions is removed',
    as: 'root',
    request: 'DELETE {run}two/metadata/app/db',
    status: 204,
  },
  { name: 'Engines are unmounted', as: 'root', request: 'DELETE sys/mounts/{run}two', status: 204 },
  { name: 'Engines are unmounted, too', as: 'root', request: 'DELETE sys/mounts/{run}one', status: 204 },
  { name: 'An auth method is disabled', as: 'root', request: 'DELETE sys/auth/{run}roles', status: 204 },
]

export const CASES: readonly Case[] = [
  ...engines,
  ...versionOne,
  ...versionTwo,
  ...policies,
  ...tokens,
  ...wrapping,
  ...ROLE_CASES,
  ...ending,
]
