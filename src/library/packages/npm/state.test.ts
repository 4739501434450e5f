import { describe, expect, test } from 'vitest'
import { fromPlain, type Plain, SaltError, toPlain } from '../../../data/mod.ts'
import { type StateDeclaration, type Trial, tryState } from '../../../sdk/mod.ts'
import sysrc from '../../system/sysrc/state.ts'
import flatpak from '../flatpak/state.ts'
import gem from '../gem/state.ts'
import snap from '../snap/state.ts'
import npm from './state.ts'

type Answers = Record<string, Plain[] | Error>
type Row = [kwargs: Record<string, Plain>, dryRun: boolean, result: boolean | null, comment: string, changes: Plain]

/** Run a state over functions with the given results, the last one repeated. */
async function apply(
  states: StateDeclaration,
  fun: string,
  answers: Answers,
  kwargs: Record<string, Plain>,
  test: boolean,
) {
  const others: Record<string, NonNullable<Trial['others']>[string]> = {}
  for (const [name, list] of Object.entries(answers)) {
    let turn = 0
    others[name] = () => {
      if (list instanceof Error) throw list
      return fromPlain(list[Math.min(turn++, list.length - 1)]!)
    }
  }
  const values = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, fromPlain(value)]))
  return toPlain(await tryState(states, fun, { kwargs: values, others, test })) as Record<string, Plain>
}

const checked = async (
  states: StateDeclaration,
  fun: string,
  answers: Answers,
  [kwargs, dryRun, result, comment, changes]: Row,
) => expect(await apply(states, fun, answers, kwargs, dryRun)).toMatchObject({ result, comment, changes })

describe('npm', () => {
  const answers: Answers = { 'npm.list': [{ a: { version: '1.0' } }], 'npm.install': [{}], 'npm.uninstall': [true] }

  test.each<Row>([
    [{ name: 'a' }, false, true, "Package(s) 'a' satisfied by a@1.0", {}],
    [{ name: 'a@2.0' }, true, null, "NPM package(s) 'a@2.0' are set to be installed", { old: [], new: ['a@2.0'] }],
    [{ name: 'x', pkgs: ['a', 'b'] }, false, true, "Package(s) 'b' successfully installed", { old: [], new: ['b'] }],
  ])('installed of %j, dry run %s: %s, %s', (...row) => checked(npm, 'installed', answers, row))

  test.each<Row>([
    [{ name: 'a' }, true, null, "Package 'a' is set to be removed", {}],
    [{ name: 'a' }, false, true, "Package 'a' was successfully removed", { a: 'Removed' }],
    [{ name: 'b' }, false, true, "Package 'b' is not installed", {}],
  ])('removed of %j, dry run %s: %s, %s', (...row) => checked(npm, 'removed', answers, row))

  test('fails with the words of npm', async () => {
    const failing = { 'npm.list': new SaltError('CommandExecutionError', 'ENOENT') }
    await checked(npm, 'installed', failing, [{ name: 'a' }, false, false, "Error looking up 'a': ENOENT", {}])
  })
})

describe('gem', () => {
  const answers: Answers = {
    'gem.list': [{ rake: ['default: 13.0', '12.0'] }],
    'gem.install': ['ok'],
    'gem.uninstall': ['ok'],
  }

  test.each<Row>([
    [{ name: 'rake' }, false, true, 'Gem is already installed.', {}],
    [{ name: 'rake', version: '>= 12' }, false, true, 'Installed Gem meets version requirements.', {}],
    [{ name: 'rake', version: '11' }, true, null, 'The gem rake would have been installed', {}],
    [{ name: 'rails' }, false, true, 'Gem was successfully installed', { rails: 'Installed' }],
  ])('installed of %j, dry run %s: %s, %s', (...row) => checked(gem, 'installed', answers, row))

  test.each<Row>([
    [{ name: 'rake' }, false, true, 'Gem was successfully removed.', { rake: 'Removed' }],
    [{ name: 'rails' }, false, true, 'Gem is not installed.', {}],
  ])('removed of %j, dry run %s: %s, %s', (...row) => checked(gem, 'removed', answers, row))
})

describe('sysrc', () => {
  const set = { '/etc/rc.conf': { a: 'NO' } }
  const answers: Answers = {
    'sysrc.get': [{ '/etc/rc.conf': { a: 'YES' } }],
    'sysrc.set': [set],
    'sysrc.remove': ['a removed'],
  }

  test.each<Row>([
    [{ name: 'a', value: 'YES' }, false, true, 'a is already set to the desired value.', {}],
    [{ name: 'a', value: 'NO' }, true, null, 'The value of "a" will be changed!', { new: 'a = NO will be set.' }],
    [{ name: 'a', value: 'NO' }, false, true, 'The value of "a" was changed!', { new: set }],
  ])('managed of %j, dry run %s: %s, %s', (...row) => checked(sysrc, 'managed', answers, row))

  test('absent removes a variable', () =>
    checked(sysrc, 'absent', answers, [{ name: 'a' }, false, true, '"a" was removed!', { new: 'a removed' }]))
})

describe('snap', () => {
  const core = (facts: Record<string, Plain>): Plain => ({
    core: { channel: 'latest/stable', revision: '1', held: false, ...facts },
  })

  test.each<[Answers, Row]>([
    [{ 'snap.list': [core({})] }, [{ name: 'core' }, false, true, 'The snap is already installed as specified', {}]],
    [{ 'snap.list': [{}] }, [{ name: 'core' }, true, null, 'Would have installed the snap', { installed: 'core' }]],
    [
      { 'snap.list': [{}, core({})], 'snap.install': [true] },
      [{ name: 'core' }, false, true, 'Installed the snap', { installed: 'core' }],
    ],
    [
      { 'snap.list': [core({}), core({ held: true })], 'snap.hold': [true] },
      [{ name: 'core', held: true }, false, true, 'Modified the snap', { held: { old: false, new: true } }],
    ],
  ])('installed on %j: %j', (answers, row) => checked(snap, 'installed', answers, row))

  test('disabled switches a snap off', () =>
    checked(snap, 'disabled', { 'snap.is_enabled': [true, false], 'snap.disable': [true] }, [
      { name: 'a' },
      false,
      true,
      'Disabled the snap',
      { disabled: 'a' },
    ]))
})

describe('flatpak', () => {
  test.each<[Plain[], Row]>([
    [[true], [{ name: 'a' }, false, true, 'Flatpak package "a" is already installed', {}]],
    [
      [false, true],
      [{ name: 'a' }, false, true, 'Flatpak package "a" was installed', { new: 'a', old: '' }],
    ],
    [[false], [{ name: 'a' }, false, false, 'Flatpak package "a" failed to install\noutput:\nno', {}]],
  ])('installed, with present packages %j: %j', (there, row) =>
    checked(flatpak, 'installed', { 'flatpak.is_installed': there, 'flatpak.install': [{ stderr: 'no' }] }, row),
  )
})
