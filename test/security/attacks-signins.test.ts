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
import { FrameReader } from '../../src/wire/transport/zmtp/frames.ts'
import { trialKeys } from '../../src/wire/trial.ts'
import { freePort } from '../free-port.ts'
import { dict } from './besieged.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'salt-master.js')
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
  daemon = spawn(process.execPath, [PROGRAM, '-c', join(root, 'etc')], { stdio: 'ignore' })
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

async function signIn(id: string): Promise<void> {
  const [, key] = await trialKeys()
  const own = (await openTransport('zeromq')).connect({ host: '127.0.0.1', port })
  const channel = new MasterChannel({ client: own, settings: { id, key: key!, pkiDir: join(root, 'm', id) } })
  await channel.authenticate()
  channel.close()
}

const ping = (): Promise<unknown> =>
  client.request({ enc: 'clear', load: dict({ cmd: 'ping' }), version: 3 }, { timeout: 30, tries: 1 })

interface Flood {
  /** Whether every request of it was answered. */
  isOver(): boolean
  end(): void
}

/** Sends a command many times over many connections of another host. */
function flood(load: unknown, connections: number, each: number): Flood {
  const body = Buffer.from(encodeMsgpack(dict({ enc: 'clear', load, version: 3 }), 'wire'))
  const head = Buffer.alloc(9)
  head[0] = 2
  head.writeUInt32BE(body.length, 5)
  const message = Buffer.concat([Buffer.from('0100', 'hex'), head, body])
  const many = Buffer.concat(Array.from({ length: each }, () => message))
  let answers = 0
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' }).on('error', () => {})
    const reader = new FrameReader({ message: () => answers++, command: () => {} }, () => 1 << 20)
    let greeting = 64
    socket.on('data', (chunk: Buffer) => {
      const rest = chunk.subarray(greeting)
      greeting = Math.max(0, greeting - chunk.length)
      if (rest.length > 0) reader.push(rest)
    })
    socket.write(Buffer.concat([GREETING, READY]))
    socket.write(many)
    return socket
  })
  return {
    isOver: () => answers >= connections * each,
    end: () => {
      for (const socket of sockets) socket.destroy()
    },
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
  const attack = flood(load, 20, 1000)
  await signIn('web3')
  await ping()
  expect(attack.isOver()).toBe(false)
  attack.end()
})

it('commands without rights over many connections do not hold up the pings of others', async () => {
  const attack = flood(dict({ cmd: 'runner', fun: 'test.arg', token: 'a'.repeat(64) }), 200, 500)
  for (let i = 0; i < 20; i++) await ping()
  expect(attack.isOver()).toBe(false)
  attack.end()
})
