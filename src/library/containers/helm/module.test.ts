import { expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { type Keywords, tryFunction, tryState } from '../../../sdk/mod.ts'
import module from './module.ts'
import states from './state.ts'

/** The functions of Salt. */
const NAMES = `
  completion create dependency_build dependency_list dependency_update env get_all get_hooks get_manifest
  get_notes get_values help history install lint list package plugin_install plugin_list plugin_uninstall
  plugin_update pull repo_add repo_index repo_list repo_remove repo_update rollback search_hub search_repo
  show_all show_chart show_readme show_values status template test uninstall upgrade verify version
  repo_manage
`

test('has the functions of Salt', () => {
  expect(Object.keys(module.functions).sort()).toEqual(NAMES.trim().split(/\s+/).sort())
})

interface Program {
  ran: string[][]
  others: Record<string, (args: readonly Value[], kwargs: Keywords) => Promise<Value>>
}

/** Stand in for the program: `answer` returns its output, or undefined for a failure. */
function program(answer: (line: string) => string | undefined): Program {
  const ran: string[][] = []
  const others: Program['others'] = {
    'cmd.run_all': async ([argv]) => {
      const words = (argv as Value[]).map(String)
      ran.push(words)
      const stdout = answer(words.slice(1).join(' '))
      return fromPlain(
        stdout === undefined
          ? { retcode: 1, stdout: '', stderr: 'Error: it failed' }
          : { retcode: 0, stdout, stderr: '' },
      )
    },
  }
  for (const name of Object.keys(module.functions)) {
    others[`helm.${name}`] = (args, kwargs) => tryFunction(module, name, { args, kwargs, others })
  }
  return { ran, others }
}

const call = async (
  { others }: Program,
  name: string,
  args: Plain[],
  kwargs: Record<string, Plain> = {},
): Promise<Plain> =>
  toPlain(
    await tryFunction(module, name, {
      args: args.map((one) => fromPlain(one)),
      kwargs: fromPlain(kwargs) as Dict as ReadonlyMap<string, Value>,
      others,
    }),
  )

test('calls the program with flags and values, and never through a shell', async () => {
  const helm = program(() => '')
  expect(
    await call(helm, 'install', ['web', './chart'], {
      namespace: 'shop',
      set: ['a=1', 'b=$(id)'],
      flags: ['atomic'],
      kvflags: { timeout: '5m' },
    }),
  ).toBe(true)
  expect(helm.ran).toEqual([
    [
      'helm',
      'install',
      'web',
      './chart',
      '--atomic',
      '--timeout',
      '5m',
      '--namespace',
      'shop',
      '--set',
      'a=1',
      '--set',
      'b=$(id)',
    ],
  ])
  await expect(call(helm, 'uninstall', ['--all'])).rejects.toThrow('cannot begin with a dash')
  const ran = helm.ran.length
  for (const given of [{ kvflags: { 'post-renderer': '/bin/sh' } }, { flags: ['--post-renderer=/bin/sh'] }]) {
    await expect(call(helm, 'template', ['web', './chart'], given)).rejects.toThrow('cannot run a program')
  }
  expect(helm.ran).toHaveLength(ran)
})

test('returns the output as data, as text, or the error', async () => {
  const helm = program((line) =>
    line.startsWith('list') ? '[{"name": "web"}]' : line.startsWith('version') ? 'v3' : undefined,
  )
  expect(await call(helm, 'list', [])).toEqual([{ name: 'web' }])
  expect(await call(helm, 'version', [])).toBe('v3')
  expect(await call(helm, 'rollback', ['web', '1'])).toBe('Error: it failed')
})

test('manages repositories', async () => {
  const helm = program((line) =>
    line.startsWith('repo list')
      ? '[{"name": "old", "url": "http://old"}, {"name": "kept", "url": "http://kept"}]'
      : '',
  )
  const present = ['kept', 'new'].map((name) => ({ name, url: `http://${name}` }))
  expect(await call(helm, 'repo_manage', [present], { prune: true })).toEqual({
    present: [present[0]],
    added: [present[1]],
    absent: [],
    removed: ['old'],
    failed: [],
  })
})

test('states: repositories are managed and updated, releases installed, upgraded and removed', async () => {
  let isThere = false
  const helm = program((line) => {
    if (line.startsWith('status'))
      return isThere ? '{"name": "web", "manifest": "long", "info": {"status": "deployed"}}' : undefined
    if (line.startsWith('install')) isThere = true
    if (line.startsWith('uninstall')) isThere = false
    return line.startsWith('repo list') ? '[]' : ''
  })
  const apply = async (name: string, kwargs: Record<string, Plain>, test = false): Promise<Plain> =>
    toPlain(
      await tryState(states, name, {
        kwargs: fromPlain(kwargs) as Dict as ReadonlyMap<string, Value>,
        test,
        others: helm.others,
      }),
    )
  const release = { name: 'web', chart: './chart' }
  expect(await apply('release_present', release, true)).toMatchObject({ result: null, changes: {} })
  expect(await apply('release_present', release)).toMatchObject({
    result: true,
    changes: { name: 'web', info: { status: 'deployed' } },
  })
  await apply('release_present', release)
  expect(helm.ran.map((words) => words[1])).toContain('upgrade')
  expect(await apply('release_absent', { name: 'web' }, true)).toMatchObject({ result: null })
  expect(await apply('release_absent', { name: 'web' })).toMatchObject({ result: true, changes: { absent: 'web' } })
  expect(await apply('release_absent', { name: 'web' })).toMatchObject({ result: true, changes: {} })
  expect(
    await apply('repo_managed', { name: 'repositories', present: [{ name: 'a', url: 'http://a' }], repo_update: true }),
  ).toMatchObject({ result: true, changes: { added: [{ name: 'a' }], repo_update: true } })
  expect(await apply('repo_updated', { name: 'repositories' })).toMatchObject({
    result: true,
    comment: 'Helm repo is updated.',
  })
})
