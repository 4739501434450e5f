// Packages that are built here.
import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import pkgbuild from './state.ts'

const WISH = { name: 'n', runas: 'builder', dest_dir: '/out', spec: 's', sources: [], tgt: 'x' }

async function build(results: string, more: Record<string, Value> = {}, isTest = false) {
  const called: string[] = []
  const host = await MemoryHost.with({ files: { '/out/a.deb': '' } })
  const builds = (name: string) => async () => {
    called.push(name)
    await host.write('/out/b.deb', '')
    return new Map<Value, Value>([['Packages', ['b.deb']]])
  }
  const others = { 'pkgbuild.build': builds('pkgbuild'), 'rpmbuild.build': builds('rpmbuild') }
  const trial = { kwargs: { ...WISH, results, ...more }, others, host, test: isTest }
  const { result, comment } = toPlain(await tryState(pkgbuild, 'built', trial)) as Record<string, unknown>
  return { result, comment, called }
}

test.each([
  ['a.deb', {}, false, true, 'All needed packages exist', []],
  ['a.deb,b.deb', {}, true, null, 'The following packages need to be built: b.deb', []],
  ['a.deb', { force: true }, true, null, 'Packages will be force-built', []],
  ['b.deb', {}, false, true, 'All needed packages were built', ['pkgbuild']],
  ['c.rpm', {}, false, false, 'The following packages were not built: c.rpm', ['rpmbuild']],
  ['', {}, false, false, "'results' argument is required", []],
])('packages %s with %j and test=%s: %s, %s', async (results, more, isTest, result, comment, called) => {
  expect(await build(results, more, isTest)).toEqual({ result, comment, called })
})

test('a repository reports the errors of its tools', async () => {
  const host = await MemoryHost.with({ files: { '/repo/a.deb': '' } })
  const others = { 'pkgbuild.make_repo': () => fromPlain({ retcode: 1, stdout: 'out', stderr: 'err' }) }
  expect(toPlain(await tryState(pkgbuild, 'repo', { args: ['/repo'], others, host }))).toEqual({
    name: '/repo',
    result: false,
    changes: {},
    comment: 'out\nerr',
  })
})
