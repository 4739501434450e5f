import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LocalHost } from '../../host/mod.ts'
import { rosterHosts, rosterTargets } from './mod.ts'
import { rosterSite } from './roster.test-support.ts'

const THREE = 'web1:\n  host: 127.0.0.1\nweb2:\n  host: 127.0.0.2\n  port: 2222\ndb1: 127.0.0.3\n'

const hosts = (site: ReturnType<typeof rosterSite>) => rosterHosts({ ...site.request('*'), host: new LocalHost() })

describe('the flat roster', () => {
  it('lists the targets of the rendered file in their order', async () => {
    const site = rosterSite({ roster: THREE })
    expect(await site.settings('*')).toEqual({
      web1: { host: '127.0.0.1' },
      web2: { host: '127.0.0.2', port: 2222 },
      db1: { host: '127.0.0.3' },
    })
    expect(site.lines).toEqual([])
  })

  it('is rendered with Jinja, and with the renderer of its first line', async () => {
    const site = rosterSite({ roster: '{% for n in [1, 2] %}\nn{{ n }}: 127.0.0.{{ n }}\n{% endfor %}\n' })
    expect(await site.ids('*')).toEqual(['n1', 'n2'])
    site.write('roster', "#!yaml\n'{{ x }}':\n  host: 127.0.0.1\n")
    expect(await site.ids('*')).toEqual(['{{ x }}'])
  })

  it('may be another file', async () => {
    const site = rosterSite({ roster: THREE, 'rosters/other': 'other1: 127.0.0.1\n' })
    site.opts.set('roster_file', site.path('rosters/other'))
    expect(await site.ids('*')).toEqual(['other1'])
  })

  it('is only a file of the allowed directories for the API', async () => {
    const site = rosterSite({ 'rosters/other': 'other1: 127.0.0.1\n', secret: 'x: y\n' })
    site.opts.set('rosters', [site.path('rosters')])
    site.opts.set('__disable_custom_roster', true)
    site.opts.set('roster_file', '/other')
    expect(await site.ids('*')).toEqual(['other1'])
    for (const name of ['../secret', site.path('secret')]) {
      site.opts.set('roster_file', name)
      expect(await site.ids('x')).toEqual([])
    }
    expect(site.lines[0]).toContain(`error Can't access roster for backend flat: Roster file "../secret" not found`)
  })

  it('may be empty or missing', async () => {
    const site = rosterSite({ roster: '' })
    expect(await site.ids('*')).toEqual([])
    expect(site.lines).toEqual([])
    site.opts.set('roster_file', site.path('none'))
    expect(await site.ids('*')).toEqual([])
    expect(site.lines).toEqual([
      `error Can't access roster for backend flat: Roster file "${site.path('none')}" not found`,
    ])
  })

  it.skipIf(process.getuid?.() === 0)('may be unreadable', async () => {
    const site = rosterSite({ roster: THREE })
    chmodSync(site.path('roster'), 0)
    expect(await site.ids('*')).toEqual([])
    expect(site.lines[0]).toContain(`Access denied to roster "${site.path('roster')}"`)
  })

  it('has no targets when it cannot be rendered, and shows no password of it', async () => {
    const site = rosterSite({ roster: 'a:\n  passwd: hunter22\n  host: {{ broken\n' })
    expect(await site.ids('*')).toEqual([])
    const [line = ''] = site.lines
    expect(line).toMatch(/^error Unable to render roster file: Jinja syntax error/)
    expect(line).toContain('<======')
    expect(site.lines.join('\n')).not.toContain('hunter22')
    site.write('roster', 'a:\n  host: 127.0.0.1\n b: bad\n')
    expect(await site.ids('*')).toEqual([])
    expect(site.lines.at(-1)).toContain('error Unable to render roster file: while parsing a block mapping')
  })

  it('hides passwords from the log at all levels', async () => {
    const site = rosterSite({
      roster: 'a:\n  host: 127.0.0.1\n  passwd: hunter22\n  sudo_passwd: hunter33\n  portt: 1\n',
    })
    expect(await site.ids('*')).toEqual(['a'])
    expect(site.lines.join('\n')).not.toMatch(/hunter/)
  })

  it('has its passwords hidden in later lines of the log', async () => {
    const site = rosterSite({ roster: 'a:\n  host: 127.0.0.1\n  passwd: hunter22\n  priv_passwd: 12345\n' })
    const hidden: string[] = []
    const hide = (texts: Iterable<string>) => void hidden.push(...texts)
    await rosterTargets({ ...site.request('a'), log: Object.assign(() => {}, { hide }) })
    expect(hidden).toEqual(['hunter22', '12345'])
  })

  it('that is a list is an error', async () => {
    const site = rosterSite({ roster: '- one\n- two\n' })
    expect(await site.ids('*')).toEqual([])
    expect(site.lines).toEqual([
      `error Roster file "${site.path('roster')}" holds a value of type list, not a map of targets`,
    ])
  })

  it('leaves out entries that are no map, and names them', async () => {
    const site = rosterSite({
      roster: 'ok: 127.0.0.1\nempty:\nlisted:\n  - 127.0.0.1\n12:\n  host: 127.0.0.1\n../up: h\n',
    })
    expect(await site.ids('*')).toEqual(['ok', '12'])
    expect(await site.ids('12')).toEqual(['12'])
    const where = `flat roster ${site.path('roster')}`
    expect(site.lines).toEqual([
      `error Entry 'empty' of ${where} is left out: its value is of type NoneType, not a map or a host name`,
      `error Entry 'listed' of ${where} is left out: its value is of type list, not a map or a host name`,
      `error Entry '../up' of ${where} is left out: that is no id of a minion`,
    ])
  })

  it('warns once of a key that nothing reads', async () => {
    const site = rosterSite({ roster: 'a: {host: h, password: x}\nb: {host: h, password: y, colour: blue}\n' })
    expect(await site.ids('*')).toEqual(['a', 'b'])
    expect(site.lines).toHaveLength(2)
    expect(site.lines[0]).toMatch(/^warning Entry 'a' of .* has the unknown key 'password', .*Did you mean .*passwd/)
    expect(site.lines[1]).toMatch(/^warning Entry 'b' of .* has the unknown key 'colour'/)
  })

  it('has the defaults of roster_defaults below each entry', async () => {
    const site = rosterSite({ roster: THREE }, { roster_defaults: { port: 22, user: 'deploy' } })
    expect(await site.settings('*')).toEqual({
      web1: { port: 22, user: 'deploy', host: '127.0.0.1' },
      web2: { port: 2222, user: 'deploy', host: '127.0.0.2' },
      db1: { port: 22, user: 'deploy', host: '127.0.0.3' },
    })
  })

  it('has values that sdb:// names, and leaves out an entry whose value cannot be fetched', async () => {
    const site = rosterSite(
      { roster: 'a: {host: h, passwd: "sdb://secrets/pw"}\nb: {host: h, passwd: "sdb://nosuch/pw"}\n' },
      { secrets: { driver: 'yaml', files: [] } },
    )
    site.opts.set(
      'secrets',
      new Map<string, string | string[]>([
        ['driver', 'yaml'],
        ['files', [site.write('s.yml', 'pw: hunter22\n')]],
      ]),
    )
    expect(await site.settings('*')).toEqual({ a: { host: 'h', passwd: 'hunter22' } })
    expect(site.lines.filter((line) => line.startsWith('error'))).toEqual([
      `error Entry 'b' of flat roster ${site.path('roster')} is left out: sdb://nosuch/pw cannot be fetched`,
    ])
  })

  it('lists its hosts by file', async () => {
    const site = rosterSite({ roster: `${THREE}none:\n  user: x\n` })
    expect(await hosts(site)).toEqual(
      new Map([
        [
          site.path('roster'),
          new Map([
            ['web1', '127.0.0.1'],
            ['web2', '127.0.0.2'],
            ['db1', '127.0.0.3'],
            ['none', 'none'],
          ]),
        ],
      ]),
    )
    site.write('roster', '')
    expect(await hosts(site)).toEqual(new Map([[site.path('roster'), new Map()]]))
    site.opts.set('roster_file', 'none')
    await expect(hosts(site)).rejects.toThrow(`Can't access roster for backend flat: Roster file "none" not found`)
  })
})

describe('the dir roster', () => {
  const files = {
    'roster.d/box1': 'host: 127.0.0.1\n',
    'roster.d/box2': '{% set p = 2200 %}\nhost: 127.0.0.1\nport: {{ p }}\n',
    'roster.d/nohost': 'port: 22\n',
    'roster.d/broken': '{{ nope\n',
  }
  const dirSite = (options: Record<string, unknown> = {}) => {
    const site = rosterSite(files, { roster: 'dir', ...options })
    site.opts.set('roster_dir', site.path('roster.d'))
    return site
  }

  it('has a target for each file', async () => {
    const site = dirSite({ roster_domain: 'invalid', roster_defaults: { user: 'u' } })
    expect(await site.settings('box*')).toEqual({
      box1: { user: 'u', host: '127.0.0.1' },
      box2: { user: 'u', host: '127.0.0.1', port: 2200 },
    })
    expect(await site.settings('nohost')).toEqual({ nohost: { user: 'u', host: 'nohost.invalid', port: 22 } })
    expect(site.lines).toEqual([])
  })

  it('renders only files that are meant, and leaves out a broken one', async () => {
    const site = dirSite()
    expect(await site.ids('box[13]', 'pcre')).toEqual(['box1'])
    expect(await site.ids('box1 or E@box2', 'compound')).toEqual(['box1', 'box2'])
    expect(site.lines).toEqual([])
    expect(await site.ids('*')).toEqual(['box1', 'box2', 'nohost'])
    expect(site.lines.at(-1)).toBe(`warning Unable to render roster file "${site.path('roster.d/broken')}".`)
  })

  it('may be missing', async () => {
    const site = rosterSite({}, { roster: 'dir' })
    site.opts.set('roster_dir', site.path('none'))
    expect(await site.ids('*')).toEqual([])
    expect(site.lines).toEqual([
      `error Can't access roster for backend dir: [Errno 2] No such file or directory: '${site.path('none')}'`,
    ])
  })
})

describe('several rosters', () => {
  it('are merged, and of a target in two rosters the entry of the first counts', async () => {
    const site = rosterSite({
      roster: 'a: 127.0.0.1\nb: 127.0.0.2\n',
      'roster.d/b': 'host: other\n',
      'roster.d/c': 'host: c\n',
    })
    site.opts.set('roster_dir', site.path('roster.d'))
    site.opts.set('roster', 'flat, dir')
    expect(await site.settings('*')).toEqual({ a: { host: '127.0.0.1' }, b: { host: '127.0.0.2' }, c: { host: 'c' } })
    site.opts.set('roster', 'dir,flat')
    expect((await rosterTargets(site.request('b')))[0]?.settings.get('host')).toBe('other')
  })

  it('go on when one of them cannot be read or does not exist', async () => {
    const site = rosterSite({ roster: 'a: 127.0.0.1\n' }, { roster: 'flatt,dir,flat', roster_dir: '/nosuch' })
    expect(await site.ids('*')).toEqual(['a'])
    expect(site.lines[0]).toBe("error Roster 'flatt' is not available. Did you mean 'flat'?")
    expect(site.lines).toHaveLength(2)
  })
})
