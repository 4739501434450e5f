// AWS for tests. With `npm run aws`, tests run against moto: `moto_server` on the path, or `MOTO_DIR`, a checkout of it for Debian's python3.
// Always they run against answers that were recorded from moto: `RECORD_AWS=1` writes them anew. Requests are matched by method, path and body;
// headers, which hold keys and signatures, are not recorded.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

interface Recorded {
  status: number
  headers: Record<string, string>
  body: string
}

/** Answers by request, in the order in which they came. */
type Recording = Record<string, Recorded[]>

export interface AwsService {
  url: string
  close(): Promise<void>
}

const MOTO_DIR = process.env['MOTO_DIR']

/** Return the program that is moto's server; undefined where there is none. */
function motoProgram(): string[] | undefined {
  if (MOTO_DIR && existsSync(`${MOTO_DIR}/moto/server.py`)) return ['/usr/bin/python3', '-m', 'moto.server']
  if (!process.env['AWS_TESTS']) return undefined
  const found = spawnSync('sh', ['-c', 'command -v moto_server'], { encoding: 'utf8' }).stdout.trim()
  return found === '' ? undefined : [found]
}

export const hasMoto = (): boolean => motoProgram() !== undefined

export const withoutMoto = 'npm run aws, with moto_server on the path or MOTO_DIR set to a checkout of moto'

async function startMoto(): Promise<AwsService> {
  const [program, ...words] = motoProgram()!
  const port = await freePort()
  const env = { ...process.env, ...(MOTO_DIR && { PYTHONPATH: MOTO_DIR }) }
  const options = { env, cwd: tmpdir(), stdio: 'ignore' as const }
  const child: ChildProcess = spawn(program!, [...words, '-H', '127.0.0.1', '-p', String(port)], options)
  const url = `http://127.0.0.1:${port}`
  await until('moto answers', async () => {
    if (child.exitCode !== null) throw new Error(`moto ended with ${child.exitCode}`)
    return (await fetch(`${url}/moto-api/`).catch(() => undefined))?.ok === true
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const close = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  return { url, close }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Random parts of requests are ignored. */
const keyOf = (request: IncomingMessage, body: Buffer): string => {
  const target = request.headers['x-amz-target'] ?? ''
  const text = `${request.method} ${request.url} ${target} ${body.toString('latin1')}`
  return text
    .replace(/-DEL[0-9a-f]{32}/g, '-DEL')
    .replace(/(?<=<CallerReference>)[^<]*/g, '')
    .trim()
}

async function listen(server: Server): Promise<AwsService> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, close }
}

const KEPT_HEADERS = ['content-type', 'etag', 'last-modified', 'location', 'x-amzn-errortype', 'x-amz-bucket-region']

const withoutKeys = (text: string): string =>
  text.replace(/<(keyMaterial|SecretAccessKey|SessionToken)>[^<]*</g, '<$1>left-out-of-the-recording<')

async function recorder(path: string): Promise<AwsService> {
  const moto = await startMoto()
  const recording: Recording = {}
  const service = await listen(
    createServer(async (request, response) => {
      const body = await bodyOf(request)
      const headers = new Headers(request.headers as Record<string, string>)
      for (const name of ['host', 'connection', 'content-length']) headers.delete(name)
      headers.set('host', new URL(moto.url).host)
      const init = { method: request.method!, headers, ...(body.length > 0 && { body }) }
      const answer = await fetch(`${moto.url}${request.url}`, init)
      const text = withoutKeys(Buffer.from(await answer.arrayBuffer()).toString('latin1'))
      const kept = KEPT_HEADERS.filter((name) => answer.headers.has(name)).map((name) => [
        name,
        answer.headers.get(name)!,
      ])
      const recorded: Recorded = { status: answer.status, headers: Object.fromEntries(kept), body: text }
      const known = recording[keyOf(request, body)] ?? []
      recording[keyOf(request, body)] = [...known, recorded]
      response.writeHead(answer.status, recorded.headers).end(Buffer.from(text, 'latin1'))
    }),
  )
  const close = async (): Promise<void> => {
    await service.close()
    await moto.close()
    writeFileSync(path, `${JSON.stringify(recording, null, 1)}\n`)
  }
  return { url: service.url, close }
}

async function player(path: string): Promise<AwsService> {
  const recording = JSON.parse(readFileSync(path, 'utf8')) as Recording
  return listen(
    createServer(async (request, response) => {
      const key = keyOf(request, await bodyOf(request))
      const answers = recording[key] ?? []
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer === undefined) {
        response.writeHead(418).end(`<Error><Code>NotRecorded</Code><Message>${key.slice(0, 400)}</Message></Error>`)
      } else response.writeHead(answer.status, answer.headers).end(Buffer.from(answer.body, 'latin1'))
    }),
  )
}

export type Way = 'recorded' | 'moto'

/** The ways in which a scenario runs here. */
export const ways = (): Way[] => (hasMoto() ? ['recorded', 'moto'] : ['recorded'])

/** Return a service for a scenario; recorded answers are in a file of its name. */
export function awsService(way: Way, scenario: string): Promise<AwsService> {
  const path = new URL(`recorded/${scenario}.json`, import.meta.url).pathname
  if (way === 'moto') return startMoto()
  return process.env['RECORD_AWS'] ? recorder(path) : player(path)
}
