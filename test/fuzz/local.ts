// Hostile bytes on the local sockets of master and minion: damaged frames of events, lengths that lie, floods.
import type { Chance } from '../faults/chance.ts'
import { firedEvent } from '../security/proofs/attacker.ts'
import { nestedLists, pack } from '../security/proofs/msgpack.ts'
import type { Attack, Attacker } from './attack.ts'
import { anyBytes, anyValue, damaged } from './mutate.ts'
import type { FuzzSite } from './site.ts'
import { noise } from './stranger.ts'

function frames(chance: Chance): Buffer {
  const data = { a: anyValue(chance), deep: nestedLists(chance.of([10, 505, 600, 1020])) }
  // a program of the master's owner may fire any event, so these have tags that mean nothing
  const event = firedEvent(chance.of(['fuzz/local', '', 'fuzz\n\n', 'x'.repeat(3000)]), data)
  const plain = pack({ head: {}, body: Buffer.concat([Buffer.from('fuzz/local\n\n'), pack(data, 'bus')]) }, 'bus')
  return chance.of([
    event,
    plain,
    damaged(chance, event),
    damaged(chance, plain),
    event.subarray(0, chance.whole(0, event.length)),
    Buffer.from([0xff, 0xff, 0xff, 0xff, 0x82]),
    anyBytes(chance, 400),
  ])
}

export function local(site: FuzzSite): Attacker {
  return (chance): Attack => {
    const path = chance.of(site.localSockets)
    const pieces = Array.from({ length: chance.whole(1, 3) }, () => frames(chance))
    return { what: `bytes on ${path.split('/').pop()}`, run: () => noise({ path }, pieces, chance.whole(0, 10)) }
  }
}
