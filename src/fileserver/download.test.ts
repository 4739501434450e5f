import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type Dict, decodeBytes, dictFrom, type Value } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { LocalFileClient } from './local-client.ts'

const running: (Server | TcpServer)[] = []

async function listening(server: Server | TcpServer): Promise<number> {
  running.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

afterEach(() => {
  for (const server of running.splice(0)) server.close()
})

const web = (answer: RequestListener): Promise<number> => listening(createServer(answer))

/** A server that has one file and two ways of passive transfer. */
async function ftp(knowsEpsv: boolean): Promise<number> {
  const data = createTcpServer((socket) => socket.on('error', () => socket.destroy()).end('over ftp'))
  const dataPort = await listening(data)
  const pasv = `227 Entering (127,0,0,1,${dataPort >> 8},${dataPort & 255})`
  const replies: Record<string, string> = {
    USER: '331 who',
    PASS: '230 in',
    TYPE: '200 ok',
    EPSV: knowsEpsv ? `229 Entering (|||${dataPort}|)` : '500 unknown',
    PASV: pasv,
  }
  return listening(
    createTcpServer((socket) => {
      socket.write('220-hello\r\n220 ready\r\n')
      socket.on('error', () => socket.destroy())
      socket.on('data', (bytes) => {
        const [verb = '', path] = bytes.toString().trim().split(' ')
        if (verb !== 'RETR') socket.write(`${replies[verb] ?? '221 bye'}\r\n`)
        else socket.write(path === 'dir/file' ? '150 coming\r\n226 done\r\n' : '550 no such file\r\n')
      })
    }),
  )
}

async function fetched(url: string, options: Record<string, Value> = {}): Promise<string> {
  const host = await MemoryHost.with({ files: {} })
  const opts: Dict = dictFrom({ cachedir: '/cache', ...options })
  const path = await new LocalFileClient(opts, host).fetchUrl(url, { saltenv: 'base' })
  return decodeBytes(await host.read(path as string))
}

describe('a source from elsewhere', () => {
  test('comes from a web server, through redirects and with the name and password of its URL', async () => {
    const port = await web((request, response) => {
      if (request.url === '/old') response.writeHead(302, { location: '/new' }).end()
      else response.end(`${request.url} ${request.headers.authorization}`)
    })
    expect(await fetched(`http://me:a%40b@127.0.0.1:${port}/old`)).toBe('/new Basic bWU6YUBi')
  })

  test('that a web server does not have is an error', async () => {
    const port = await web((_request, response) => response.writeHead(404).end())
    await expect(fetched(`http://127.0.0.1:${port}/a`)).rejects.toThrow('Error: HTTP 404: Not Found reading /a')
  })

  test('from a server that does not answer is an error', async () => {
    await expect(fetched('http://127.0.0.1:1/a')).rejects.toThrow('Error: [Errno 111] Connection refused reading /a')
  })

  test.each([true, false])('comes from an FTP server (which knows EPSV: %s)', async (knowsEpsv) => {
    expect(await fetched(`ftp://127.0.0.1:${await ftp(knowsEpsv)}/dir/file`)).toBe('over ftp')
  })

  test('that an FTP server does not have is an error in its words', async () => {
    const url = `ftp://127.0.0.1:${await ftp(true)}/other`
    await expect(fetched(url)).rejects.toThrow(`Could not retrieve ${url} from FTP server. Exception: 550 no such file`)
  })

  test('sends an FTP server no command that is a part of the address, and shows no password', async () => {
    const url = `ftp://joe:hunter22@127.0.0.1:${await ftp(true)}/dir/file%0d%0aDELE%20dir/file`
    const error = await fetched(url).catch((thrown: Error) => thrown)
    expect((error as Error).message).toContain('control characters')
    expect((error as Error).message).not.toContain('hunter22')
  })

  test('comes from a bucket, with a signed request', async () => {
    const port = await web((request, response) => {
      response.end(`${request.url} ${/Credential=[^/]*/.exec(request.headers.authorization ?? '')?.[0]}`)
    })
    const options = { 's3.service_url': `127.0.0.1:${port}`, 's3.https_enable': false, 's3.path_style': true }
    const keys = { 's3.key': 'secret', pillar: new Map([['s3', new Map([['keyid', 'AKID']])]]) }
    expect(await fetched('s3://bucket/a b.txt', { ...options, ...keys })).toBe('/bucket/a%20b.txt Credential=AKID')
  })

  test('that a bucket refuses is an error with its code', async () => {
    const port = await web((_request, response) => {
      response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>')
    })
    const options = { 's3.service_url': `127.0.0.1:${port}`, 's3.https_enable': false, 's3.path_style': true }
    await expect(fetched('s3://bucket/x', options)).rejects.toThrow(
      'Could not fetch from s3://bucket/x. Exception: Failed to get file. AccessDenied: Access Denied',
    )
  })

  test('is refused where no one knows its protocol', async () => {
    await expect(fetched('swift://container/x')).rejects.toThrow(
      'Could not fetch from swift://container/x. Exception: no support for swift',
    )
    await expect(fetched('foo://x')).rejects.toThrow('Unsupported url scheme: foo://x')
  })
})
