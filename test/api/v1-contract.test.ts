// The contract of the interface under /v1: the OpenAPI document, its manual, and how the server is placed by its options.
//
// With BRINE_API_TOOLS, the folder of an installation of @redocly/cli, openapi-typescript, openapi-fetch and typescript 5, the document
// is linted, and a client that is generated from it is compiled and drives a job. The packages are no dependencies: openapi-typescript
// needs an older TypeScript than this project.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V1Site } from './v1-site.ts'

type Operation = { operationId: string; summary: string; tags: string[]; responses: Record<string, unknown> }

let site: V1Site
let document: { openapi: string; paths: Record<string, Record<string, Operation>>; tags: { name: string }[] }

beforeAll(async () => {
  site = await V1Site.open({}, { root_prefix: '/salt' })
  document = (await site.send('GET', '/salt/openapi.json')).body
})
afterAll(() => site?.close())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )

describe('the OpenAPI document', () => {
  it('describes the interface under /v1 and that of Salt', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/salt' }] })
    const paths = Object.keys(document.paths)
    const salt = [
      '/',
      '/login',
      '/logout',
      '/token',
      '/minions',
      '/jobs',
      '/keys',
      '/run',
      '/hook',
      '/events',
      '/stats',
    ]
    expect(paths).toEqual(expect.arrayContaining(salt))
    for (const path of [
      '/v1/jobs',
      '/v1/jobs/{jid}/returns/{minion}',
      '/v1/minions/{id}/pillar',
      '/v1/functions/{name}',
    ]) {
      expect(paths).toContain(path)
    }
  })

  it('names every operation once, with a summary, a known tag, and what is refused', () => {
    const ids = operations().map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = new Set(document.tags.map(({ name }) => name))
    const isOpen = (operation: string): boolean => ['get /', 'get /login', 'get /v1/login'].includes(operation)
    for (const { summary, tags: own, responses, path, method } of operations()) {
      expect([path, summary]).toEqual([path, expect.stringMatching(/\S/)])
      expect(own.every((tag) => tags.has(tag))).toBe(true)
      if (!isOpen(`${method} ${path}`)) expect(Object.keys(responses)).toContain('401')
    }
  })

  it('has everything that it refers to', () => {
    const references = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, place]) => place!),
    )
    expect(references.size).toBeGreaterThan(20)
    for (const place of references) {
      const found = place
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
      expect([place, found]).toEqual([place, expect.any(Object)])
    }
  })
})

describe('the server', () => {
  it('serves the manual without scripts, and everything below the prefix', async () => {
    const { status, body, headers } = await site.send('GET', '/salt/docs')
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(body).not.toMatch(/<script|src=|@import|https?:\/\/(?!www\.w3)/)
    for (const { operationId } of operations()) expect(body).toContain(`id="${operationId}"`)
    const { body: login } = await site.send('POST', '/salt/v1/login', site.credentials('admin'))
    expect((await site.send('GET', '/salt/v1/session', undefined, { 'X-Auth-Token': login.token })).status).toBe(200)
    for (const path of ['/v1/session', '/openapi.json', '/docs'])
      expect((await site.send('GET', path)).status).toBe(404)
  })

  it('leaves its paths to a hook that the options put there, and refuses addresses that may not send', async () => {
    const other = await V1Site.open({ netapi_enable_clients: [] }, { webhook_url: '/docs', webhook_disable_auth: true })
    try {
      const fired = await other.send('POST', '/docs/deploy', { a: 1 }, { Accept: 'application/json' })
      expect(fired.body).toEqual({ success: true })
      expect(await other.as('admin', 'GET', '/v1/status')).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('netapi_enable_clients') },
      })
    } finally {
      await other.close()
    }
    const closed = await V1Site.open({}, { authorized_ips: ['192.0.2.1'] })
    try {
      expect(await closed.send('GET', '/openapi.json')).toMatchObject({ status: 403 })
      expect(await closed.send('POST', '/v1/login', closed.credentials('admin'))).toMatchObject({ status: 403 })
    } finally {
      await closed.close()
    }
  })
})

const tools = process.env['BRINE_API_TOOLS']

const PROGRAM = `import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'

declare const process: { argv: string[] }
const [baseUrl, password] = process.argv.slice(2) as [string, string]
const client = createClient<paths>({ baseUrl })
const login = await client.POST('/v1/login', { body: { username: 'admin', password, eauth: 'sharedsecret' } })
if (!login.data) throw new Error(login.error.detail)
client.use({ onRequest: ({ request }) => request.headers.set('X-Auth-Token', login.data.token) })
const begun = await client.POST('/v1/jobs', { body: { target: 'web1', targetType: 'glob', function: 'test.echo', args: ['typed'] } })
if (!begun.data) throw new Error(begun.error.detail)
for (;;) {
  const { data, error } = await client.GET('/v1/jobs/{jid}/returns/{minion}', { params: { path: { jid: begun.data.jid, minion: 'web1' } } })
  if (data) { console.log(JSON.stringify(data.value)); break }
  if (error.status !== 404) throw new Error(error.detail)
  await new Promise((done) => setTimeout(done, 50))
}
`

describe.skipIf(tools === undefined)('tools of others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-contract-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const run = (name: string, args: string[]): string =>
    execFileSync(join(tools!, 'node_modules', '.bin', name), args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  const file = join(folder, 'openapi.json')
  beforeAll(() => {
    writeFileSync(file, JSON.stringify(document))
    symlinkSync(join(tools!, 'node_modules'), join(folder, 'node_modules'))
  })

  it('find nothing wrong with the document', () => {
    expect(() => run('redocly', ['lint', '--max-problems=20', file])).not.toThrow()
  })

  it('make the types that the console has', () => {
    const own = join(import.meta.dirname, '..', '..', 'src', 'console', 'api', 'schema.d.ts')
    run('openapi-typescript', [file, '-o', 'console.d.ts'])
    const text = readFileSync(join(folder, 'console.d.ts'), 'utf8')
    if (process.env['BRINE_WRITE_TYPES']) writeFileSync(own, text)
    // after a change of the interface: node --import tsx tools/console-types.ts
    expect(readFileSync(own, 'utf8') === text).toBe(true)
  })

  it('make a client that compiles and drives a job', async () => {
    await site.site.minion('web1')
    await site.master.event(/^salt\/minion\/web1\/start$/)
    run('openapi-typescript', [file, '-o', 'schema.d.ts'])
    writeFileSync(join(folder, 'program.mts'), PROGRAM)
    run('tsc', ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', 'program.mts'])
    const { execFile } = await import('node:child_process')
    const password = site.credentials('admin')['password']!
    const printed = await new Promise<string>((done, fail) => {
      execFile(process.execPath, ['program.mjs', `${site.url}/salt`, password], { cwd: folder }, (error, out) =>
        error ? fail(error) : done(out),
      )
    })
    expect(JSON.parse(printed)).toBe('typed')
  })
})
