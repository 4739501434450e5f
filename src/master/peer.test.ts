import { expect, test } from 'vitest'
import { type Dict, dictFrom, type Value } from '../data/mod.ts'
import type { OwnAccess } from './own-access.ts'
import { Peers } from './peer.ts'

const PEER = dictFrom({ '.*': ['grains.get'], web1: ['test.ping'], 'db.*': [dictFrom({ 'web*': ['test.*'] })] })

function peers(): { peers: Peers; published: Value[] } {
  const published: Value[] = []
  const access = {
    opts: dictFrom({ peer: PEER, peer_run: dictFrom({ web1: ['manage.up'] }) }),
    log: () => {},
    stores: { jobs: { returns: () => new Map([['db1', dictFrom({ return: true, out: 'nested' })]]) } },
    publishTo: async (job: { fun: Value }, minions: string[]) => {
      published.push(job.fun)
      return { jid: '20260102030405060708', minions, missing: [] }
    },
  } as unknown as OwnAccess
  const covered = (target: Value): string[] => (target === 'web*' ? ['web1', 'web2'] : [String(target)])
  const targets = { covered, reached: async (_asking: string, target: Value) => covered(target) }
  return { peers: new Peers(access, targets), published }
}

const request = (id: string, fun: string, tgt = 'web1'): Dict =>
  dictFrom({ cmd: 'minion_pub', id, fun, arg: [], tgt, tgt_type: 'glob', ret: '' })

test.each([
  ['web1', 'test.ping', 'db1', true],
  ['web2', 'test.ping', 'db1', false],
  ['web2', 'grains.get', 'db1', true],
  ['db1', 'test.ping', 'web2', true],
  ['db1', 'test.ping', 'db2', false],
  ['web1', 'publish.publish', 'db1', false],
  ['web1', 'cmd.run', 'db1', false],
])('peer lets %s call %s on %s: %s', async (id, fun, tgt, isAllowed) => {
  const { peers: own, published } = peers()
  const answer = await own.publish(request(id, fun, tgt))
  expect(answer.size > 0).toBe(isAllowed)
  expect(published).toEqual(isAllowed ? [fun] : [])
})

test.each(['rawfile_json', 'smtp,redis', ['smtp']])(
  'a minion needs a separate right to name the returner %j',
  async (ret) => {
    const { peers: own, published } = peers()
    const load = request('web1', 'test.ping', 'db1')
    expect(await own.publish(load.set('ret', ret) as Dict)).toEqual(new Map())
    expect(published).toEqual([])
  },
)

test('returns of a job are sent only to the minion that started it', async () => {
  const { peers: own } = peers()
  const jid = (await own.publish(request('web1', 'test.ping', 'db1'))).get('jid')!
  expect(own.returns(dictFrom({ id: 'web1', jid })).get('db1')).toEqual(dictFrom({ ret: true, out: 'nested' }))
  expect(own.returns(dictFrom({ id: 'web2', jid })).size).toBe(0)
})

test('peer_run keeps other minions from running functions of the master', async () => {
  expect(await peers().peers.runner(dictFrom({ id: 'web2', fun: 'manage.up', arg: [] }))).toEqual(new Map())
})
