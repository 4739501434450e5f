// A delayed connection to a server on loopback: `ssh-relay <one-way ms> <from>:<to> …` accepts connections on each port
// `from`, forwards them to the port `to`, and delays the data in both directions. The kernel's netem would do the same
// with root and a module that many kernels lack; here both sides of a comparison get the same delay without either.
import { createServer, Socket } from 'node:net'

const [delay, ...pairs] = process.argv.slice(2)
const oneWay = Number(delay)

/** Forward data with a delay; timers of one length keep their order. */
function passOn(from: Socket, to: Socket): void {
  const later = (work: () => void): void => {
    setTimeout(work, oneWay)
  }
  from.on('data', (chunk) => later(() => to.write(chunk)))
  from.on('end', () => later(() => to.end()))
  from.on('error', () => later(() => to.destroy()))
  from.on('close', () => later(() => to.destroy()))
}

/** A client sends when two of the three packets of the handshake have gone, a server learns of it from the third. */
function relay(client: Socket, port: number): void {
  client.setNoDelay(true)
  client.pause()
  setTimeout(() => {
    const server = new Socket()
    setTimeout(() => server.connect(port, '127.0.0.1').setNoDelay(true), oneWay)
    passOn(server, client)
    passOn(client, server)
    client.resume()
  }, 2 * oneWay)
}

for (const pair of pairs) {
  const [from, to] = pair.split(':').map(Number)
  createServer({ allowHalfOpen: true }, (client) => relay(client, to!)).listen(from, '127.0.0.1')
}
process.stdin.resume().on('end', () => process.exit())
