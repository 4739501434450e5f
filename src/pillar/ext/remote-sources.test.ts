import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Dict, dumpJson, fromPlain, type Plain } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import { compilePillar } from '../compile.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'brine-pillar-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

async function compile(
  extPillar: Plain,
  more: Record<string, Plain> = {},
  host = new LocalHost(),
  os = 'Debian',
): Promise<string> {
  const opts = { id: 'web1', cachedir: join(dir, 'cache'), pillar_roots: {}, ext_pillar: extPillar, ...more }
  const input = { opts: fromPlain(opts) as Dict, grains: fromPlain({ os }) as Dict, minionId: 'web1' }
  return dumpJson((await compilePillar({ ...input, host })).pillar)
}

test('Pillar from a web server is its answer for the minion', async () => {
  const server = createServer((request, response) => {
    response.end(request.url === '/web1/Debian.json' ? '{"a": [1]}' : `b: "${request.url}"`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const sources = [
      { http_json: { url: `${url}/%s/<os>.json`, with_grains: true, namespace: 'n' } },
      { http_yaml: { url: `${url}/%s` } },
    ]
    expect(await compile(sources)).toBe('{"n": {"a": [1]}, "b": "/web1"}')
    const asked = [{ http_yaml: { url: `${url}/minions/web1/<os>`, with_grains: true } }]
    expect(await compile(asked, {}, new LocalHost(), 'a/b')).toBe('{"b": "/minions/web1/a/b"}')
    expect(await compile(asked, {}, new LocalHost(), '../db1/secrets')).toBe('{}')
  } finally {
    server.close()
  }
})

test.each<[string, Plain, Record<string, Plain>, string]>([
  ['netbox', { api_url: '127.0.0.1/api', api_token: 't' }, {}, 'The setting api_url of ext_pillar netbox is not a URL'],
  ['cobbler', {}, { 'cobbler.url': 'cobbler' }, "'cobbler' is not a URL of http or https"],
])('a wrong address of %s is one error of the pillar, and other sources serve', async (name, setting, opts, error) => {
  const sources = [{ [name]: setting }, { cmd_yaml: 'echo "a: 1"' }]
  const pillar = JSON.parse(await compile(sources, opts))
  expect(pillar).toEqual({ a: 1, _errors: [expect.stringContaining(error)] })
})

test('a command of pillar that fails is an error in the log', async () => {
  const opts = fromPlain({ id: 'web1', pillar_roots: {}, ext_pillar: [{ cmd_yaml: 'echo down >&2; exit 3' }] }) as Dict
  const lines: string[] = []
  const log = (level: string, text: string): unknown => level === 'error' && lines.push(text)
  await compilePillar({ opts, grains: new Map(), minionId: 'web1', host: new LocalHost(), log })
  expect(lines).toEqual(["ext_pillar cmd_yaml: 'echo' ended with 3: down"])
})

describe('pillar from a sheet', () => {
  test.each<[Plain, string, string]>([
    [{}, 'id,role,site\ndb1,db,a\nweb1,"web, front",b\n', '{"id": "web1", "role": "web, front", "site": "b"}'],
    [{ namespace: 'sheet', idkey: 'host' }, 'host,role\nweb1,web\n', '{"sheet": {"host": "web1", "role": "web"}}'],
    [
      { fieldnames: ['id', 'role'], restkey: 'more' },
      'web1,web,x,y\n',
      '{"id": "web1", "role": "web", "more": ["x", "y"]}',
    ],
    [{ dialect: 'excel-tab', restval: '-' }, 'id\trole\nweb1\n', '{"id": "web1", "role": "-"}'],
    [{}, 'id,role\ndb1,db\n', '{}'],
  ])('is the row of the minion: %j', async (more, text, shown) => {
    const path = join(dir, 'sheet.csv')
    writeFileSync(path, text)
    expect(await compile([{ csv: { path, ...(more as object) } }])).toBe(shown)
  })
})
