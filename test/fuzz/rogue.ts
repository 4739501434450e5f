// Attacks of a minion that was accepted: every method, with valid proof and hostile fields, and damaged contents under a
// valid seal. It hears the jobs of others and answers for them.
import type { Chance } from '../faults/chance.ts'
import { bytesOf, pack } from '../security/proofs/msgpack.ts'
import { openSealed, sealBytes } from '../security/proofs/seal.ts'
import { type Attack, type Attacker, answerOf, PATIENCE } from './attack.ts'
import { anyBytes, bent, damaged, described, EVIL_WORD, type Fields, MARKS, SECRET_FILE } from './mutate.ts'
import type { FuzzSite } from './site.ts'

const DATA = { forged_by: EVIL_WORD, id: 'db1', result: false, act: 'accept', return: EVIL_WORD }

/** Commands of minions, with the id of a job that a caller waits for. */
const commands = (jid: string): readonly Fields[] => [
  { cmd: '_return', jid, fun: 'test.ping', return: EVIL_WORD, retcode: 0, success: true },
  { cmd: '_return', jid, fun: 'test.ping', return: EVIL_WORD, retcode: 0, resource_id: 'db1' },
  { cmd: '_return', jid: 'req', fun: 'state.apply', retcode: 1, return: { 'salt/key': DATA, 'a_|-b_|-c_|-d': DATA } },
  { cmd: '_syndic_return', load: [{ jid, return: { db1: DATA } }], jid, fun: 'test.ping', return: { db1: DATA } },
  { cmd: '_minion_event', tag: 'a/b', data: DATA },
  { cmd: '_minion_event', events: [{ tag: `salt/job/${jid}/ret/db1`, data: { ...DATA, jid } }], pretag: null },
  { cmd: '_minion_event', events: [{ tag: `salt/job/${jid}/ret/app1`, data: { ...DATA, jid } }], pretag: 'syndic/x' },
  { cmd: '_minion_event', events: [{ tag: `salt/batch/${jid}/stop`, data: { ...DATA, reason: 'x' } }] },
  {
    cmd: '_minion_event',
    events: [
      { tag: 'salt/key', data: DATA },
      { tag: 'salt/auth', data: DATA },
    ],
  },
  {
    cmd: '_pillar',
    grains: { id: 'db1', a: { a: 1 } },
    saltenv: 'base',
    pillarenv: null,
    pillar_override: {},
    ver: '2',
  },
  { cmd: '_pillar', grains: {}, saltenv: '../..', pillarenv: '..', ext: { cmd_yaml: `touch ${MARKS}/ext` }, ver: '2' },
  { cmd: '_serve_file', path: 'a', saltenv: 'base', loc: 0, gzip: 9 },
  { cmd: '_serve_file', path: '../secret', saltenv: 'base', loc: 0 },
  { cmd: '_file_hash', path: 'a', saltenv: 'base' },
  { cmd: '_file_hash_and_stat', path: '../secret', saltenv: '..' },
  { cmd: '_file_find', path: SECRET_FILE, saltenv: 'base' },
  { cmd: '_file_list', prefix: '..', saltenv: 'base' },
  { cmd: '_symlink_list', prefix: '', saltenv: 'base' },
  { cmd: '_file_recv', path: ['..', '..', 'x'], loc: 0, data: 'x', size: 1 },
  { cmd: '_file_recv', path: ['a'], loc: 2 ** 40, data: 'x', size: 1 },
  { cmd: '_master_opts', env_only: true },
  { cmd: '_master_tops', opts: { id: 'db1' }, grains: {} },
  { cmd: '_mine', data: { a: 'x' }, clear: true },
  { cmd: '_mine', data: { a: 'x'.repeat(3 << 20) } },
  { cmd: '_mine_get', tgt: '*', fun: 'x', tgt_type: 'glob' },
  { cmd: '_mine_delete', fun: 'x' },
  { cmd: '_register_resources', resources: { t: ['r1', 'db1'] }, resource_grains: { 't:r1': { a: 1 } } },
  {
    cmd: '_register_resources',
    resources: { t: Array.from({ length: 5000 }, (_, i) => `r${i}`) },
    resource_grains: {},
  },
  { cmd: 'minion_pub', fun: 'cmd.run', arg: [`touch ${MARKS}/peer`], tgt: '*', ret: '', tgt_type: 'glob' },
  { cmd: 'minion_publish', fun: 'cmd.run', arg: [`touch ${MARKS}/peer`], tgt: '*', tgt_type: 'glob', timeout: 1 },
  { cmd: 'minion_runner', fun: 'salt.cmd', arg: ['cmd.run', `touch ${MARKS}/peer`] },
  { cmd: 'pub_ret', jid },
  { cmd: 'verify_minion' },
  { cmd: 'run_func' },
  { cmd: '__proto__' },
]

export function rogue(site: FuzzSite): Attacker {
  const { rogue: minion, jobs } = site
  const opened = (reply: unknown): unknown => {
    try {
      return openSealed(minion.sessionKey, bytesOf(reply), true)
    } catch {
      return reply
    }
  }
  const contents = (chance: Chance, load: Fields): Buffer => {
    const proven = { nonce: 'n'.repeat(32), ts: 0, tok: minion.key.token, id: minion.id, ...load }
    const plain = Buffer.concat([Buffer.from('pickle::'), pack(proven)])
    return chance.next() < 0.9 ? damaged(chance, plain) : anyBytes(chance, 300)
  }
  return (chance): Attack => {
    const jid = jobs.length > 0 ? chance.of(jobs) : '20990101000000000001'
    const load = bent(chance, chance.of(commands(jid)), 0.2)
    const what = `minion ${described(load)}`
    if (load['cmd'] === '_pillar' && chance.next() < 0.5) return { what, run: () => answerOf(minion.pillar(load)) }
    const isDamaged = chance.next() < 0.2
    const inside = isDamaged
      ? minion.sealed(sealBytes(minion.sessionKey, contents(chance, load)))
      : minion.envelope(load)
    const bytes = chance.next() < 0.03 ? damaged(chance, inside) : inside
    return { what, run: () => answerOf(minion.stranger.bytes(bytes, PATIENCE).then(opened)) }
  }
}
