// The stand-in of Vault answers as Vault does. With VAULT_ADDR and VAULT_TOKEN (a root token) the same cases are put to a real server.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Case } from '../vault/case.ts'
import { CASES } from '../vault/cases.ts'
import { VaultServer } from '../vault/server.ts'

const kept = new Map<string, string>([['run', `t-brine-${randomBytes(4).toString('hex')}-`]])
let own: VaultServer | undefined
let address = process.env.VAULT_ADDR ?? ''

beforeAll(async () => {
  if (address === '') {
    own = await VaultServer.start()
    address = `http://127.0.0.1:${own.port}`
  }
  kept.set('root', own?.rootToken ?? process.env.VAULT_TOKEN ?? '')
})
afterAll(() => own?.stop())

const filled = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value ?? null).replace(/\{(\w+)\}/g, (_, name: string) => kept.get(name) ?? `{${name}}`),
  ) as T

/** Check an answer for the expected parts. */
function check(answer: unknown, expected: unknown): void {
  if (typeof expected === 'string' && /^\/.*\/$/.test(expected)) {
    expect(typeof answer === 'string' ? answer : JSON.stringify(answer)).toMatch(new RegExp(expected.slice(1, -1), 's'))
  } else if (Array.isArray(expected)) {
    expect(answer).toHaveLength(expected.length)
    for (const [index, item] of expected.entries()) check((answer as unknown[])[index], item)
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [name, item] of Object.entries(expected)) check((answer as Record<string, unknown>)?.[name], item)
  } else {
    expect(answer).toEqual(expected)
  }
}

function at(answer: unknown, path: string): string {
  return String(path.split('.').reduce((value, name) => (value as Record<string, unknown>)?.[name], answer))
}

test.each(CASES.map((one): [string, Case] => [one.name, one]))('%s', async (_, given) => {
  const { as = '', request, body, wrap, status, answer, keep = {}, ...rest } = filled(given)
  const [method, path] = request.split(' ') as [string, string]
  const token = as.startsWith('=') ? as.slice(1) : (kept.get(as) ?? '')
  const response = await fetch(`${address}/v1/${path}`, {
    method,
    headers: { ...(token && { 'x-vault-token': token }), ...(wrap && { 'x-vault-wrap-ttl': wrap }) },
    ...(body !== null && body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const said: unknown = text === '' ? undefined : JSON.parse(text)
  const isExpected = [status].flat().includes(response.status)
  expect({ status: response.status, said: isExpected ? undefined : said }).toEqual({
    status: isExpected ? response.status : status,
    said: undefined,
  })
  if (answer !== null && answer !== undefined) check(said, answer)
  for (const [name, place] of Object.entries(keep)) kept.set(name, at(said, place))
  expect(rest.name).toBe(filled(given.name))
})
