// An attacker on the network between minions and their master. db1 has a minion's usual options, web1 requires signed
// publications. No minion runs an inserted or replayed publication.
import { createVerify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RogueMinion, signInLoad } from './attacker.ts'
import { bytesOf, field, pack } from './msgpack.ts'
import { marked, seal, sealBytes } from './seal.ts'
import { Site } from './site.ts'

let site: Site
let evil: RogueMinion

beforeAll(async () => {
  site = await Site.open({ minions: { db1: {}, web1: { sign_pub_messages: true } } })
  evil = await site.rogue('evil')
})
afterAll(() => site.close())

let count = 0

/** A job that leaves a mark with its number. */
function job(): { jid: string; load: object } {
  const jid = `2099010100000000${String(++count).padStart(4, '0')}`
  const arg = [`touch ${site.path('marks', jid)}`]
  return { jid, load: { tgt: '*', tgt_type: 'glob', jid, fun: 'cmd.run', arg, ret: '', user: 'root' } }
}

async function expectNobodyRuns(jid: string): Promise<void> {
  await site.settled()
  expect(site.returnedWith(jid)).toEqual([])
  expect(site.marks).not.toContain(jid)
}

describe('minions run no publication', () => {
  it.each(['clear', 'pub', '', null])('that is not encrypted: enc %j', async (enc) => {
    const { jid, load } = job()
    site.publications.publish(pack({ enc, load }))
    await expectNobodyRuns(jid)
  })

  it('that another minion sealed with the publish key and did not sign', async () => {
    const { jid, load } = job()
    const sealed = { enc: 'aes', load: seal(evil.publishKey, load) }
    site.publications.publish(pack(sealed))
    site.publications.publish(pack({ ...sealed, sig_algo: 'PKCS1v15-SHA1', sig: Buffer.alloc(256, 1) }))
    await expectNobodyRuns(jid)
  })

  it('for which the reply to a sign-in gave the signature', async () => {
    const { jid, load } = job()
    const plain = marked({ ...load, pad: 'x'.repeat(300) })
    // the reply begins with these bytes, which are the IV, and goes on with the nonce, which is all the rest
    const size = 1 + 16 * (Math.floor(plain.length / 16) + 1) + 32
    const head = Buffer.concat([
      Buffer.from('\x82\xa3ret\xc2\xa5nonce\xda', 'latin1'),
      Buffer.of(size >> 8, size & 255),
    ])
    const sealed = sealBytes(evil.publishKey, plain, Buffer.concat([head, Buffer.of(0xff)]))
    const reply = await site.client.clear(signInLoad('..', 'x', { nonce: sealed.subarray(15) }))
    const sig = bytesOf(field(reply, 'sig'))
    site.publications.publish(pack({ enc: 'aes', load: sealed, sig_algo: 'PKCS1v15-SHA1', sig }))
    await expectNobodyRuns(jid)
    const master = readFileSync(site.path('master/pki/master.pub'), 'utf8')
    expect(createVerify('sha1').update(sealed).verify(master, sig)).toBe(false)
  })
})

describe('a minion that starts again', () => {
  it.each(['db1', 'web1'])('does not run a job of before once more: %s', async (id) => {
    const counted = site.path(`counted-${id}`)
    const runs = (): number => readFileSync(counted, 'utf8').length
    await site.answer(id, 'cmd.run', [`printf x >> ${counted}`])
    expect(runs()).toBe(1)
    const recorded = [...site.publications.recorded]
    await site.cluster.stop(id)
    const before = site.events.length
    site.cluster.start(id)
    await site.event((tag) => tag === `salt/minion/${id}/start`, undefined, before)
    site.publications.inject(...recorded)
    await site.settled()
    expect(runs()).toBe(1)
  })
})
