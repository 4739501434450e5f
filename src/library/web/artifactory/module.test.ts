import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import artifactory from './module.ts'

const JAR = Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0xfe, 0])
const FOLDER = '/libs/com/example/shop'
const METADATA =
  '<metadata><groupId>com.example</groupId><versioning><latest>1.1-SNAPSHOT</latest></versioning></metadata>'
const snapshots = (value: string): string =>
  `<metadata><versioning><snapshotVersions>
    <snapshotVersion><classifier>docs</classifier><extension>jar</extension><value>9</value></snapshotVersion>
    <snapshotVersion><extension>jar</extension><value>${value}</value></snapshotVersion>
  </snapshotVersions></versioning></metadata>`

const FILES: Record<string, string | Buffer> = {
  [`${FOLDER}/1.2/shop-1.2.jar`]: JAR,
  [`${FOLDER}/1.2/shop-1.2.jar.sha1`]: createHash('sha1').update(JAR).digest('hex'),
  '/api/search/latestVersion?g=com%2Fexample&a=shop&repos=libs': '1.2',
  [`${FOLDER}/maven-metadata.xml`]: METADATA,
  [`${FOLDER}/1.1-SNAPSHOT/maven-metadata.xml`]: snapshots('1.1-20260101.1'),
  [`${FOLDER}/1.1-SNAPSHOT/shop-1.1-20260101.1.jar`]: JAR,
  [`${FOLDER}/evil/maven-metadata.xml`]: snapshots('/../../../etc/passwd'),
  [`${FOLDER}/1.0/shop-1.0.jar`]: JAR,
  [`${FOLDER}/broken/maven-metadata.xml`]: '<metadata>',
}

let server: Server
const seen: string[] = []
beforeAll(async () => {
  server = createServer((request, answer) => {
    seen.push(`${request.headers.authorization ?? ''} ${request.url}`)
    const found = FILES[request.url!]
    if (found === undefined) answer.statusCode = request.url!.includes('conflict') ? 409 : 404
    answer.end(found)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(() => new Promise((done) => server.close(done)))

async function get(fun: string, kwargs: Record<string, Value> = {}, host?: MemoryHost) {
  const machine = host ?? (await MemoryHost.with({ files: { '/tmp/other': '' } }))
  const place = { repository: 'libs', group_id: 'com.example', artifact_id: 'shop', packaging: 'jar' }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sha1 = async ([path]: readonly Value[]) =>
    createHash('sha1')
      .update(await machine.read(String(path)))
      .digest('hex')
  const answer = await tryFunction(artifactory, fun, {
    host: machine,
    kwargs: { artifactory_url: url, ...place, ...kwargs },
    others: { 'file.get_hash': sha1 },
  })
  return { answer: toPlain(answer) as Record<string, Value>, host: machine, url }
}

test('get_release downloads a file once, byte by byte', async () => {
  const { answer, host, url } = await get('get_release', { version: '1.2', username: 'joe', password: 'x' })
  expect(answer).toEqual({
    status: true,
    changes: { downloaded_file: '/tmp/shop-1.2.jar' },
    comment: `\nArtifact downloaded from URL: ${url}${FOLDER}/1.2/shop-1.2.jar`,
    target_file: '/tmp/shop-1.2.jar',
  })
  expect(Buffer.from(await host.read('/tmp/shop-1.2.jar'))).toEqual(JAR)
  expect(seen).toContain(`Basic ${Buffer.from('joe:x').toString('base64')} ${FOLDER}/1.2/shop-1.2.jar`)
  const again = await get('get_release', { version: '1.2' }, host)
  expect(again.answer).toMatchObject({ status: true, changes: {} })
  expect(again.answer['comment']).toContain('checksum matches with Artifactory')
})

test('get_latest_release and get_latest_snapshot ask for the version', async () => {
  expect((await get('get_latest_release')).answer['target_file']).toBe('/tmp/shop-1.2.jar')
  const { answer } = await get('get_latest_snapshot', { target_dir: '/tmp/' })
  expect(answer['target_file']).toBe('/tmp/shop-1.1-20260101.1.jar')
})

test('get_snapshot takes the version of the file, and the name of the copy', async () => {
  const wanted = { version: '1.1-SNAPSHOT', target_file: '/tmp/copy.jar' }
  expect((await get('get_snapshot', wanted)).answer['target_file']).toBe('/tmp/copy.jar')
  expect((await get('get_snapshot', { version: '1.0' })).answer['target_file']).toBe('/tmp/shop-1.0.jar')
  await expect(get('get_snapshot', { version: '1.1-SNAPSHOT', classifier: 'none' })).rejects.toThrow(
    "Cannot find requested packaging 'jar' and classifier 'none'",
  )
})

test('a server cannot choose where the file goes', async () => {
  await expect(get('get_snapshot', { version: 'evil' })).rejects.toThrow('is no file name')
})

test('a missing artifact is reported with its URL', async () => {
  const { answer, url } = await get('get_release', { version: '9' })
  expect(answer).toMatchObject({ status: false, comment: `HTTP Error 404. Request URL: ${url}${FOLDER}/9/shop-9.jar` })
  expect((await get('get_release', { version: 'conflict' })).answer['comment']).toContain('HTTP Error 409: Conflict.')
  await expect(get('get_snapshot', { version: 'broken' })).rejects.toThrow('maven-metadata.xml is no XML: ')
  await expect(get('get_latest_release', { artifact_id: 'none' })).rejects.toThrow('Could not fetch data from url')
})
