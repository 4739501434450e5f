import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtinFilters, builtinTests, Environment, saltFilters, TemplateFailure } from '../../jinja/mod.ts'
import { type FilterHost, localHost } from './host.ts'
import { hostFilters, waitingHostFilters } from './mod.ts'

const FILES: Readonly<Record<string, string>> = { '/srv/a.txt': 'hello world\n', '/srv/bin': '\0\x01', '/bin/tool': '' }

const missing = (): never => {
  throw Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' })
}

/** A machine of three files, a stopped clock and constant bytes. */
const host: FilterHost = {
  ...localHost,
  now: () => new Date(2016, 2, 8, 17, 30),
  randomBytes: (count) => new Uint8Array(count).fill(0xab),
  environment: (name) => (name === 'PATH' ? '/usr/games' : undefined),
  stat: (path) => {
    const isDirectory = path === '/srv'
    if (!isDirectory && !(path in FILES)) return undefined
    return { size: FILES[path]?.length ?? 0, isFile: !isDirectory, isDirectory, identity: path }
  },
  isExecutable: (path) => path === '/bin/tool',
  readStart: (path, count) => Buffer.from(FILES[path] ?? missing()).subarray(0, count < 0 ? undefined : count),
  readThrough: (path, take) => take(Buffer.from(FILES[path] ?? missing())),
  list: (path) => (path === '/srv' ? ['a.txt', 'bin'] : missing()),
  userId: () => 0,
  userIdOf: (name) => (name === 'www' ? 33 : undefined),
  resolve: async (name) =>
    name === 'db'
      ? [
          { address: '10.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ]
      : missing(),
  canConnect: async (address) => address === '::1',
}

const dialect = {
  filters: new Map([...builtinFilters, ...saltFilters, ...hostFilters(host)]),
  tests: builtinTests,
  waiting: waitingHostFilters,
}

async function shown(expression: string): Promise<string> {
  try {
    return (await new Environment({ dialect }).render(`{{ ${expression} }}`)).text
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error
    return `${error.error.name}: ${error.error.message}`
  }
}

describe('filters that need a machine', () => {
  it.each([
    ["'/srv/a.txt' | file_hashsum('md5')", '6f5902ac237024bdd0c176cb93063dc4'],
    ["'/srv/none' | file_hashsum", "OSError: [Errno 2] No such file or directory: '/srv/none'"],
    ["'/srv/a.txt' | file_hashsum('nope')", 'ValueError: Invalid hash type: nope'],
    ["'/srv/a.txt' | is_text_file", 'True'],
    ["'/srv/bin' | is_bin_file", 'True'],
    ["'/srv/none' | is_empty", 'False'],
    ["'/srv' | list_files", "['/srv', '/srv/a.txt', '/srv/bin']"],
    ["['tool', 'nope'] | map('which') | list", "['/bin/tool', None]"],
    ["['www', 'nobody'] | map('get_uid') | list", '[33, None]'],
    ["'00:16:3E' | gen_mac", '00:16:3E:AB:AB:AB'],
    ['6 | random_str', 'q6urq6'],
    ["[3, 1, 2] | random_sample(2, seed='static')", '[2, 1]'],
    ["['ns1', 'ns2', 'ns3'] | random_shuffle(seed='web01')", "['ns3', 'ns1', 'ns2']"],
    ['[1] | random_sample(2)', 'ValueError: Sample larger than population or is negative'],
    ["'db' | dns_check(5432)", '[::1]'],
    ["'db' | dns_check(5432, ipv6=false)", '[::1]'],
    ["'none' | dns_check(1)", "SaltException: DNS lookup or connection check of 'none' failed."],
  ])('%s → %s', async (expression, wanted) => {
    expect(await shown(expression)).toBe(wanted)
  })

  it.each([
    ["none | strftime('%Y-%m-%d %H:%M')", '2016-03-08 17:30'],
    ["'2002/12/25' | strftime('%y')", '02'],
    ["'tomorrow' | strftime('%d %H')", '09 00'],
    ["'+2 weeks' | strftime('%m-%d %H:%M')", '03-22 17:30'],
    ["'3 days ago' | strftime", '2016-03-05'],
    ["'8 March 2016 5:04 pm' | strftime('%H:%M')", '17:04'],
    ["'Tue, 08 Mar 2016 17:00:00 +0000' | date_format('%j')", '068'],
    ["'2016-03-08T17:00:00.5Z' | strftime('%S.%f')", '00.500000'],
    ["'2016-02-30' | strftime", 'RuntimeError: Unable to parse 2016-02-30. Consider installing timelib'],
    ["'garbage' | strftime", 'RuntimeError: Unable to parse garbage. Consider installing timelib'],
    ['0 | strftime(5)', 'TypeError: strftime() argument 1 must be str, not int'],
  ])('%s → %s', async (expression, wanted) => {
    expect(await shown(expression)).toBe(wanted)
  })
})

describe('http_query', () => {
  let server: Server
  let url: string

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/json' }).end()
      else if (request.url === '/json') response.setHeader('content-type', 'application/json').end('{"a": [1.0]}')
      else if (request.url === '/xml')
        response.setHeader('content-type', 'text/xml').end('<r><i>1</i><j><k>v</k></j></r>')
      else if (request.url === '/none') response.writeHead(404).end('gone')
      else request.pipe(response.setHeader('content-type', `text/plain; x=${request.headers['user-agent']}`))
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  afterAll(() => {
    server.close()
  })

  it('decodes what the response says it is, after redirects', async () => {
    expect(await shown(`('${url}/moved' | http_query(decode=true, status=true))`)).toBe(
      `{'body': '{"a": [1.0]}', 'status': 200, 'dict': {'a': [1.0]}}`,
    )
    expect(await shown(`('${url}/xml' | http_query(decode=true)).dict`)).toBe("[{'i': '1'}, {'k': 'v'}]")
  })

  it('answers an HTTP error with its status, text and body', async () => {
    expect(await shown(`'${url}/none' | http_query`)).toBe(
      "{'status': 404, 'error': 'HTTP 404: Not Found', 'body': 'gone'}",
    )
  })

  it('sends forms and names itself as Salt does', async () => {
    expect(await shown(`('${url}/echo' | http_query('POST', data={'k': 'v w'}, text=true)).text`)).toBe('k=v+w')
    expect(await shown(`('${url}/echo' | http_query(headers=true)).headers['Content-Type']`)).toMatch(/x=Salt\/3008/)
  })

  it('answers a dead port with the error of the system', async () => {
    expect(await shown("'http://127.0.0.1:1/' | http_query(status=true)")).toBe(
      "{'status': 0, 'error': '[Errno 111] Connection refused'}",
    )
  })
})
