// The doctor on sites that it has to ask: a running master with its minions, and files in Git repositories of this machine.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/doctor.ts'
import { TestSite } from '../integration/site.ts'
import { PlantedSite } from './planted-site.ts'

const brine = join(import.meta.dirname, '../../dist/brine.js')

interface Shown {
  code: string
  level: string
  file: string | null
  line: number | null
  message: string
  minions: string[]
}

/** The findings of the command, and the minions that it knew of. */
async function doctor(...words: string[]): Promise<{ findings: Shown[]; minions: number }> {
  let [out, err] = ['', '']
  const streams = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    terminal: false,
  }
  await run(['--json', ...words], streams, [process.execPath, brine])
  expect(err).toBe('')
  const { findings, checked } = JSON.parse(out) as { findings: Shown[]; checked: { minions: number } }
  return { findings, minions: checked.minions }
}

describe('brine doctor --online', () => {
  let site: TestSite
  afterEach(() => site?.close())

  test('compiles with the grains that minions have now, and names minions that are away', async () => {
    site = await TestSite.open()
    const tree = join(site.root, 'srv')
    mkdirSync(tree, { recursive: true })
    writeFileSync(join(tree, 'top.sls'), "base:\n  'shop:open': [{match: grain}, broken]\n")
    writeFileSync(join(tree, 'broken.sls'), 'a:\n  no_such.state: []\n')
    const master = await site.master('master', '127.0.0.1', {
      timeout: 3,
      gather_job_timeout: 3,
      minion_data_cache: false,
    })
    await site.minion('web1', { grains: { shop: 'open' } })
    await master.event(/^salt\/minion\/web1\/start$/)
    // an accepted key whose minion never comes
    await master.wheel('key.gen_accept', ['away1'])
    const { findings, minions } = await doctor('--online', '-c', master.config)
    expect(minions).toBe(1)
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'state-missing',
        level: 'error',
        file: join(tree, 'broken.sls'),
        minions: ['web1'],
      }),
    )
    expect(findings.filter(({ code }) => code === 'minion-away').map((one) => one.minions)).toEqual([['away1']])
    // offline, nothing is known of the grain, so the error is none that a known minion meets
    const offline = await doctor('-c', master.config)
    expect(offline.findings.some(({ code }) => code === 'minion-away')).toBe(false)
    expect(offline.minions).toBe(0)
  })
})

/** A bare repository whose branches have files. */
function makeRepository(folder: string, branches: Record<string, Record<string, string>>): string {
  const git = (...words: string[]): void => {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid']
    execFileSync('git', [...who, '-C', folder, ...words], { stdio: 'ignore' })
  }
  mkdirSync(folder, { recursive: true })
  git('init', '-q', '-b', 'master')
  for (const [branch, files] of Object.entries(branches)) {
    git('checkout', '-q', '-B', branch)
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    git('add', '-A')
    git('commit', '-q', '-m', 'files')
  }
  return folder
}

describe('the doctor on a site with Git remotes', () => {
  let site: PlantedSite
  afterEach(() => site.remove())

  const writeSite = (remotes: string): void =>
    site.write({
      'etc/master': `id: boss\npki_dir: $DIR/pki\ncachedir: $DIR/cache\nfile_roots: {base: [$DIR/salt]}\npillar_roots: {}\nfileserver_backend: [roots, gitfs]\ngitfs_remotes: ${remotes}\n`,
      'salt/top.sls': "base:\n  '*': [common]\ndev:\n  '*': [shop]\n",
      'cache/minions/web1/data.p':
        "grains: {id: web1, os: Debian, os_family: Debian, saltversion: '3008.2'}\npillar: {}\n",
    })

  test('compiles the branches of repositories of this machine', async () => {
    site = new PlantedSite()
    const repository = makeRepository(join(site.dir, 'repository'), {
      master: { 'common.sls': 'a:\n  test.nop: []\n' },
      dev: { 'shop/init.sls': 'b:\n  no_such.state: []\n', 'shop/other.sls': '{{ 1 | no_such_filter }}\n' },
    })
    writeSite(`[file://${repository}]`)
    const { findings } = await doctor('-c', join(site.dir, 'etc'))
    const shown = findings
      .filter(({ level }) => level === 'error')
      .map(({ code, file, line, minions }) => ({ code, file, line, minions }))
    expect(shown).toEqual([
      { code: 'state-missing', file: 'salt://shop/init.sls?saltenv=dev', line: 2, minions: ['web1'] },
      { code: 'filter-missing', file: 'salt://shop/other.sls?saltenv=dev', line: 1, minions: [] },
    ])
  })

  test('says which repository cannot be read, and does not call its files missing', async () => {
    site = new PlantedSite()
    writeSite('[file://$DIR/nowhere, https://git.example.invalid/states.git]')
    const { findings } = await doctor('-c', join(site.dir, 'etc'))
    const codes = findings.filter(({ level }) => level !== 'note').map(({ code }) => code)
    expect(codes).toEqual(['git-unread'])
    expect(findings.find(({ code }) => code === 'git-unread')!.message).toContain('nowhere')
  })
})
