import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { LocalHost, MemoryHost } from '../../../host/mod.ts'
import { type Keywords, type ModuleDeclaration, scripted, type Trial, tryFunction } from '../../../sdk/mod.ts'
import cmd from '../../system/cmd/module.ts'
import pip from '../pip/module.ts'
import virtualenv from './module.ts'

describe('virtualenv.create', () => {
  const create = async (kwargs: Record<string, Value>) => {
    const host = await MemoryHost.with({ files: { '/usr/bin/python3': { text: '', mode: 0o755 } } })
    const { others, ran } = scripted({
      'virtualenv --version': 'virtualenv 20.17.1+ds from /usr',
      'virtualenv *': '',
      '/usr/bin/python3 -m venv*': '',
    })
    await tryFunction(virtualenv, 'create', { kwargs: { path: '/v', ...kwargs }, host, others })
    return ran.at(-1)
  }

  test.each<[Record<string, Value>, string]>([
    [
      { venv_bin: 'venv', clear: true, system_site_packages: true },
      '/usr/bin/python3 -m venv --clear --system-site-packages /v',
    ],
    [{}, '/usr/bin/python3 -m venv /v'],
    [
      { venv_bin: 'virtualenv', python: '/usr/bin/python3', never_download: false },
      'virtualenv --python=/usr/bin/python3 --download /v',
    ],
    [
      { venv_bin: 'virtualenv', extra_search_dir: '/a, /b', prompt: 'p' },
      "virtualenv --extra-search-dir=/a --extra-search-dir=/b --prompt='p' /v",
    ],
  ])('of %j runs %s', async (kwargs, line) => expect(await create(kwargs)).toBe(line))

  test.each<[Record<string, Value>, string]>([
    [{ venv_bin: 'venv', python: 'python3' }, "The `python`(`--python`) option is not supported by 'venv'"],
    [{ venv_bin: 'virtualenv', upgrade: true }, "The `upgrade`(`--upgrade`) option is not supported by 'virtualenv'"],
    [{ venv_bin: 'virtualenv', python: 'python9' }, 'Cannot find requested python (python9).'],
  ])('of %j is refused', async (kwargs, message) => expect(create(kwargs)).rejects.toThrow(message))
})

const hasVenv = await new LocalHost()
  .run({ argv: ['/usr/bin/python3', '-c', 'import venv, ensurepip'] })
  .then(({ retcode }) => retcode === 0)
  .catch(() => false)

describe.skipIf(!hasVenv)('a real virtualenv', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-venv-'))
  const env = join(root, 'env')
  const host = new LocalHost()
  const others: Record<string, NonNullable<Trial['others']>[string]> = {}
  const call = async (module: ModuleDeclaration, fun: string, kwargs: Record<string, Value>) =>
    toPlain(await tryFunction(module, fun, { host, others, kwargs }))
  for (const fun of ['run_all', 'exec_code_all', 'run_stderr']) {
    others[`cmd.${fun}`] = (args: readonly Value[], kwargs: Keywords) => tryFunction(cmd, fun, { host, args, kwargs })
  }

  beforeAll(async () => {
    await call(virtualenv, 'create', { path: env, venv_bin: 'venv' })
  })

  afterAll(() => rmSync(root, { recursive: true }))

  test('has pip, which lists itself', async () => {
    const version = await call(pip, 'version', { bin_env: env })
    expect(version).toMatch(/^\d+\./)
    expect(await call(pip, 'list', { bin_env: env })).toMatchObject({ pip: version })
    expect(await call(pip, 'is_installed', { bin_env: env, pkgname: 'brine-sample' })).toBe(false)
  })

  test('says where its packages are', async () => {
    expect(await call(virtualenv, 'get_site_packages', { venv: env })).toMatch(
      /^\/.*\/env\/lib\/python3\.\d+\/site-packages$/,
    )
    await expect(call(virtualenv, 'get_site_packages', { venv: root })).rejects.toThrow(
      'does not appear to be a virtualenv',
    )
  })
})
