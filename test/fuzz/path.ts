// An attacker on the path between a real minion and its master: changes, drops, doubles, delays and swaps messages in both
// directions, and puts publications in: unencrypted ones, ones sealed with the publish key, and old ones again.
import type { Chance } from '../faults/chance.ts'
import { CARRIERS, type Unit } from '../security/proofs/carriers.ts'
import { pack } from '../security/proofs/msgpack.ts'
import { seal } from '../security/proofs/seal.ts'
import type { Attack, Attacker } from './attack.ts'
import { bent, damaged, type Fields, MARKS } from './mutate.ts'
import type { FuzzSite } from './site.ts'

/** The share of changed messages. */
const TOUCHED = 0.15

function meddled(chance: Chance, unit: Unit, held: Buffer[]): Buffer[] {
  const before = held.splice(0)
  if (chance.next() > TOUCHED) return [unit.raw, ...before]
  switch (chance.whole(0, 5)) {
    case 0:
      return [damaged(chance, unit.raw), ...before]
    case 1:
      return before
    case 2:
      return [unit.raw, unit.raw, ...before]
    case 3:
      return [unit.raw.subarray(0, chance.whole(0, unit.raw.length)), ...before]
    case 4: {
      const raw = Buffer.from(unit.raw)
      raw[chance.whole(0, raw.length - 1)]! ^= 1 << chance.whole(0, 7)
      return [raw, ...before]
    }
    default:
      // goes out after the next one
      held.push(Buffer.from(unit.raw))
      return before
  }
}

const job = (): Fields => ({
  tgt: '*',
  tgt_type: 'glob',
  jid: `2099${String(Date.now()).padStart(16, '0')}`,
  fun: 'cmd.run',
  arg: [`touch ${MARKS}/path`],
  ret: '',
  user: 'root',
})

export function path(site: FuzzSite, chanceOfRelays: Chance): Attacker {
  const carrier = CARRIERS[site.transport]!
  const { requests, publications } = site.relays!
  for (const relay of [requests, publications]) {
    const held: Record<string, Buffer[]> = { 'to minion': [], 'to master': [] }
    relay.meddle = (unit, direction) => meddled(chanceOfRelays, unit, held[direction]!)
  }
  site.atRest(() => {
    for (const relay of [requests, publications]) relay.meddle = ({ raw }) => [raw]
    // a message that is broken in the middle cannot be repaired
    for (const relay of [requests, publications]) relay.cut()
  })
  return (chance): Attack => {
    const load = bent(chance, job(), 0.05)
    const packets = [
      { enc: chance.of(['clear', 'pub', '', null]), load },
      { enc: 'aes', load: seal(site.rogue.publishKey, load) },
      { enc: 'aes', load: seal(site.rogue.publishKey, { ...load, serial: 1e9 }), sig: Buffer.alloc(256, 1) },
      { enc: 'aes', load: damaged(chance, seal(site.rogue.publishKey, load)), sig_algo: 'x', sig: 5 },
      bent(chance, { enc: 'aes', load, sig: 'x', sig_algo: 'PKCS1v15-SHA1' }, 0.5),
    ]
    const { recorded } = publications
    const old = recorded.length > 0 ? chance.of(recorded) : Buffer.alloc(0)
    const bytes = chance.next() < 0.3 ? old : carrier.publication(pack(chance.of(packets)))
    const piece = chance.next() < 0.1 ? damaged(chance, bytes) : bytes
    const run = async (): Promise<unknown> => {
      publications.inject(piece)
      await new Promise((done) => setTimeout(done, 20))
      return undefined
    }
    return { what: 'a publication put in', run }
  }
}
