// Attacks by strangers with connections only: commands without proof, envelopes of every kind, bytes.
import { connect, type NetConnectOpts } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../faults/chance.ts'
import { Stranger, signInLoad } from '../security/proofs/attacker.ts'
import { CARRIERS } from '../security/proofs/carriers.ts'
import { pack } from '../security/proofs/msgpack.ts'
import { type Attack, type Attacker, answerOf, PATIENCE } from './attack.ts'
import { anyBytes, anyValue, bent, damaged, described, type Fields, MARKS } from './mutate.ts'
import type { FuzzSite } from './site.ts'

/** Commands of the clear channel, from a sender without rights. */
const COMMANDS: readonly Fields[] = [
  {
    cmd: 'publish',
    tgt: '*',
    fun: 'cmd.run',
    arg: [`touch ${MARKS}/stranger`],
    key: 'x',
    tgt_type: 'glob',
    user: 'root',
  },
  { cmd: 'publish', tgt: '*', fun: 'test.ping', arg: [], kwargs: { eauth: 'pam', username: 'root', password: '' } },
  { cmd: 'publish', tgt: '*', fun: 'test.ping', arg: [], kwargs: { token: 'x' }, user: 'root' },
  { cmd: 'batch', tgt: '*', fun: 'cmd.run', arg: [], minions: ['db1'], batch: '1', jid: '', user: 'root', key: '' },
  { cmd: 'runner', fun: 'salt.cmd', arg: ['cmd.run', `touch ${MARKS}/runner`], token: 'x', user: 'root' },
  { cmd: 'wheel', fun: 'key.accept', match: '*', key: '', user: 'root' },
  { cmd: 'wheel', fun: 'file_roots.write', kwarg: { path: '../../x', data: 'x' }, eauth: 'auto', username: 'nobody' },
  { cmd: 'mk_token', eauth: 'auto', username: 'root', password: '', token_expire: 1 },
  { cmd: 'get_token', token: '../../.root_key' },
  { cmd: 'revoke_token', token: 'x' },
  { cmd: '_prep_auth_info' },
  { cmd: '_send_pub', load: {} },
  { cmd: 'ping' },
]

function envelope(chance: Chance, site: FuzzSite): { what: string; bytes: Buffer } {
  const signIn = signInLoad('stranger', chance.of([site.rogue.key.publicPem, 'x'])) as Fields
  const load = chance.next() < 0.25 ? bent(chance, signIn) : bent(chance, chance.of(COMMANDS))
  const outer: Fields = { enc: 'clear', load, version: 3 }
  const luck = chance.next()
  if (luck < 0.1)
    Object.assign(outer, { enc: chance.of(['aes', 'pub', '', 5]), id: chance.of(['db1', 'app1', '..', 5]) })
  if (luck > 0.9) outer['load'] = anyBytes(chance, 400)
  if (luck > 0.95) outer['version'] = anyValue(chance)
  const bytes = pack(outer)
  return { what: described(load), bytes: luck > 0.1 && luck < 0.2 ? damaged(chance, bytes) : bytes }
}

/** Bytes that look like something on a port: a greeting, a message, half of one, or nothing. */
function anyStream(chance: Chance, site: FuzzSite): Buffer {
  const carrier = CARRIERS[site.transport]!
  const body = envelope(chance, site).bytes
  const role = chance.of(['REQ', 'SUB'] as const)
  const whole = Buffer.concat([carrier.greeting(role), carrier.request(body, chance.of([body.length, 1 << 27, 0]))])
  const luck = chance.next()
  if (luck < 0.2) return anyBytes(chance, 500)
  return luck < 0.5 ? whole.subarray(0, chance.whole(0, whole.length)) : damaged(chance, whole)
}

/** Connect from the attackers' address, send a few pieces slowly, and leave; return the received data. */
export async function noise(where: NetConnectOpts, pieces: Buffer[], pause: number): Promise<Buffer> {
  const heard: Buffer[] = []
  const socket = connect(where)
  socket.on('error', () => {})
  socket.on('data', (bytes: Buffer) => heard.push(bytes))
  for (const piece of pieces) {
    socket.write(piece)
    await sleep(pause)
  }
  socket.destroy()
  return Buffer.concat(heard)
}

export function stranger(site: FuzzSite): Attacker {
  const client = new Stranger(site.ports, site.transport)
  site.atEnd(() => client.close())
  const port = (chance: Chance): number => chance.of([site.ports.requests, site.ports.publications])
  const place = (chance: Chance): NetConnectOpts => ({
    port: port(chance),
    host: '127.0.0.1',
    localAddress: '127.0.0.66',
  })
  return (chance): Attack => {
    const luck = chance.next()
    if (luck < 0.7) {
      const { what, bytes } = envelope(chance, site)
      return { what: `stranger ${what}`, run: () => answerOf(client.bytes(bytes, PATIENCE)) }
    }
    if (luck < 0.95) {
      const pieces = Array.from({ length: chance.whole(1, 3) }, () => anyStream(chance, site))
      return { what: 'stranger, bytes', run: () => noise(place(chance), pieces, chance.whole(1, 20)) }
    }
    const many = Array.from({ length: 60 }, () => ({ where: place(chance), piece: anyStream(chance, site) }))
    const run = async (): Promise<Buffer> =>
      Buffer.concat(await Promise.all(many.map(({ where, piece }) => noise(where, [piece], 50))))
    return { what: 'stranger, 60 connections', run }
  }
}
