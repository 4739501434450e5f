// What is sent to the ports and sockets: requests with nothing proven, requests of a minion that was let in, and bytes.
import { randomBytes } from 'node:crypto'
import { connect, type NetConnectOpts } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeMsgpack } from '../../src/data/mod.ts'
import {
  Crypticle,
  encodeEvent,
  frameBody,
  frameFiredEvent,
  type MasterChannel,
  type RequestClient,
} from '../../src/wire/mod.ts'
import type { Chance } from '../faults/chance.ts'
import { anyBytes, anyValue, bent, damaged } from './values.ts'

const clear = (load: unknown): Map<unknown, unknown> =>
  new Map<unknown, unknown>([
    ['enc', 'clear'],
    ['load', load],
    ['version', 3],
  ])

const fields = (load: object): Map<unknown, unknown> => new Map(Object.entries(load))

/** Commands of the clear channel, as somebody without any right would send them. */
const CLEAR = [
  { cmd: '_auth', id: 'stranger', pub: 'no key', nonce: 'n', token: Buffer.alloc(256), enc_algo: 'OAEP-SHA1' },
  {
    cmd: 'publish',
    tgt: '*',
    fun: 'cmd.run',
    arg: ['touch FUZZED'],
    key: 'wrong',
    tgt_type: 'glob',
    ret: '',
    user: 'root',
  },
  { cmd: 'publish', tgt: '*', fun: 'test.ping', arg: [], eauth: 'pam', username: 'root', password: '', user: 'root' },
  { cmd: 'runner', fun: 'jobs.list_jobs', arg: [], token: 'x', user: 'root' },
  { cmd: 'wheel', fun: 'key.accept', match: '*', key: '', user: 'root' },
  { cmd: 'mk_token', eauth: 'auto', username: 'root' },
  { cmd: 'get_token', token: '../../.root_key' },
  { cmd: '_prep_auth_info' },
  { cmd: '_send_pub', load: {} },
  { cmd: 'ping' },
].map(fields)

/** Commands that minions have. */
const OWN = [
  { cmd: '_return', jid: '20200101000000000000', fun: 'test.ping', return: true, retcode: 0, success: true },
  { cmd: '_syndic_return', load: [], jid: '1', fun: 'x', return: {} },
  { cmd: '_minion_event', tag: 'a/b', data: {}, events: [{ tag: 'salt/job/1/new', data: {} }], pretag: null },
  { cmd: '_pillar', grains: {}, saltenv: 'base', pillarenv: null, pillar_override: {}, ver: '2' },
  { cmd: '_serve_file', path: 'a', saltenv: 'base', loc: 0, gzip: 0 },
  { cmd: '_file_hash', path: 'a', saltenv: 'base' },
  { cmd: '_file_find', path: 'a', saltenv: 'base' },
  { cmd: '_file_list', prefix: '', saltenv: 'base' },
  { cmd: '_symlink_list', prefix: '', saltenv: 'base' },
  { cmd: '_file_recv', path: ['a'], loc: 0, data: 'x', size: 1 },
  { cmd: '_master_opts', env_only: true },
  { cmd: '_mine', data: {}, clear: true },
  { cmd: '_mine_get', tgt: '*', fun: 'x', tgt_type: 'glob' },
  { cmd: '_mine_delete', fun: 'x' },
  { cmd: 'minion_pub', fun: 'cmd.run', arg: ['touch FUZZED'], tgt: '*', ret: '', tgt_type: 'glob' },
  { cmd: 'minion_runner', fun: 'jobs.list_jobs', arg: [] },
  { cmd: 'pub_ret', jid: '1' },
  { cmd: 'revoke_auth' },
  { cmd: 'run_func' },
  { cmd: '__proto__' },
].map(fields)

/** Sends and gives the answer as it was understood; none is one too. */
async function asked(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer
  } catch (error) {
    return String(error)
  }
}

const SHORTLY = { timeout: 2, tries: 1 }

export async function strange(client: RequestClient, chance: Chance): Promise<unknown> {
  const luck = chance.next()
  if (luck < 0.15) return asked(client.request(anyValue(chance), SHORTLY))
  const envelope = clear(bent(chance, chance.of(CLEAR)))
  if (luck < 0.3) envelope.set('enc', chance.of(['aes', 'pub', anyValue(chance)])).set('id', 'fuzz')
  if (luck < 0.4) envelope.set('load', randomBytes(chance.whole(0, 400)))
  return asked(client.request(luck > 0.9 ? bent(chance, envelope) : envelope, SHORTLY))
}

export function ownRequest(channel: MasterChannel, chance: Chance): Promise<unknown> {
  return asked(channel.send(bent(chance, chance.of(OWN)) as Map<never, never>, SHORTLY))
}

/** A message that is rightly encrypted and signed for, and whose contents are damaged. */
export function ownBytes(client: RequestClient, channel: MasterChannel, chance: Chance): Promise<unknown> {
  const { id, key } = channel.settings
  const load = bent(chance, chance.of(OWN))
  for (const [name, value] of Object.entries({ id, tok: key.token(), nonce: 'n'.repeat(32), ts: 0 }))
    load.set(name, value)
  const session = new Crypticle(channel.credentials!.session)
  const send = async (): Promise<unknown> => {
    // not all values can be written
    const plain = Buffer.from(encodeMsgpack(load, 'wire'))
    const contents = chance.next() < 0.9 ? damaged(chance, plain) : anyBytes(chance, 300)
    const sealed = session.encrypt(Buffer.concat([Buffer.from('pickle::'), contents]))
    const envelope = { enc: 'aes', load: chance.next() < 0.9 ? sealed : damaged(chance, sealed), version: 3, id }
    return client.request(envelope, SHORTLY)
  }
  return asked(send())
}

/** Bytes that look like something: a ZMTP greeting, a message, a frame of the event bus, or nothing. */
function anyStream(chance: Chance): Buffer {
  const greeting = Buffer.concat([
    Buffer.from('ff00000000000000017f0300', 'hex'),
    Buffer.from('NULL'),
    Buffer.alloc(48),
  ])
  const event = encodeEvent(chance.of(['salt/job/1/new', 'a', '']), fields({ a: 1 }))
  const seeds = [
    greeting,
    Buffer.concat([greeting, Buffer.from([4, 25, 5]), Buffer.from('READY')]),
    Buffer.from(encodeMsgpack(clear(chance.of(CLEAR)), 'wire')),
    frameBody(event),
    frameFiredEvent(event),
    Buffer.from([2, 0, 0, 0, 255, 255, 255, 255, 255]),
    Buffer.from('GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n'),
    anyBytes(chance, 500),
  ]
  return chance.next() < 0.2 ? chance.of(seeds) : damaged(chance, chance.of(seeds))
}

/** Connects, sends a few pieces, and goes; what comes back. */
export async function noise(where: NetConnectOpts, chance: Chance): Promise<Buffer> {
  const heard: Buffer[] = []
  const socket = connect(where)
  socket.on('error', () => {})
  socket.on('data', (bytes: Buffer) => heard.push(bytes))
  for (let i = chance.whole(1, 3); i > 0; i--) {
    socket.write(anyStream(chance))
    await sleep(2)
  }
  socket.destroy()
  return Buffer.concat(heard)
}
