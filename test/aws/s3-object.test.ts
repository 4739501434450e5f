// Objects of S3 by boto_s3. A listener keeps objects as S3 does: moto drops headers with underscores in their names, and Salt's mark is one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'

const objects = new Map<string, { headers: IncomingHttpHeaders; length: number }>()
const KEPT = /^(x-amz-meta-|content-type$|cache-control$)/
const NO_BUCKET = '<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>'

describe('objects of S3', () => {
  let server: Server
  let calls: AwsCalls
  const folder = mkdtempSync(join(tmpdir(), 'aws-'))
  const source = join(folder, 'page.html')
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const path = decodeURIComponent(request.url!)
      let length = 0
      for await (const piece of request) length += (piece as Buffer).length
      if (!path.startsWith('/shop/')) return void response.writeHead(404).end(NO_BUCKET)
      if (request.method === 'PUT') {
        objects.set(path, { headers: request.headers, length })
        return void response.end()
      }
      const found = objects.get(path)
      if (!found) return void response.writeHead(404).end()
      const kept = Object.entries(found.headers).filter(([name]) => KEPT.test(name))
      response.writeHead(200, { ...Object.fromEntries(kept), 'content-length': found.length } as never).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    calls = new AwsCalls(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
    server.close()
  })
  const call = (name: string, given?: Plain) => calls.call(name, given)

  test('an object has the content of a file, and metadata', async () => {
    writeFileSync(source, '<p>one</p>')
    const name = 'shop/site/index page.html'
    expect(await call('boto_s3.get_object_metadata', { name })).toEqual({ result: null })
    const given = { name, source, extra_args: { ContentType: 'text/html', Metadata: { team: 'web' } } }
    const made = await calls.apply('boto_s3.object_present', given)
    expect(made.foreseen).toMatchObject({
      result: null,
      comment: expect.stringContaining(`${name} set to be created.`),
    })
    expect(made.done.changes['diff']).toContain('+ContentType: text/html')
    expect(made.again.comment).toBe(`S3 object ${name} is present.`)
    expect(await call('boto_s3.get_object_metadata', { name })).toMatchObject({
      result: { ContentType: 'text/html', ContentLength: 10, Metadata: { team: 'web' } },
    })
    writeFileSync(source, '<p>two</p>')
    const changed = await calls.apply('boto_s3.object_present', given)
    expect(changed.foreseen.comment).toContain('set to be updated')
    const missing = await calls.run('boto_s3.object_present', { ...given, source: join(folder, 'none') }, false)
    expect(missing).toMatchObject({ result: false, comment: expect.stringContaining('Could not read local file') })
  })

  test('hostile names and arguments are refused', async () => {
    writeFileSync(source, 'x')
    await expect(call('boto_s3.upload_file', { source, name: 'shop' })).rejects.toThrow('must be the name of a bucket')
    await expect(call('boto_s3.upload_file', { source, name: '../a/b' })).rejects.toThrow(
      'must be the name of a bucket',
    )
    const name = 'shop/x'
    const upload = (extra_args: Plain) => call('boto_s3.upload_file', { source, name, extra_args })
    await expect(upload({ ContentType: 'a\r\nx: y' })).rejects.toThrow('more than one line')
    await expect(upload({ Metadata: { 'a b': 'c' } })).rejects.toThrow("'a b' is no name of metadata")
    await expect(upload({ contentType: 'a' })).rejects.toThrow("extra_args has 'contentType'")
    expect(await call('boto_s3.upload_file', { source, name: 'nosuch/x' })).toMatchObject({
      error: { message: expect.stringContaining('NoSuchBucket') },
    })
  })
})
