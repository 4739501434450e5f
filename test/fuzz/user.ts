// Attacks of users with few rights: tina has test.* everywhere, joe everything on app*, the local user nobody
// test.ping. They send requests with a password, a token or a key, both permitted and forbidden ones.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chance } from '../faults/chance.ts'
import { Stranger } from '../security/proofs/attacker.ts'
import { field } from '../security/proofs/msgpack.ts'
import { type Attack, type Attacker, answerOf, PATIENCE } from './attack.ts'
import { bent, described, type Fields, MARKS, upTo } from './mutate.ts'
import type { FuzzSite } from './site.ts'

export const RIGHTS = {
  external_auth: { auto: { tina: ['test.*'], joe: [{ 'app*': ['.*'] }] } },
  publisher_acl: { nobody: ['test.ping'], daemon: ['.*'] },
}

const SHELL = [`touch ${MARKS}/user`]

const REQUESTS: readonly Fields[] = [
  { cmd: 'publish', tgt: 'db1', tgt_type: 'glob', fun: 'test.ping', arg: [], ret: '', jid: '' },
  { cmd: 'publish', tgt: '[!,app1,]*', tgt_type: 'glob', fun: 'cmd.run', arg: SHELL, ret: '', jid: '' },
  { cmd: 'publish', tgt: 'db1', tgt_type: 'glob', fun: ['test.ping', 'cmd.run'], arg: [[], SHELL], ret: '', jid: '' },
  { cmd: 'publish', tgt: 'db1', tgt_type: 'glob', fun: 'cmd.run', arg: SHELL, ret: '', jid: '' },
  {
    cmd: 'publish',
    tgt: 'db1',
    tgt_type: 'glob',
    fun: 'test.sleep',
    arg: [1],
    ret: 'rawfile_json',
    jid: upTo(`${MARKS}/jid`),
  },
  { cmd: 'batch', tgt: '*', tgt_type: 'glob', minions: ['db1'], fun: 'test.ping', arg: [], batch: '1', jid: '' },
  {
    cmd: 'batch',
    tgt: '*',
    tgt_type: 'glob',
    minions: ['db1'],
    fun: 'cmd.run',
    arg: SHELL,
    batch: '50%',
    jid: '../../../x',
  },
  {
    cmd: 'batch',
    tgt: '*',
    tgt_type: 'glob',
    minions: ['db1'],
    fun: 'test.ping',
    arg: [],
    batch: '1',
    jid: '../../../x',
  },
  { cmd: 'runner', fun: 'jobs.list_jobs', arg: [], kwarg: {} },
  { cmd: 'runner', fun: 'salt.cmd', arg: ['cmd.run', ...SHELL] },
  { cmd: 'wheel', fun: 'key.list_all', kwarg: {} },
  { cmd: 'wheel', fun: 'file_roots.write', kwarg: { data: 'x', path: '../../x' } },
  { cmd: 'mk_token', token_expire: 1e12 },
]

/** Fields that a publication carries along. */
const EXTRAS: readonly Fields[] = [
  {},
  { metadata: { a: '\nssh-ed25519 x\n' } },
  { ret_config: 'x', ret_kwargs: { filename: `${MARKS}/returner` } },
  { module_executors: ['constructor'], executor_opts: { sudo_user: 'root' } },
  { delimiter: 'a' },
  { nocache: true, start_event: 'salt/key', master_id: 'x' },
]

export async function user(site: FuzzSite): Promise<Attacker> {
  const client = new Stranger(site.ports, site.transport)
  site.atEnd(() => client.close())
  const made = await client.clear({ cmd: 'mk_token', eauth: 'auto', username: 'tina', password: 'x' })
  const token = field(made, 'token')
  const isRoot = process.getuid!() === 0
  const key = isRoot ? readFileSync(join(site.cluster.cachedir, '.nobody_key'), 'utf8') : 'x'
  const local = ['nobody', 'sudo_daemon', 'sudo_nobody', 'root', 'sudo_root']
  const asked = (chance: Chance, request: Fields): Fields => {
    const luck = chance.next()
    const extras = chance.of(EXTRAS)
    if (luck < 0.15) return { ...request, key, user: chance.of(local), kwargs: extras }
    const login =
      luck < 0.3 ? { token } : { eauth: 'auto', username: chance.of(['tina', 'tina', 'joe']), password: 'x' }
    const isPublishing = request['cmd'] === 'publish' || request['cmd'] === 'batch'
    return isPublishing ? { ...request, user: 'x', kwargs: { ...login, ...extras } } : { ...request, ...login }
  }
  return (chance): Attack => {
    const load = bent(chance, asked(chance, chance.of(REQUESTS)), 0.12)
    return { what: `user ${described(load)}`, run: () => answerOf(client.clear(load, PATIENCE)) }
  }
}
