// A server of Vault for tests, with what Brine's documents ask for: the stand-in, or a real one that VAULT_ADDR and VAULT_TOKEN name.
import { randomBytes } from 'node:crypto'
import { VaultServer } from './server.ts'

/** The parts of an answer that tests ask for. */
export interface Answered {
  data: Record<string, unknown>
  wrap_info: Record<string, string>
}

export interface TestVault {
  url: string
  root: string
  /** A part of names that is new in each run. */
  run: string
  /** The stand-in; undefined for a real server. */
  server: VaultServer | undefined
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>
  stop(): Promise<void>
}

/** Open a server with the engines `<run>one/` and `<run>two/`, the auth method `<run>roles`, and a role `master` that may do everything. */
export async function openVault(): Promise<TestVault> {
  const real = process.env.VAULT_ADDR
  const server = real === undefined ? await VaultServer.start() : undefined
  const url = real ?? `http://127.0.0.1:${server!.port}`
  const root = server?.rootToken ?? process.env.VAULT_TOKEN ?? ''
  const run = `t-brine-${randomBytes(4).toString('hex')}-`
  const ask: TestVault['ask'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': root, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? { data: {}, wrap_info: {} } : (JSON.parse(text) as Answered)
  }
  const vault = { url, root, run, server, ask, stop: async () => server?.stop() }
  await ask('POST', `sys/mounts/${run}one`, { type: 'kv', options: { version: '1' } })
  await ask('POST', `sys/mounts/${run}two`, { type: 'kv', options: { version: '2' } })
  await ask('POST', `sys/auth/${run}roles`, { type: 'approle' })
  await ask('PUT', `sys/policy/${run}master`, { policy: MASTER_POLICY })
  await ask('POST', `auth/${run}roles/role/master`, { token_policies: [`${run}master`], token_ttl: 3600 })
  return vault
}

const EVERYTHING = '{ capabilities = ["create", "read", "update", "delete", "list", "sudo"] }'
const MASTER_POLICY = `path "*" ${EVERYTHING}\n`

/** Return the option `auth` for a role of the server. */
export async function roleOf({ ask, run }: TestVault, role = 'master'): Promise<Record<string, string>> {
  const id = await ask('GET', `auth/${run}roles/role/${role}/role-id`)
  const secret = await ask('POST', `auth/${run}roles/role/${role}/secret-id`, {})
  return {
    method: 'approle',
    approle_mount: `${run}roles`,
    approle_name: role,
    role_id: id.data.role_id as string,
    secret_id: secret.data.secret_id as string,
  }
}
