// A web service that answers with what a test has recorded, and keeps the requests.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface WebCall {
  method: string
  url: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
  bytes: Buffer
}

type Answer = string | { status: number; body?: string; headers?: Record<string, string> }

export interface WebService {
  url: string
  port: number
  calls: WebCall[]
  close(): void
}

/** Start it; `answer` returns the answer to a request. */
export async function startWebService(answer: (call: WebCall) => Answer): Promise<WebService> {
  const calls: WebCall[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { method = '', url = '', headers } = request
    const bytes = Buffer.concat(parts)
    const call = { method, url, headers, body: bytes.toString(), bytes }
    calls.push(call)
    const given = answer(call)
    if (typeof given === 'string') response.end(given)
    else response.writeHead(given.status, given.headers).end(given.body ?? '')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, calls, close: () => server.close() }
}
