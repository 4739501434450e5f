import { describe, expect, it } from 'vitest'
import { externalOrigin, masterOrigin, minionOrigin, type Origin, syndicOrigin } from './origin.ts'
import { isAboutSender, tagRefusal } from './reserved-tags.ts'

const JID = '20300101000000000001'
const here = new Set(['web1', 'db1', 'syn1'])
const may = (origin: Origin, tag: string): boolean => tagRefusal(origin, tag, (id) => here.has(id)) === undefined

const OF_THE_MASTER = [
  'salt/auth',
  'salt/key',
  'salt/presence/present',
  `salt/batch/${JID}/stop`,
  `salt/run/${JID}/new`,
  `salt/run/${JID}/salt/reactors/manage/add`,
  `salt/wheel/${JID}`,
  'salt/cloud/vm1/created',
  'salt/cluster/peer/x',
  `salt/job/${JID}/new`,
  `salt/job/${JID}/ret/web1`,
  `salt/job/${JID}/sub/web1/error/state.sls`,
  'salt/job/error',
  'salt/stats/web1',
  'salt/reactors/manage/add-complete',
  'salt/reactor/loop',
  'salt/event/missed',
  'salt/event_listen/start',
  'salt/fileserver/gitfs/update',
  'salt/netapi/hook/x',
  'salt/queue/q/process',
  'key',
  'new_job',
  JID,
  `${JID}_4711`,
  'minion/refresh/web1',
  'resource/refresh/web1',
  'minion/web1/resource_refresh',
  'fileserver/roots/update',
  'cluster/runner/delegate_write',
  'syndic/web1/x',
  '__schedule_return',
]

const OF_A_MINION = (id: string): string[] => [
  `salt/minion/${id}/start`,
  `salt/beacon/${id}/load/`,
  `salt/beacon/${id}/inotify//etc/x`,
  `salt/job/${JID}/prog/${id}/0`,
  `salt/job/${JID}/start/${id}`,
  `salt/state_result/${JID}/${id}/name`,
  `salt/job/forged/ret/${id}`,
]

const FREE = [
  'deploy/done',
  'salt/custom/x',
  'salt/engines/hook/x',
  'minion_start',
  '_salt_error',
  'Salt/Key',
  'grün',
  'salt/keys',
]

describe('a minion', () => {
  it.each(OF_THE_MASTER)('may not fire %s, with slashes added or not', (tag) => {
    for (const same of [tag, `/${tag}`, `${tag}/`, tag.replaceAll('/', '//')])
      expect(may(minionOrigin('web1'), same)).toBe(false)
  })

  it.each(OF_A_MINION('web1'))('may fire its own %s, and no other sender may', (tag) => {
    expect(may(minionOrigin('web1'), tag)).toBe(true)
    expect(may(minionOrigin('db1'), tag)).toBe(false)
    expect(may(syndicOrigin('syn1'), tag)).toBe(false)
    expect(may(externalOrigin('webhook'), tag)).toBe(false)
    expect(may({ kind: 'user', name: 'ann', proof: 'eauth' }, tag)).toBe(false)
  })

  it.each(FREE)('may fire %s', (tag) => {
    for (const origin of [minionOrigin('web1'), externalOrigin('webhook')]) expect(may(origin, tag)).toBe(true)
  })

  it.each(['', '/', 'a\nb', 'a\n\n\x81', 'a\x1b[2J', 'a\u009b', 'x'.repeat(1025)])(
    'may not fire %j, which is no tag',
    (tag) => {
      expect(may(minionOrigin('web1'), tag)).toBe(false)
    },
  )
})

describe('others', () => {
  it('a syndic speaks for itself and for minions that are not here', () => {
    expect(may(syndicOrigin('syn1'), 'salt/syndic/syn1/start')).toBe(true)
    expect(may(syndicOrigin('syn1'), 'salt/minion/below1/start')).toBe(true)
    expect(may(syndicOrigin('syn1'), 'salt/minion/db1/start')).toBe(false)
    for (const tag of OF_THE_MASTER) expect(may(syndicOrigin('syn1'), tag)).toBe(false)
  })

  it('users of external authentication and outsiders fire nothing of the master, its own user everything', () => {
    for (const tag of OF_THE_MASTER) {
      for (const proof of ['eauth', 'token', 'key'] as const) {
        expect(may({ kind: 'user', name: 'ann', proof }, tag)).toBe(false)
      }
      expect(may(externalOrigin('webhook'), tag)).toBe(false)
      expect(may({ kind: 'user', name: 'root', proof: 'socket' }, tag)).toBe(true)
      expect(may(masterOrigin('m_master'), tag)).toBe(true)
    }
  })

  it('tags about the sender are recognised, whatever id they contain', () => {
    for (const tag of [...OF_A_MINION('web1'), 'minion_start']) expect(isAboutSender(tag, 'web1')).toBe(true)
    for (const tag of [...OF_A_MINION('db1'), 'deploy/web1']) expect(isAboutSender(tag, 'web1')).toBe(false)
  })
})
