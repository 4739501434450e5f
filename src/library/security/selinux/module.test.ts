import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import { md4 } from '../../users/pdbedit/module/md4.ts'
import selinux from './module.ts'

const OUTPUT: Record<string, string> = {
  'semanage boolean --list':
    'SELinux boolean   State  Default Description\n\nftpd_use_nfs   (off  ,  on)  Allow ftpd to use nfs\n',
  'semodule --list-modules=full': '100 abrt   pp\n400 mine   pp disabled\n',
  'semanage fcontext --list': '/srv/www(/.*)?   all files   system_u:object_r:httpd_sys_content_t:s0 \n',
  'semanage port --list': 'http_port_t   tcp   80, 443\nssh_port_t   tcp   22\n',
  'restorecon -n -v /srv': 'Would relabel /srv from u:r:var_t:s0 to u:r:httpd_t:s0',
}

async function ask(name: string, kwargs: Record<string, Value> = {}) {
  const lines: string[] = []
  const reply = ([cmd]: readonly Value[]): string => {
    lines.push(Array.isArray(cmd) ? cmd.join(' ') : String(cmd))
    return OUTPUT[lines.at(-1)!] ?? ''
  }
  const others = {
    'cmd.run': reply,
    'cmd.retcode': (args: readonly Value[]) => (reply(args) === '' ? 0 : 1),
    'cmd.run_all': (args: readonly Value[]) =>
      new Map<Value, Value>([
        ['retcode', 0],
        ['stdout', reply(args)],
      ]),
  }
  const host = await MemoryHost.with({
    files: { '/sys/fs/selinux/enforce': '1', '/etc/selinux/config': '# mode\nSELINUX=permissive\nSELINUXTYPE=x\n' },
  })
  return { answer: toPlain(await tryFunction(selinux, name, { kwargs, others, host })), lines, host }
}

describe('selinux', () => {
  test.each<[string, Record<string, Value>, unknown]>([
    ['getenforce', {}, 'Enforcing'],
    ['getconfig', {}, 'Permissive'],
    ['getsebool', { boolean: 'ftpd_use_nfs' }, { State: 'off', Default: 'on', Description: 'Allow ftpd to use nfs' }],
    ['list_semod', {}, { abrt: { Enabled: true, Version: null }, mine: { Enabled: false, Version: null } }],
    ['port_get_policy', { name: 'tcp/443' }, { sel_type: 'http_port_t', protocol: 'tcp', port: '80, 443' }],
    ['port_get_policy', { name: 'tcp/44' }, null],
    ['fcontext_get_policy', { name: '/srv/www(/.*)?', filetype: 'd' }, null],
  ])('%s %o answers %o', async (name, kwargs, wanted) => {
    expect((await ask(name, kwargs)).answer).toEqual(wanted)
  })

  test('adds a policy for new file specifications and changes known ones', async () => {
    const type = { sel_type: 'etc_t' }
    expect((await ask('fcontext_add_policy', { name: '/new', ...type })).lines.at(-1)).toBe(
      'semanage fcontext --add --type etc_t /new',
    )
    expect((await ask('fcontext_add_policy', { name: '/srv/www(/.*)?', filetype: 'd', ...type })).lines.at(-1)).toBe(
      'semanage fcontext --modify --ftype d --type etc_t /srv/www(/.*)?',
    )
  })

  test('reports which parts of a context were relabelled', async () => {
    expect((await ask('fcontext_apply_policy', { name: '/srv' })).answer).toMatchObject({
      changes: { '/srv': { old: { sel_type: 'var_t' }, new: { sel_type: 'httpd_t' } } },
    })
  })

  test('sets the mode now and in the configuration', async () => {
    const { host } = await ask('setenforce', { mode: 'Permissive' })
    expect(Buffer.from(await host.read('/sys/fs/selinux/enforce')).toString()).toBe('0')
  })

  test.each<[string, Record<string, Value>, string]>([
    ['setsebool', { boolean: 'ftpd_use_nfs', value: 'on', persist: true }, 'setsebool -P ftpd_use_nfs on'],
    ['install_semod', { module_path: '/srv/mine.pp' }, 'semodule --install /srv/mine.pp'],
    ['remove_semod', { module: 'mine' }, 'semodule --remove mine'],
    [
      'fcontext_delete_policy',
      { name: '/srv', filetype: 'd', sel_type: 'etc_t' },
      'semanage fcontext --delete --ftype d --type etc_t /srv',
    ],
    ['fcontext_policy_is_applied', { name: '/srv', recursive: true }, 'restorecon -n -v -R /srv'],
    [
      'port_add_policy',
      { name: 'tcp/8080', sel_type: 'http_port_t', sel_range: 's0' },
      'semanage port --add --proto tcp --type http_port_t --range s0 8080',
    ],
    [
      'port_modify_policy',
      { name: 'x', protocol: 'udp', port: '7', sel_type: 'a_t' },
      'semanage port --modify --proto udp --type a_t 7',
    ],
    ['port_delete_policy', { name: 'tcp/8080-8090' }, 'semanage port --delete --proto tcp 8080-8090'],
  ])('%s %o runs %s', async (name, kwargs, line) => {
    expect((await ask(name, kwargs)).lines.at(-1)).toBe(line)
  })

  test('returns where its file system is, and the type of a module', async () => {
    expect((await ask('selinux_fs_path')).answer).toBe('/sys/fs/selinux')
    expect((await ask('getsemod', { module: 'mine' })).answer).toEqual({ Enabled: false, Version: null })
    expect((await ask('getsemod', { module: 'none' })).answer).toEqual({})
  })

  test.each<[string, Record<string, Value>, string]>([
    ['port_add_policy', { name: 'tcp/8080' }, 'SELinux Type is required to add a policy'],
    ['port_add_policy', { name: 'tcp/80;x', sel_type: 'a_t' }, 'Invalid name "tcp/80;x" format'],
    ['fcontext_delete_policy', { name: '--deleteall' }, 'A file specification cannot begin with a hyphen'],
    ['fcontext_policy_is_applied', { name: '-f/etc/list' }, 'A path cannot begin with a hyphen'],
    ['setsebool', { boolean: '-V', value: 'on' }, 'A boolean cannot begin with a hyphen'],
  ])('%s refuses %o', async (name, kwargs, message) => {
    await expect(ask(name, kwargs)).rejects.toThrow(message)
  })

  test('a type of ports is a text, not a pattern', async () => {
    expect((await ask('port_get_policy', { name: 'tcp/80', sel_type: 'http.*' })).answer).toBe(null)
    expect((await ask('port_get_policy', { name: 'tcp/80', sel_type: 'http_port_t' })).answer).not.toBe(null)
  })

  test('names the letters that a wrong file type could have been', async () => {
    await expect(ask('filetype_id_to_string', { filetype: 'x' })).rejects.toThrow(
      "Invalid file type code 'x'; expected one of: a, f",
    )
  })
})

test('MD4 gives the hash that Windows keeps of a password', () => {
  const hash = Buffer.from(md4(Buffer.from('password', 'utf16le'))).toString('hex')
  expect(hash).toBe('8846f7eaee8fb117ad06bdd830b7586c')
})
