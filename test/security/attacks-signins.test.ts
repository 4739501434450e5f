// Floods of what costs a master work after it was read. A sign-in in the name of an accepted minion takes no more than its
// public key, which travels in clear.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { encodeMsgpack } from '../../src/data/mod.ts'
import { MasterChannel, openTransport, type RequestClient } from '../../src/wire/mod.ts'
import { trialKeys } from '../../src/wire/trial.ts'
import { freePort } from '../free-port.ts'
import { pingMeter } from '../ping-meter.ts'
import { dict } from './besieged.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'cli', 'salt-master.ts')
const GREETING = Buffer.concat([Buffer.from('ff00000000000000017f0300', 'hex'), Buffer.from('NULL'), Buffer.alloc(48)])
const READY = Buffer.from('\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03REQ', 'latin1')
const root = mkdtempSync(join(tmpdir(), 'brine-signins-'))
let daemon: ChildProcess
let client: RequestClient
let port: number

beforeAll(async () => {
  port = await freePort()
  mkdirSync(join(root, 'etc'), { recursive: true })
  const all = { root_dir: root, user: 'root', interface: '127.0.0.1', ret_port: port, publish_port: await freePort() }
  writeFileSync(
    join(root, 'etc', 'master'),
    JSON.stringify({ ...all, sock_dir: join(root, 'sock'), auto_accept: true }),
  )
  daemon = spawn(process.execPath, ['--import', 'tsx', PROGRAM, '-c', join(root, 'etc')], { stdio: 'ignore' })
  client = (await openTransport('zeromq')).connect({ host: '127.0.0.1', port })
  await client.request({ enc: 'clear', load: dict({ cmd: 'ping' }), version: 3 }, { timeout: 30, tries: 4 })
})
afterAll(async () => {
  client.close()
  const ended = new Promise((done) => daemon.once('exit', done))
  daemon.kill('SIGTERM')
  await ended
  rmSync(root, { recursive: true, force: true })
})

async function signIn(id: string): Promise<number> {
  const [, key] = await trialKeys()
  const own = (await openTransport('zeromq')).connect({ host: '127.0.0.1', port })
  const channel = new MasterChannel({ client: own, settings: { id, key: key!, pkiDir: join(root, 'm', id) } })
  const began = performance.now()
  await channel.authenticate()
  channel.close()
  return performance.now() - began
}

const ping = (): Promise<unknown> =>
  client.request({ enc: 'clear', load: dict({ cmd: 'ping' }), version: 3 }, { timeout: 30, tries: 1 })

/** Sends a command again and again over many connections of another host. */
function flood(load: unknown, connections: number, bytes: number): () => void {
  const body = Buffer.from(encodeMsgpack(dict({ enc: 'clear', load, version: 3 }), 'wire'))
  const head = Buffer.alloc(9)
  head[0] = 2
  head.writeUInt32BE(body.length, 5)
  const message = Buffer.concat([Buffer.from('0100', 'hex'), head, body])
  const many = Buffer.concat(Array.from({ length: Math.ceil(bytes / message.length) }, () => message))
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' }).on('error', () => {})
    socket.write(Buffer.concat([GREETING, READY]))
    socket.write(many)
    return socket.resume()
  })
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

it('sign-ins in the name of a minion do not keep others from signing in', async () => {
  await signIn('web1')
  const [, key] = await trialKeys()
  const load = dict({
    cmd: '_auth',
    id: 'web1',
    pub: key!.publicKey.pem,
    nonce: 'n'.repeat(32),
    token: Buffer.alloc(256, 1),
    enc_algo: 'OAEP-SHA1',
    sig_algo: 'PKCS1v15-SHA1',
  })
  const end = flood(load, 20, 3_000_000)
  await new Promise((go) => setTimeout(go, 500))
  const stop = pingMeter(ping)
  const honest = await signIn('web3')
  await new Promise((go) => setTimeout(go, 1000))
  const { slowest } = await stop()
  end()
  expect(honest).toBeLessThan(1000)
  expect(slowest).toBeLessThan(250)
})

it('commands without rights over many connections do not hold up the pings of others', async () => {
  const end = flood(dict({ cmd: 'runner', fun: 'test.arg', token: 'a'.repeat(64) }), 200, 180_000)
  const stop = pingMeter(ping)
  await new Promise((go) => setTimeout(go, 3000))
  const { slowest } = await stop()
  end()
  expect(slowest).toBeLessThan(250)
})
