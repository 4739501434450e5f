// Debian has no S3 server. The listener here follows the documentation of S3's REST interface, and refuses requests
// whose signature differs from the one that it computes itself.
import { createHash, createHmac } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Log } from '../../base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import { FileServer } from '../file-server.ts'
import { KnownHashes } from '../known-hashes.ts'
import { ManifestBuilder } from '../manifest.ts'

const host = new LocalHost()
const SECRET = 'secret/key+of/S3'
const PAGE = 2
let root = ''
let count = 0
let cachedir = ''
let lines: string[] = []
let asked: string[] = []
let port = 0
let server: Server
let isDown = false
/** By bucket and key. */
const objects = new Map<string, string>()
const log: Log = (level, text) => void lines.push(`${level}: ${text}`)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/** The signature of version 4 for a request as it arrived. */
function signatureOf({ url = '', headers }: IncomingMessage, scope: string, names: string): string {
  const [path = '', query = ''] = url.split('?')
  const lines = names.split(';').map((name) => `${name}:${headers[name]}\n`)
  const request = ['GET', path, query, lines.join(''), names, headers['x-amz-content-sha256']].join('\n')
  const words = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n')
  let key: string | Buffer = `AWS4${SECRET}`
  for (const word of scope.split('/')) key = createHmac('sha256', key).update(word).digest()
  return createHmac('sha256', key).update(words).digest('hex')
}

function isSigned(request: IncomingMessage): boolean {
  const pattern = /^AWS4-HMAC-SHA256 Credential=AKID\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/
  const [, scope, names, signature] = pattern.exec(request.headers.authorization ?? '') ?? []
  return scope !== undefined && signature === signatureOf(request, scope, names!)
}

function listOf(bucket: string, marker: string): string {
  const keys = [...objects.keys()]
    .filter((name) => name.startsWith(`${bucket} `))
    .map((name) => name.slice(bucket.length + 1))
    .filter((key) => key > marker)
    .sort()
  const inXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const entries = keys.slice(0, PAGE).map((key) => {
    const text = objects.get(`${bucket} ${key}`)!
    const facts = `<LastModified>2024-05-06T07:08:09.000Z</LastModified><ETag>&quot;${md5(text)}&quot;</ETag>`
    return `<Contents><Key>${inXml(key)}</Key>${facts}<Size>${text.length}</Size></Contents>`
  })
  const more = `<IsTruncated>${keys.length > PAGE}</IsTruncated>`
  const space = 'http://s3.amazonaws.com/doc/2006-03-01/'
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="${space}"><Name>${bucket}</Name>${more}${entries.join('')}</ListBucketResult>`
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'brine-s3fs-'))
  server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://x')
    const [, bucket = '', key = ''] = /^\/([^/]*)\/(.*)$/s.exec(decodeURIComponent(url.pathname)) ?? []
    asked.push(`${request.method} ${url.pathname}`)
    const refuse = (status: number, code: string): void =>
      void response.writeHead(status).end(`<Error><Code>${code}</Code><Message>No ${code}</Message></Error>`)
    if (url.pathname.startsWith('/latest/')) return metadata(request, url.pathname, (text) => void response.end(text))
    if (isDown) return refuse(503, 'SlowDown')
    if (!isSigned(request)) return refuse(403, 'SignatureDoesNotMatch')
    if (key === '') return void response.end(listOf(bucket, url.searchParams.get('marker') ?? ''))
    const text = objects.get(`${bucket} ${key}`)
    if (text === undefined) return refuse(404, 'NoSuchKey')
    response.setHeader('ETag', `"${md5(text)}"`).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})

/** The service that gives machines of EC2 the key of their role. */
function metadata({ method, headers }: IncomingMessage, path: string, answer: (text: string) => void): void {
  if (method === 'PUT') return answer('token')
  if (headers['x-aws-ec2-metadata-token'] !== 'token') return answer('')
  if (path.endsWith('/')) return answer('role')
  const Expiration = new Date(Date.now() + 3_600_000).toISOString()
  answer(JSON.stringify({ AccessKeyId: 'AKID', SecretAccessKey: SECRET, Token: 'session', Expiration }))
}

beforeEach(() => {
  cachedir = join(root, `cache${++count}`)
  objects.clear()
  lines = []
  asked = []
  isDown = false
})
afterEach(() => {
  delete process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT']
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(root, { recursive: true })
})

const KEYS = { 's3.keyid': 'AKID', 's3.key': SECRET }

const serverFor = (given: Record<string, Plain>): FileServer => {
  const where = { 's3.service_url': `127.0.0.1:${port}`, 's3.https_enable': false, 's3.path_style': true }
  const all = { __role: 'master', cachedir, fileserver_backend: ['s3fs'], hash_type: 'sha256', ...where, ...given }
  const opts: Dict = new Map<Value, Value>(Object.entries(all).map(([name, value]) => [name, fromPlain(value)]))
  return new FileServer(opts, host, log)
}

const quiet = (): undefined => undefined

async function textOf(files: FileServer, path: string, saltenv: string): Promise<string | undefined> {
  const found = await files.find(path, saltenv)
  return found && Buffer.from(await host.read(found.path)).toString()
}

describe('s3fs', () => {
  test('serves buckets as environments, over pages of lists, with signed requests', async () => {
    for (const key of ['a b/c&d.txt', 'top.sls', 'web/init.sls', 'web/x/y', 'empty/']) objects.set(`one ${key}`, key)
    objects.set('two top.sls', 'second')
    objects.set('two more', 'more')
    const files = serverFor({ ...KEYS, 's3.buckets': { base: ['one', 'two'], dev: ['two'] } })
    await files.update(quiet)
    expect(lines).toEqual([])
    expect(await files.envs()).toEqual(['base', 'dev'])
    expect(await files.list('base')).toMatchObject({
      files: ['a b/c&d.txt', 'more', 'top.sls', 'web/init.sls', 'web/x/y'],
      dirs: ['a b', 'empty', 'web', 'web/x'],
    })
    expect(await textOf(files, 'top.sls', 'base')).toBe('top.sls')
    expect(await textOf(files, 'top.sls', 'dev')).toBe('second')
    expect(await textOf(files, 'a b/c&d.txt', 'base')).toBe('a b/c&d.txt')
    expect((await files.find('more', 'base'))?.stat).toMatchObject({ mode: 0o644, size: 4 })
    expect(await files.folder('web', 'base')).toEqual([
      { name: 'init.sls', path: 'web/init.sls', kind: 'file', size: 12 },
      { name: 'x', path: 'web/x', kind: 'folder', size: null },
    ])
    expect(await files.find('web', 'base')).toBe(undefined)
    expect(asked.filter((line) => line === 'GET /one/')).toHaveLength(3)
  })

  test('serves top folders as environments, and fetches files on request', async () => {
    objects.set('one base/f', 'x').set('one dev/g', 'y').set('one loose', 'z').set('two base/h', 'h')
    const files = serverFor({ ...KEYS, 's3.buckets': ['one', 'two'], 's3.s3_sync_on_update': false })
    await files.update(quiet)
    expect(await files.envs()).toEqual(['base', 'dev'])
    expect((await files.list('base')).files).toEqual(['f', 'h'])
    expect([...(await new ManifestBuilder(files, new KnownHashes(host), 'sha256').answer('base', '')).keys()]).toEqual(
      [],
    )
    expect(asked.filter((line) => line.includes('base'))).toEqual([])
    expect(await textOf(files, 'h', 'base')).toBe('h')
    expect(await textOf(files, 'h', 'base')).toBe('h')
    expect(asked.filter((line) => line.includes('base'))).toEqual(['GET /two/base/h'])
    objects.set('two base/h', 'changed')
    await files.update(quiet)
    expect(await textOf(files, 'h', 'base')).toBe('changed')
  })

  test('keeps serving while a bucket fails, and reports it once', async () => {
    objects.set('one f', 'x')
    const files = serverFor({ ...KEYS, 's3.buckets': { base: ['one'] } })
    const events: string[] = []
    const update = () => files.update((tag) => events.push(tag), null, { isQuiet: true })
    await update()
    isDown = true
    await update()
    await update()
    expect(lines).toEqual(["error: Error occurred fetching s3fs bucket 'one': SlowDown: No SlowDown"])
    expect(await textOf(files, 'f', 'base')).toBe('x')
    const [status] = (await files.backends()[0]!.status!()).map((one) => toPlain(one) as Record<string, Plain>)
    expect(status).toMatchObject({ url: 'one', refs: 1, last_error: 'SlowDown: No SlowDown', update_interval: 30 })
    isDown = false
    await update()
    expect(events).toEqual(['salt/fileserver/s3fs/failed', 'salt/fileserver/s3fs/recovered'])
    const [folder = ''] = readdirSync(join(cachedir, 's3cache'))
    expect(statSync(join(cachedir, 's3cache', folder)).mode & 0o777).toBe(0o700)
    files.backends()[0]!.clearCache!()
    expect(existsSync(join(cachedir, 's3cache'))).toBe(false)
  })

  test('does not serve keys that lead out of a folder, or that are ignored', async () => {
    for (const key of ['../up', 'a/../../b', '/etc/x', 'a//b', './c', 'new\tline', 'good', 'x.swp'])
      objects.set(`one ${key}`, 'x')
    const files = serverFor({ ...KEYS, 's3.buckets': { base: ['one'] }, file_ignore_glob: ['*.swp'] })
    await files.update(quiet)
    expect((await files.list('base')).files).toEqual(['good'])
    for (const path of ['../up', 'a/../../b', 'a//b', './c', 'x.swp'])
      expect(await files.find(path, 'base')).toBe(undefined)
  })

  test('reports a refused key, without secrets', async () => {
    const files = serverFor({ 's3.keyid': 'AKID', 's3.key': 'wrongwrong', 's3.buckets': { base: ['one'] } })
    await files.update(quiet)
    expect(lines).toEqual([
      "error: Error occurred fetching s3fs bucket 'one': SignatureDoesNotMatch: No SignatureDoesNotMatch",
    ])
    expect(() => serverFor({ ...KEYS, 's3.buckets': ['evil.example/x?'] }).check()).toThrow('is no name of a bucket')
    expect(() => serverFor({ ...KEYS, 's3.buckets': 'one' }).check()).toThrow('Incorrect s3.buckets type')
  })

  test('uses the role of the machine where no key is configured', async () => {
    process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = `http://127.0.0.1:${port}`
    objects.set('one f', 'x')
    const files = serverFor({ 's3.buckets': { base: ['one'] } })
    await files.update(quiet)
    expect(lines).toEqual([])
    expect(await textOf(files, 'f', 'base')).toBe('x')
    expect(asked[0]).toBe('PUT /latest/api/token')
  })
})
