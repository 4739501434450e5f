// A port of loopback for a server that starts later, and perhaps again. It lies below those that the system gives to connections, so
// that none takes it meanwhile, and a socket for datagrams, held as long as this process lives, keeps it from other tests.
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

const [FIRST, LAST] = [12_000, 32_000]

/** Where the datagram sockets are: beside the address that servers use. */
const MARKS = '127.0.0.3'

/** Whether no other test has it. */
const isMine = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const mark = createSocket('udp4')
    mark.once('error', ({ code }: NodeJS.ErrnoException) => done(code !== 'EADDRINUSE'))
    mark.bind({ port, address: MARKS, exclusive: true }, () => {
      mark.unref()
      done(true)
    })
  })

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer()
    server.once('error', () => done(false))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    if ((await isMine(port)) && (await isFree(port))) return port
  }
}
