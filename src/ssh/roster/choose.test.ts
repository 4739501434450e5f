import { describe, expect, it } from 'vitest'
import { fromPlain } from '../../data/mod.ts'
import { fileCache } from '../../store/mod.ts'
import { rosterTargets } from './mod.ts'
import { rosterSite } from './roster.test-support.ts'

const ROSTER = `
web1: {host: 127.0.0.1, grains: {role: web, tier: {name: front}}}
web2: {host: 10.0.0.2, minion_opts: {grains: {role: web}}}
db1: {host: "2001:db8::1"}
`

const site = (options: Record<string, unknown> = {}) => rosterSite({ roster: ROSTER }, options)

describe('targets in a roster', () => {
  it('are chosen by id', async () => {
    const { ids } = site()
    expect(await ids('web?')).toEqual(['web1', 'web2'])
    expect(await ids('web[0-9]|db1', 'pcre')).toEqual(['web1', 'web2', 'db1'])
    expect(await ids('web1,db1,none', 'list')).toEqual(['web1', 'db1'])
    expect(await ids(['db1'], 'list')).toEqual(['db1'])
    expect(await ids('web1,web2')).toEqual([])
  })

  it('are refused with a clear error when the target cannot be read', async () => {
    await expect(site().ids('(', 'pcre')).rejects.toThrow(
      "Target '(' cannot be matched as pcre: missing ), unterminated",
    )
    await expect(site().ids('x', 'nosuch')).rejects.toMatchObject({ code: 'InvalidTarget' })
  })

  it('are chosen by the grains of the roster', async () => {
    const { ids } = site({ ssh_minion_opts: { grains: { site: 'home', role: 'none' } } })
    expect(await ids('role:web', 'grain')).toEqual(['web1', 'web2'])
    expect(await ids('tier:name:fr.*', 'grain_pcre')).toEqual(['web1'])
    expect(await ids('site:home', 'grain')).toEqual(['web1', 'web2', 'db1'])
    expect(await ids('id:db1', 'grain')).toEqual(['db1'])
    expect(await ids('os:Debian', 'grain')).toEqual([])
  })

  it('are chosen by the grains and pillar that the master has cached', async () => {
    const place = site()
    const cache = fileCache(place.path('cache'))
    cache.bank('grains').store('db1', fromPlain({ os: 'Debian' }))
    cache.bank('grains').store('web1', fromPlain({ role: 'cached', os: 'Debian' }))
    cache.bank('pillar').store('db1', fromPlain({ app: { name: 'crm' } }))
    const ids = async (tgt: string, kind: string) =>
      (await rosterTargets({ ...place.request(tgt, kind), cache })).map(({ id }) => id)
    expect(await ids('os:Debian', 'grain')).toEqual(['web1', 'db1'])
    expect(await ids('role:web', 'grain')).toEqual(['web1', 'web2'])
    expect(await ids('app:name:crm', 'pillar')).toEqual(['db1'])
    expect(await ids('app:name:c.m', 'pillar_pcre')).toEqual(['db1'])
    expect(await ids('I@app:name:crm or web2', 'compound')).toEqual(['web2', 'db1'])
  })

  it('are chosen by address', async () => {
    const place = site()
    expect(await place.ids('10.0.0.0/24', 'ipcidr')).toEqual(['web2'])
    expect(await place.ids('2001:db8::/32', 'ipcidr')).toEqual(['db1'])
    expect(await place.ids('S@127.0.0.1 or db*', 'compound')).toEqual(['web1', 'db1'])
    expect(await place.ids('nonsense', 'ipcidr')).toEqual([])
    expect(place.lines).toEqual(['error Invalid IP/CIDR target: nonsense'])
  })

  it('are chosen by compound expressions', async () => {
    const { ids } = site()
    expect(await ids('G@role:web and not web1', 'compound')).toEqual(['web2'])
    expect(await ids('( web1 or db1 ) and E@.*1', 'compound')).toEqual(['web1', 'db1'])
  })

  it('are chosen by nodegroups of salt-ssh and of the master', async () => {
    const { ids } = site({
      ssh_list_nodegroups: { webs: ['web1', 'web2'], text: 'db1,web1', mixed: ['db1', 'gone'], empty: [] },
      nodegroups: { classic: 'L@web1,db1', grained: 'G@role:web and N@text', near: 'S@10.0.0.0/8' },
    })
    expect(await ids('webs', 'nodegroup')).toEqual(['web1', 'web2'])
    expect(await ids('text', 'nodegroup')).toEqual(['web1', 'db1'])
    expect(await ids('mixed', 'nodegroup')).toEqual(['db1'])
    expect(await ids('empty', 'nodegroup')).toEqual([])
    expect(await ids('classic', 'nodegroup')).toEqual(['web1', 'db1'])
    expect(await ids('grained', 'nodegroup')).toEqual(['web1'])
    expect(await ids('near', 'nodegroup')).toEqual(['web2'])
    expect(await ids('nosuch', 'nodegroup')).toEqual([])
    expect(await ids('N@webs and not web1', 'compound')).toEqual(['web2'])
  })
})
