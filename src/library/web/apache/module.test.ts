import { describe, expect, test } from 'vitest'
import { type Dict, fromPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
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

  test('knows by their links what is switched on', async () => {
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
  ])('%s that ends with %i tells %s', async (name, code, status) => {
    const answer = await tryFunction(apache, name, { args: ['ssl'], others: { 'cmd.retcode': () => code } })
    expect((answer as Dict).get('Status')).toBe(status)
  })
})
