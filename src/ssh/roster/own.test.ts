import { describe, expect, it } from 'vitest'
import { rosterSite } from './roster.test-support.ts'

const MODULE = `
def targets(tgt, tgt_type="glob", **kwargs):
    if tgt == "boom":
        raise ValueError("no such thing")
    if tgt == "none":
        return None
    return {tgt + "1": {"host": "10.0.0.1", "user": __opts__["ssh_user"]}, tgt_type: "10.0.0.2"}
`

describe('a roster module of users', () => {
  it('names targets', async () => {
    const site = rosterSite({ 'extmods/roster/inhouse.py': MODULE }, { roster: 'inhouse' })
    expect(await site.settings('web', 'list')).toEqual({
      web1: { host: '10.0.0.1', user: 'root' },
      list: { host: '10.0.0.2' },
    })
    expect(await site.ids('boom')).toEqual([])
    expect(site.lines.at(-1)).toMatch(/^error The roster module inhouse failed: .*no such thing/s)
    expect(await site.ids('none')).toEqual([])
    expect(site.lines.at(-1)).toContain('it returns a value of type NoneType, not a map of targets')
  })

  it('may lie in roster_dirs, and take the place of a roster of Salt', async () => {
    const site = rosterSite({ 'mine/flat.py': MODULE, roster: 'a: b\n' })
    site.opts.set('roster_dirs', [site.path('mine')])
    expect(await site.ids('x')).toEqual(['x1', 'glob'])
  })
})
