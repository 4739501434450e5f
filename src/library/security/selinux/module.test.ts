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

  test('tells which parts of a context were relabelled', async () => {
    expect((await ask('fcontext_apply_policy', { name: '/srv' })).answer).toMatchObject({
      changes: { '/srv': { old: { sel_type: 'var_t' }, new: { sel_type: 'httpd_t' } } },
    })
  })

  test('sets the mode now and in the configuration', async () => {
    const { host } = await ask('setenforce', { mode: 'Permissive' })
    expect(Buffer.from(await host.read('/sys/fs/selinux/enforce')).toString()).toBe('0')
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
