import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { scripted, tryFunction } from '../../../sdk/mod.ts'
import pip from './module.ts'

const PIP = '/env/bin/python -m pip'

async function machine(recorded: Parameters<typeof scripted>[0]) {
  const host = await MemoryHost.with({
    files: { '/env/bin/python': { text: '', mode: 0o755 }, '/wheels/': '', '/srv/req.txt': 'a==1\n' },
  })
  const script = scripted({ [`${PIP} --version`]: 'pip 23.0.1 from /env', ...recorded })
  const call = async (name: string, kwargs: Record<string, Value>) =>
    toPlain(await tryFunction(pip, name, { host, others: script.others, kwargs: { bin_env: '/env', ...kwargs } }))
  return { call, ran: script.ran }
}

describe('pip', () => {
  test.each<[Record<string, Value>, string]>([
    [{ pkgs: 'a, b==1' }, 'a b==1'],
    [{ pkgs: ['a>=1;<2'], upgrade: true, no_deps: true }, '--upgrade --no-deps a>=1,<2'],
    [
      { requirements: '/srv/req.txt', no_index: true, find_links: '/wheels' },
      '--requirement /srv/req.txt --find-links /wheels --no-index',
    ],
    [{ pkgs: 'a', use_wheel: true, no_binary: ['x', 'y'], cache_dir: '/c' }, '--no-binary x,y --cache-dir /c a'],
    [
      { editable: 'git+https://h/x.git#egg=x', extra_args: ['-q', new Map([['--log', '/l']])] },
      '--editable git+https://h/x.git#egg=x -q --log /l',
    ],
  ])('installs %j', async (kwargs, words) => {
    const { call, ran } = await machine({ [`${PIP} install*`]: 'done' })
    expect(await call('install', kwargs)).toMatchObject({ retcode: 0, stdout: 'done' })
    expect(ran.at(-1)).toBe(`${PIP} install ${words}`)
  })

  test.each<[Record<string, Value>, string]>([
    [{ pkgs: 'a', find_links: 'nowhere' }, "'nowhere' is not a valid URL or path"],
    [
      { pkgs: 'a', no_index: true, index_url: 'http://i' },
      "'no_index' and ('index_url' or 'extra_index_url') are mutually exclusive.",
    ],
    [{ pkgs: 'a', timeout: 'soon' }, "'soon' is not a valid timeout, must be an integer"],
    [{ editable: 'git+https://h/x.git' }, 'You must specify an egg for this editable'],
    [{ pkgs: 'a', bin_env: '/nowhere' }, 'Access denied to /nowhere, could not find a pip binary'],
  ])('refuses %j', async (kwargs, message) => {
    const { call } = await machine({})
    await expect(call('install', kwargs)).rejects.toThrow(message)
  })

  test('lists packages by their compared names', async () => {
    const json = '[{"name": "Foo_Bar", "version": "1.0"}, {"name": "pip", "version": "23.0.1"}]'
    const { call } = await machine({ [`${PIP} list --format=json --disable-pip-version-check`]: json })
    expect(await call('list', {})).toEqual({ 'foo-bar': '1.0', pip: '23.0.1' })
    expect(await call('list', { prefix: 'Foo.B' })).toEqual({ 'foo-bar': '1.0' })
    expect(await call('is_installed', { pkgname: 'foo-bar' })).toBe(true)
  })

  test('reads what an old pip freezes', async () => {
    const lines = '# comment\na==1.0\n-e git+https://h/x.git@1#egg=x\nb===2\nodd line'
    const { call } = await machine({ [`${PIP} --version`]: 'pip 8.1 from', [`${PIP} freeze*`]: lines })
    expect(await call('list', {})).toEqual({ pip: '8.1', a: '1.0', x: 'git+https://h/x.git@1', b: '2' })
  })

  test('returns newer versions, and all of them in order', async () => {
    const outdated = '[{"name": "a", "version": "1", "latest_version": "2", "latest_filetype": "wheel"}]'
    const { call } = await machine({
      [`${PIP} list --outdated --disable-pip-version-check --format=json`]: outdated,
      [`${PIP} --disable-pip-version-check index versions a`]: 'a (2.0)\nAvailable versions: 2.0, 1.10, 1.9, 2.1rc1',
    })
    expect(await call('list_upgrades', {})).toEqual({ a: '2 [wheel]' })
    expect(await call('list_all_versions', { pkg: 'a' })).toEqual(['1.9', '1.10', '2.0'])
    expect(await call('list_all_versions', { pkg: 'a', include_rc: true })).toEqual(['1.9', '1.10', '2.0', '2.1rc1'])
  })

  test("contains pip's output in its failure", async () => {
    const { call } = await machine({ [`${PIP} freeze*`]: { retcode: 2, stderr: 'broken' } })
    await expect(call('freeze', {})).rejects.toThrow('broken. Additional info follows:\n\npid:')
  })
})
