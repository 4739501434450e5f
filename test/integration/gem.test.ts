// Gems from a repository in a folder, with the real gem; its home and its gems are in that folder too.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { minion } from './minion.ts'
import { canServe } from './servers.ts'

describe.runIf(canServe('RubyGems', '/usr/bin/gem'))('gem', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-gem-'))
  const repository = join(folder, 'repository')
  const source = `file://${repository}/`
  const own = { HOME: folder, GEM_HOME: join(folder, 'gems'), GEM_PATH: join(folder, 'gems') }
  const before = Object.keys(own).map((name) => [name, process.env[name]] as const)
  const salt = minion()

  beforeAll(() => {
    Object.assign(process.env, own)
    mkdirSync(join(repository, 'gems'), { recursive: true })
    writeFileSync(join(folder, '.gemrc'), `---\n:sources:\n- ${source}\n`)
    for (const version of ['1.0.0', '1.1.0']) {
      const fields = `s.name = 'brinetest'; s.version = '${version}'; s.summary = 'x'; s.authors = ['x']; s.files = []`
      writeFileSync(join(folder, 'x.gemspec'), `Gem::Specification.new { |s| ${fields} }\n`)
      const target = join(repository, 'gems', `brinetest-${version}.gem`)
      execFileSync('gem', ['build', '--force', '-o', target, 'x.gemspec'], { cwd: folder, stdio: 'pipe' })
    }
    execFileSync('gem', ['generate_index', '-d', repository], { stdio: 'pipe' })
  })
  afterAll(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    rmSync(folder, { recursive: true })
  })

  test('a gem is installed, updated and removed', async () => {
    expect(await salt.call('gem.version')).toMatch(/^\d+\.\d+/)
    const wish = { name: 'brinetest', version: '1.0.0' }
    expect(await salt.state('gem.installed', wish, true)).toMatchObject({ result: null })
    expect(await salt.state('gem.installed', wish)).toMatchObject({ result: true, changes: { brinetest: 'Installed' } })
    expect(await salt.state('gem.installed', { name: 'brinetest', version: '>= 0.9' })).toMatchObject({
      result: true,
      changes: {},
      comment: 'Installed Gem meets version requirements.',
    })
    expect(await salt.call('gem.list_upgrades')).toEqual({ brinetest: '1.1.0' })
    await salt.call('gem.update', ['brinetest'])
    expect(await salt.call('gem.list', ['brinetest'])).toEqual({ brinetest: ['1.1.0', '1.0.0'] })
    expect(await salt.state('gem.removed', { name: 'brinetest' })).toMatchObject({ changes: { brinetest: 'Removed' } })
    expect(await salt.state('gem.removed', { name: 'brinetest' })).toMatchObject({
      result: true,
      comment: 'Gem is not installed.',
    })
  })

  test('sources are added once and removed', async () => {
    const second = `file://${folder}/second/`
    execFileSync('cp', ['-r', repository, join(folder, 'second')])
    expect(await salt.call('gem.sources_list')).toEqual([source])
    expect(await salt.state('gem.sources_add', { name: second })).toMatchObject({ result: true })
    expect(await salt.state('gem.sources_add', { name: second })).toMatchObject({
      comment: 'Gem source is already added.',
    })
    expect(readFileSync(join(folder, '.gemrc'), 'utf8')).toContain(second)
    expect(await salt.state('gem.sources_remove', { name: second })).toMatchObject({ result: true })
    expect(await salt.call('gem.sources_list')).toEqual([source])
  })
})
