import { describe, expect, it } from 'vitest'
import { compareDebian, type Dict, str, type Value } from '../../../data/mod.ts'
import { CommandError, type StateTrial, tryState } from '../../../sdk/mod.ts'
import { aggregate } from './state/aggregate.ts'
import pkg from './state.ts'

const grains: Dict = new Map([
  ['os', 'Debian'],
  ['os_family', 'Debian'],
])

type Versions = Record<string, string>

/** A package manager with packages; those that are installed lie in `installed`. */
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
  it('installs what is missing, and says so before and after', async () => {
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

  it('that fails reports what changed and what was said', async () => {
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

it('pkg.latest upgrades, and complains about what nobody knows', async () => {
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
    new Map<Value, Value>(Object.entries({ state: 'pkg', fun: 'installed', __id__: id, name: id, ...more }))
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
