import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import state from './state.ts'

test.each<[string, Record<string, Value>, object]>([
  ['installed', { versions: ['3.12.1'] }, { result: true, comment: 'Requested python exists.', changes: {} }],
  ['installed', {}, { result: true, comment: 'Successfully installed python', changes: { '3.12.1': 'Installed' } }],
  ['installed', { install_python: false }, { result: false, comment: 'Could not install python.' }],
  ['installed', { is_installed: false, install: false }, { result: false, comment: 'pyenv failed to install' }],
  ['absent', {}, { result: true, comment: 'python 3.12.1 is already absent' }],
  ['absent', { is_installed: false }, { result: true, comment: 'pyenv not installed, 3.12.1 not either' }],
  [
    'absent',
    { versions: ['3.12.1'], default: '3.12.1' },
    { result: true, comment: 'Successfully removed python', changes: { '3.12.1': 'Uninstalled' } },
  ],
])('pyenv.%s with %j', async (name, answers, expected) => {
  const known: Record<string, Value> = {
    is_installed: true,
    versions: [],
    default: '',
    install: true,
    install_python: 'built',
    uninstall_python: true,
    ...answers,
  }
  const others = Object.fromEntries(Object.entries(known).map(([fun, value]) => [`pyenv.${fun}`, () => value]))
  expect(toPlain(await tryState(state, name, { args: ['python-3.12.1'], others }))).toMatchObject(expected)
  const dry = { args: ['3.12.1'], others, test: true }
  expect(toPlain(await tryState(state, name, dry))).toMatchObject({ result: null, changes: {} })
})
