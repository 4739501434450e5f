import { describe, expect, it } from 'vitest'
import { compareDebian, type Dict, dictFrom, str, type Value } from '../../../data/mod.ts'
import { CommandError, type StateTrial, tryState } from '../../../sdk/mod.ts'
import { aggregate } from './state/aggregate.ts'
import pkg from './state.ts'

const grains: Dict = new Map([
  ['os', 'Debian'],
  ['os_family', 'Debian'],
])

type Versions = Record<string, string>

/** A package manager with packages; `installed` contains the installed ones. */
function manager(installed: Versions, available: Versions, more: StateTrial['others'] = {}) {
  const packed = (pkgs: Value): [Value, Value][] =>
    (pkgs as Value[]).flatMap((one) => (one instanceof Map ? [...one] : [[one, null] as [Value, Value]]))
  const others: NonNullable<StateTrial['others']> = {
    'pkg.list_pkgs': (_args, kwargs) =>
      (kwargs as Map<string, Value>).has('purge_desired')
        ? new Map()
        : new Map(Object.entries(installed).map(([name, version]) => [name, [version]])),
    'pkg.version_cmp': (versions, kwargs) => {
      const bare = (kwargs as Record<string, Value>)['ignore_epoch'] === true
      const [a, b] = versions.map((version) => (bare ? str(version).replace(/^\d+:/, '') : str(version)))
      return compareDebian(a!, b!) ?? null
    },
    'pkg.version': (names) => new Map(names.map((name) => [name, installed[str(name)] ?? ''])),
    'pkg.latest_version': (names) =>
      new Map(
        names.map((name) => [name, installed[str(name)] === available[str(name)] ? '' : (available[str(name)] ?? '')]),
      ),
    'pkg.list_repo_pkgs': () => new Map(),
    'pkg.install': (_args, kwargs) => {
      const changes: Dict = new Map()
      for (const [name, version] of packed((kwargs as Map<string, Value>).get('pkgs')!)) {
        const fresh = version === null ? available[str(name)]! : str(version)
        changes.set(
          name,
          new Map([
            ['old', installed[str(name)] ?? ''],
            ['new', fresh],
          ]),
        )
        installed[str(name)] = fresh
      }
      return changes
    },
    'pkg.remove': ([name]) => {
      const old = installed[str(name!)]!
      delete installed[str(name!)]
      return new Map([
        [
          name!,
          new Map([
            ['old', old],
            ['new', ''],
          ]),
        ],
      ])
    },
    'pkg_resource.parse_targets': ([name, pkgs]) => [
      pkgs ? new Map(packed(pkgs)) : new Map([[name!, null]]),
      'repository',
    ],
    'pkg_resource.check_extra_requirements': () => true,
    'pkg_resource.version_clean': ([version]) => version!,
    ...more,
  }
  return async (fun: string, kwargs: Record<string, Value>, test = false) => {
    const report = await tryState(pkg, fun, { kwargs, grains, others, test })
    return { result: report.get('result'), comment: report.get('comment'), changes: plain(report.get('changes')!) }
  }
}

const plain = (value: Value): unknown =>
  value instanceof Map ? Object.fromEntries([...value].map(([key, one]) => [key, plain(one)])) : value

describe('pkg.installed', () => {
  it('installs missing packages, and reports it before and after', async () => {
    const apply = manager({ bash: '5.2' }, { nginx: '1.22' })
    const wanted = { name: 'x', pkgs: ['bash', 'nginx'] }
    expect(await apply('installed', wanted, true)).toEqual({
      result: null,
      comment: 'The following packages would be installed/updated: nginx',
      changes: { nginx: { new: '1.22', old: '' } },
    })
    expect(await apply('installed', wanted)).toEqual({
      result: true,
      comment:
        'The following packages were installed/updated: nginx\nThe following packages were already installed: bash',
      changes: { nginx: { old: '', new: '1.22' } },
    })
    expect(await apply('installed', wanted)).toEqual({
      result: true,
      comment: 'All specified packages are already installed',
      changes: {},
    })
  })

  it.each([
    ['1:1.20.*', true],
    ['>=1.20', true],
    ['>=1.20, <1:1.21', true],
    ['1.20.3', true],
    ['>1:1.0', true],
    ['1.21', null],
    ['<1.20', null],
    ['>=1.20, <1.21', null],
  ])('compares the wish for %s with version 1:1.20.3 as the package manager does', async (version, result) => {
    const apply = manager({ nginx: '1:1.20.3' }, {})
    const report = await apply('installed', { name: 'nginx', version }, true)
    expect(report.result).toBe(result)
  })

  it('reports changes and errors when it fails', async () => {
    const info: Dict = new Map<Value, Value>([
      ['errors', ['E: no']],
      ['changes', new Map([['a', 'b']])],
    ])
    const apply = manager(
      {},
      {},
      {
        'pkg.install': () => {
          throw new CommandError('Problem encountered installing package(s)', info)
        },
      },
    )
    expect(await apply('installed', { name: 'sl' })).toEqual({
      result: false,
      comment: 'Problem encountered installing package(s). Additional info follows:\n\nerrors:\n    - E: no',
      changes: { a: 'b' },
    })
  })
})

it('pkg.latest upgrades, and reports unknown packages', async () => {
  const apply = manager({ nginx: '1.20' }, { nginx: '1.22' })
  expect(await apply('latest', { name: 'nginx' })).toMatchObject({
    comment: 'The following packages were successfully installed/upgraded: nginx',
    changes: { nginx: { old: '1.20', new: '1.22' } },
  })
  expect(await apply('latest', { name: 'nginx' })).toMatchObject({ comment: 'Package nginx is already up-to-date' })
  expect(await apply('latest', { name: 'sl' })).toMatchObject({
    result: false,
    comment: "No information found for 'sl'.",
  })
})

it('pkg.removed removes what is there', async () => {
  const apply = manager({ nginx: '1.20' }, {})
  expect(await apply('removed', { name: 'nginx' }, true)).toMatchObject({
    result: null,
    comment: 'The following packages will be removed: nginx.',
  })
  expect(await apply('removed', { name: 'nginx' })).toMatchObject({ comment: 'All targeted packages were removed.' })
  expect(await apply('removed', { name: 'nginx' })).toMatchObject({
    result: true,
    comment: 'All specified packages are already absent',
  })
})

it('pkg states are not offered what the package manager cannot do', async () => {
  const apply = manager({}, {})
  expect(await apply('group_installed', { name: 'x' })).toMatchObject({
    comment: 'pkg.group_install not available for this platform',
  })
  expect(await apply('installed', { name: 'x', pkg_verify: true })).toMatchObject({
    comment: 'pkg.verify not implemented',
  })
})

it('aggregation gathers packages of chunks of the same kind', () => {
  const chunk = (id: string, more: Record<string, Value>): Dict =>
    dictFrom({ state: 'pkg', fun: 'installed', __id__: id, name: id, ...more })
  const low = chunk('a', {})
  const chunks = [low, chunk('b', { version: '1' }), chunk('c', { pkgs: ['d', 'e'] }), chunk('f', { fun: 'removed' })]
  const held = chunk('g', { hold: true })
  expect(plain(aggregate(low, [...chunks, held], new Map()).get('pkgs')!)).toEqual([
    'a',
    new Map([['b', '1']]),
    'd',
    'e',
  ])
  expect(chunks.map((one) => one.has('__agg__'))).toEqual([false, true, true, false])
})

describe('pkg.uptodate', () => {
  const upgrading = (installed: Versions, newest: Versions, isBroken = false) =>
    manager(installed, newest, {
      'pkg.list_upgrades': () =>
        new Map(Object.entries(newest).filter(([name, version]) => installed[name] !== version)),
      'pkg.version': ([name]) => installed[str(name!)] ?? '',
      'pkg.upgrade': () => {
        if (isBroken) throw new CommandError('Problem encountered upgrading packages')
        const changes: Dict = new Map()
        for (const [name, version] of Object.entries(newest)) {
          if (installed[name] === version) continue
          changes.set(
            name,
            new Map([
              ['old', installed[name]!],
              ['new', version],
            ]),
          )
          installed[name] = version
        }
        return changes
      },
    })
  const change = { vim: { old: '1', new: '2' } }

  it('upgrades what has a newer version, once', async () => {
    const apply = upgrading({ vim: '1', git: '1' }, { vim: '2', git: '1' })
    expect(await apply('uptodate', { name: 'all' }, true)).toEqual({
      result: null,
      comment: 'System update will be performed',
      changes: change,
    })
    expect(await apply('uptodate', { name: 'all' })).toEqual({
      result: true,
      comment: 'Upgrade ran successfully',
      changes: change,
    })
    expect(await apply('uptodate', { name: 'all' })).toEqual({
      result: true,
      comment: 'System is already up-to-date',
      changes: {},
    })
  })

  it('fails where the package manager fails, or the refresh is no boolean', async () => {
    const apply = upgrading({ vim: '1' }, { vim: '2' }, true)
    expect(await apply('uptodate', { name: 'all' })).toMatchObject({
      result: false,
      comment: expect.stringContaining('Problem encountered upgrading packages'),
    })
    expect(await apply('uptodate', { name: 'all', refresh: 'yes' })).toMatchObject({
      result: false,
      comment: 'refresh must be either True or False',
    })
  })
})

describe('pkg.downloaded', () => {
  const downloading = (ready: Versions, isBroken = false) =>
    manager(
      {},
      { vim: '2' },
      {
        'pkg.list_downloaded': () => new Map(Object.entries(ready).map(([name, version]) => [name, [version]])),
        'pkg.install': (_args, kwargs) => {
          if ((kwargs as Map<string, Value>).get('downloadonly') !== true) throw new Error('This would install')
          if (!isBroken) ready['vim'] = '2'
          return new Map()
        },
      },
    )

  it('fetches packages without installing them, once', async () => {
    const apply = downloading({})
    expect(await apply('downloaded', { name: 'vim' }, true)).toEqual({
      result: null,
      comment: 'The following packages would be downloaded: vim',
      changes: {},
    })
    expect(await apply('downloaded', { name: 'vim' })).toMatchObject({
      result: true,
      comment: 'Packages downloaded: vim',
    })
    expect(await apply('downloaded', { name: 'vim' })).toMatchObject({
      result: true,
      comment: 'All specified packages are already downloaded',
    })
  })

  it('fails where the package did not come', async () => {
    expect(await downloading({}, true)('downloaded', { name: 'vim' })).toMatchObject({
      result: false,
      comment: expect.stringContaining('failed to download: vim'),
    })
    expect(await downloading({})('downloaded', { name: 'x', pkgs: [] })).toMatchObject({
      result: true,
      comment: 'No packages to download provided',
    })
  })
})

describe('pkg.unheld', () => {
  it('releases the packages that are held', async () => {
    const held = new Set(['vim'])
    const apply = manager(
      { vim: '1' },
      {},
      {
        'pkg.list_holds': () => [...held],
        'pkg.unhold': (_args, kwargs) => {
          const [name] = [(kwargs as Record<string, Value>)['name'] ?? 'vim']
          held.delete(str(name))
          const facts = { name, result: true, comment: 'Package vim is no longer being held.' }
          const changes = new Map([
            ['old', 'hold'],
            ['new', 'install'],
          ])
          return new Map([[name, new Map<Value, Value>([...Object.entries(facts), ['changes', changes]])]])
        },
      },
    )
    // as in Salt, the result of a dry run is True
    expect((await apply('unheld', { name: 'vim' }, true)).comment).toBe('The following package would be unheld: vim')
    expect(held.size).toBe(1)
    expect((await apply('unheld', { name: 'vim' })).result).toBe(true)
    expect(held.size).toBe(0)
    expect(await apply('unheld', { name: 'vim' })).toMatchObject({ result: true, changes: {} })
  })
})
