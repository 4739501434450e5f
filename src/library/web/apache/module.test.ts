import { describe, expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { scripted, tryFunction, tryState } from '../../../sdk/mod.ts'
import states from './apache.state.ts'
import apache from './module.ts'

const CONFIG = [
  { Listen: ['80', '443'] },
  {
    VirtualHost: {
      this: '*:80',
      ServerName: 'x.org',
      Directory: { this: '/srv', Order: 'Deny,Allow', Allow: ['from a', 'from b'] },
    },
  },
  { Location: [{ this: '/a' }, { Require: 'all granted' }] },
]

describe('apache', () => {
  test('writes configuration from data', async () => {
    const args = ['/etc/x.conf', fromPlain(CONFIG), false]
    expect(await tryFunction(apache, 'config', { args })).toBe(
      [
        'Listen 80\nListen 443\n',
        '<VirtualHost *:80>\nServerName x.org\n<Directory /srv>\nOrder Deny,Allow\nAllow from a\nAllow from b\n\n</Directory>\n\n</VirtualHost>\n',
        '<Location /a>\nRequire all granted\n</Location>\n',
      ].join('\n'),
    )
  })

  test('refuses a section without its attribute', async () => {
    const args = ['/etc/x.conf', fromPlain([{ Directory: { Order: 'x' } }]), false]
    await expect(tryFunction(apache, 'config', { args })).rejects.toThrow(
      'Apache section container "<Directory>" expects attribute. Specify it using key "this".',
    )
  })

  test('finds the enabled parts by their links', async () => {
    const link = { link: '../available' }
    const host = await MemoryHost.with({
      files: { '/etc/apache2/mods-enabled/ssl.load': link, '/etc/apache2/sites-enabled/000-default.conf': link },
    })
    expect(await tryFunction(apache, 'check_mod_enabled', { host, args: ['ssl'] })).toBe(true)
    expect(await tryFunction(apache, 'check_mod_enabled', { host, args: ['rewrite'] })).toBe(false)
    expect(await tryFunction(apache, 'check_site_enabled', { host, args: ['default'] })).toBe(true)
  })

  test.each<[string, number, Value]>([
    ['a2enmod', 0, 'Mod ssl enabled'],
    ['a2enmod', 1, 'Mod ssl Not found'],
    ['a2dismod', 0, 'Mod ssl disabled'],
    ['a2dismod', 2, 2],
  ])('%s with the exit status %i returns %s', async (name, code, status) => {
    const answer = await tryFunction(apache, name, { args: ['ssl'], others: { 'cmd.retcode': () => code } })
    expect((answer as Dict).get('Status')).toBe(status)
  })
})

// output of apache2ctl 2.4.62 of Debian
const SHOWN = {
  'apache2ctl -v': 'Server version: Apache/2.4.62 (Debian)\nServer built:   2024-10-04T15:21:08\n',
  'apache2ctl -V':
    'Server version: Apache/2.4.62 (Debian)\nServer MPM:     event\n  threaded:     yes (fixed thread count)\nServer compiled with....\n -D APR_HAS_SENDFILE\n -D HTTPD_ROOT="/etc/apache2"\n',
  'apache2ctl -l': 'Compiled in modules:\n  core.c\n  mod_so.c\n',
  'apache2ctl -L':
    '<Directory (core.c)\n\tContainer for directives\n\tAllowed in *.conf only\nListen (event.c)\n\tA port\n',
}
const DEBIAN = new Map<Value, Value>([['os_family', 'Debian']])

test.each<[string, Plain]>([
  ['version', 'Apache/2.4.62 (Debian)'],
  [
    'fullversion',
    {
      server_version: 'Apache/2.4.62 (Debian)',
      server_mpm: 'event',
      threaded: 'yes (fixed thread count)',
      compiled_with: ['APR_HAS_SENDFILE', 'HTTPD_ROOT="/etc/apache2"'],
    },
  ],
  ['servermods', ['core.c', 'mod_so.c']],
  [
    'directives',
    { '<Directory (core.c)': 'Container for directives\nAllowed in *.conf only', 'Listen (event.c)': 'A port' },
  ],
])('apache.%s', async (name, answer) => {
  const { others } = scripted(SHOWN)
  expect(toPlain(await tryFunction(apache, name, { others, grains: DEBIAN }))).toEqual(answer)
})

test('apache.signal sends known signals alone', async () => {
  const { others, ran } = scripted({
    'apache2ctl -k graceful': '',
    'apache2ctl configtest': { retcode: 1, stderr: 'Syntax error on line 3' },
  })
  const signal = (word: string) => tryFunction(apache, 'signal', { args: [word], others, grains: DEBIAN })
  expect(await signal('graceful')).toBe('Command: "apache2ctl -k graceful" completed successfully!')
  expect(await signal('configtest')).toBe('Syntax error on line 3')
  expect(await signal('stop -f /tmp/x')).toBe(null)
  expect(ran).toHaveLength(2)
})

test('apache.server_status counts the letters of the scoreboard', async () => {
  const asked: Value[] = []
  const others = {
    'config.get': ([, fallback]: readonly Value[]) => fallback!,
    'http.query': ([url]: readonly Value[]) => {
      asked.push(url!)
      return fromPlain({ text: 'Total Accesses: 12\nCPULoad: .5\nServerMPM: event\nScoreboard: _W_.\n' })
    },
  }
  const answer = toPlain(await tryFunction(apache, 'server_status', { others }))
  expect(asked).toEqual(['http://localhost/server-status?auto'])
  expect(answer).toMatchObject({ 'Total Accesses': 12, ServerMPM: 'event', Scoreboard: { _: 2, W: 1, '.': 1, K: 0 } })
  const broken = { ...others, 'http.query': () => fromPlain({ error: 'refused' }) }
  expect(await tryFunction(apache, 'server_status', { others: broken })).toBe('error')
})

test('apache.useradd and apache.userdel leave the work to webutil', async () => {
  const calls: Value[][] = []
  const note = (args: readonly Value[]): Value => {
    calls.push([...args])
    return true
  }
  const others = { 'webutil.useradd': note, 'webutil.userdel': note }
  await tryFunction(apache, 'useradd', { args: ['/etc/pw', 'joe', 'secret'], others })
  await tryFunction(apache, 'userdel', { args: ['/etc/pw', 'joe'], others })
  expect(calls).toEqual([
    ['/etc/pw', 'joe', 'secret', ''],
    ['/etc/pw', 'joe'],
  ])
})

test.each<[string, string, string]>([
  ['a2ensite', 'a2ensite x', 'Site x enabled'],
  ['a2dissite', 'a2dissite x', 'Site x disabled'],
  ['a2enconf', 'a2enconf x', 'Conf x enabled'],
  ['a2disconf', 'a2disconf x', 'Conf x disabled'],
])('apache.%s', async (fun, line, status) => {
  const { others } = scripted({ [line]: '' })
  expect(((await tryFunction(apache, fun, { args: ['x'], others })) as Dict).get('Status')).toBe(status)
  await expect(tryFunction(apache, fun, { args: ['-f'], others })).rejects.toThrow('cannot begin with a hyphen')
})

test('apache.check_conf_enabled looks for the link', async () => {
  const host = await MemoryHost.with({ files: { '/etc/apache2/conf-enabled/a.conf': { link: '../x' } } })
  expect(await tryFunction(apache, 'check_conf_enabled', { host, args: ['a'] })).toBe(true)
  expect(await tryFunction(apache, 'check_conf_enabled', { host, args: ['b.conf'] })).toBe(false)
})

test('the state apache.configfile writes what differs', async () => {
  const host = await MemoryHost.with({ files: { '/etc/apache2/x.conf': 'Listen 80\n' } })
  const apply = async (port: string, dry = false) => {
    const others = {
      'apache.config': ([name, config]: readonly Value[]) =>
        tryFunction(apache, 'config', { args: [name!, config!, false] }),
    }
    const kwargs = { name: '/etc/apache2/x.conf', config: fromPlain([{ Listen: port }]) }
    return toPlain(await tryState(states, 'configfile', { kwargs, host, others, test: dry }))
  }
  expect(await apply('80')).toMatchObject({ result: true, changes: {} })
  expect(await apply('81', true)).toMatchObject({ result: null, comment: 'Configuration will update.' })
  expect(await apply('81')).toMatchObject({ result: true, comment: 'Successfully created configuration.' })
  expect(Buffer.from(await host.read('/etc/apache2/x.conf')).toString()).toBe('Listen 81\n')
})
