import { chmodSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { toPlain } from '../../data/mod.ts'
import { addToRoster, rosterTargets } from './mod.ts'
import { rosterSite } from './roster.test-support.ts'

describe('a target that no roster has', () => {
  it('is the host itself when its name can be resolved', async () => {
    const site = rosterSite({ roster: 'web1: 127.0.0.1\n' }, { ssh_passwd: 'pw' })
    expect(await site.settings('localhost')).toEqual({ localhost: { passwd: 'pw', host: 'localhost', user: 'root' } })
    expect(await site.settings('deploy@127.0.0.1')).toEqual({
      '127.0.0.1': { passwd: 'pw', host: '127.0.0.1', user: 'deploy' },
    })
    expect(await site.settings('root@[::1]')).toEqual({ '::1': { passwd: 'pw', host: '::1', user: 'root' } })
    expect(site.lines).toEqual([])
  })

  it('is none when it is a pattern, an option or a name that cannot be resolved', async () => {
    const site = rosterSite({ roster: '' })
    for (const tgt of ['*', 'local*', '-oProxyCommand=x', 'nosuch.invalid', 'a b', 'x@-v', '../etc', '']) {
      expect(await site.ids(tgt)).toEqual([])
    }
    expect(await site.ids('localhost', 'list')).toEqual([])
  })

  it('needs no roster file', async () => {
    const site = rosterSite()
    expect(await site.ids('root@localhost')).toEqual(['localhost'])
    expect(site.lines.filter((line) => !line.startsWith('debug'))).toEqual([])
    expect(await site.ids('*')).toEqual([])
    expect(site.lines.at(-1)).toContain("error Can't access roster for backend flat: Roster file")
  })

  it('is an entry of the roster with another user where one stands before its id', async () => {
    const site = rosterSite({ roster: 'web1: {host: 127.0.0.1, user: root, port: 2}\n' })
    expect(await site.settings('deploy@web1')).toEqual({ web1: { host: '127.0.0.1', user: 'deploy', port: 2 } })
  })
})

describe('adding to the roster', () => {
  const stamp = /at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\n/

  it('appends the entry that Salt writes, once, and keeps the mode of the file', async () => {
    const site = rosterSite({ roster: 'web1:\n  host: 127.0.0.1\n  port: 2' }, { ssh_update_roster: true })
    chmodSync(site.path('roster'), 0o640)
    expect(await site.ids('localhost')).toEqual(['localhost'])
    expect(await site.ids('localhost')).toEqual(['localhost'])
    const text = readFileSync(site.path('roster'), 'utf8')
    expect(text.replace(stamp, 'at <STAMP>\n')).toBe(
      `web1:\n  host: 127.0.0.1\n  port: 2\n# Automatically added by "${userInfo().username}" at <STAMP>\n` +
        'localhost:\n    host: localhost\n    user: root\n    passwd: \n',
    )
    expect(statSync(site.path('roster')).mode & 0o777).toBe(0o640)
    expect(site.lines).toEqual([`info The host localhost has been added to the roster ${site.path('roster')}`])
  })

  it('leaves a roster alone that has the host already, or that cannot be rendered', async () => {
    const text = 'web1:\n  host: localhost\n'
    const site = rosterSite({ roster: text }, { ssh_update_roster: true })
    expect(await site.ids('localhost')).toEqual(['localhost'])
    expect(readFileSync(site.path('roster'), 'utf8')).toBe(text)
    site.write('roster', 'a: {{ broken\n')
    expect(await site.ids('localhost')).toEqual(['localhost'])
    expect(readFileSync(site.path('roster'), 'utf8')).toBe('a: {{ broken\n')
    expect(site.lines.at(-1)).toContain(`error Unable to update roster ${site.path('roster')}: Unable to render`)
  })

  it('makes a private file where there is none', async () => {
    const site = rosterSite({}, { ssh_update_roster: true, ssh_passwd: 'secret: 1' })
    expect(await site.ids('ops@localhost')).toEqual(['localhost'])
    expect(statSync(site.path('roster')).mode & 0o777).toBe(0o600)
    expect(await site.settings('localhost')).toEqual({
      localhost: { host: 'localhost', user: 'ops', passwd: 'secret: 1' },
    })
  })

  it('writes values that neither YAML nor a template reads as something else', async () => {
    for (const passwd of [
      'a\nevil:\n  host: x',
      '{{ 7 * 7 }}{% raw %}',
      'it\'s #1: "x"',
      '0123',
      ' lead',
      'yes',
      '{# c #}',
    ]) {
      const site = rosterSite({ roster: '' })
      const entry = {
        id: 'h',
        settings: new Map([
          ['host', 'h'],
          ['user', 'u'],
          ['passwd', passwd],
        ]),
        from: 'x',
      }
      await addToRoster(site.request('h'), { ...entry, settings: new Map(entry.settings) })
      const [read, ...others] = await rosterTargets(site.request('*'))
      expect(others).toEqual([])
      expect(toPlain(read!.settings)).toEqual({ host: 'h', user: 'u', passwd })
    }
  })

  it.skipIf(process.getuid?.() === 0)('says when the file may not be written', async () => {
    const site = rosterSite({ roster: 'a: b\n' }, { ssh_update_roster: true })
    chmodSync(site.path('roster'), 0o400)
    expect(await site.ids('localhost')).toEqual(['localhost'])
    expect(site.lines).toEqual([`error Unable to update roster ${site.path('roster')}: access denied`])
  })
})
