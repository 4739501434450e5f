// Functions of git: the commands that they run.
import { expect, test } from 'vitest'
import { type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { scripted, tryFunction } from '../../../sdk/mod.ts'
import git from './module.ts'

type Keywords = Record<string, Value>

async function ran(fun: string, args: Value[], kwargs: Keywords, answers: Parameters<typeof scripted>[0] = {}) {
  const { others, ran } = scripted({ ...answers, 'git *': '' })
  const result = toPlain(await tryFunction(git, fun, { args: ['/r', ...args], kwargs, others })) as Plain
  return { lines: ran, result }
}

test.each<[string, Value[], Keywords, string]>([
  ['add', ['a b'], { opts: '-v --force' }, 'git add --verbose --force -- a b'],
  ['archive', ['/x.tar', 'v1'], { format: 'zip' }, 'git archive --prefix r/ --format zip --output /x.tar v1'],
  ['archive', ['/x.tar'], { prefix: '' }, 'git archive --output /x.tar HEAD'],
  ['branch', ['new'], { opts: ['-d'] }, 'git branch -d new'],
  ['checkout', ['main'], { force: true }, 'git checkout --force main'],
  ['clone', ['https://h/x'], { https_user: 'u', https_pass: 'p' }, 'git clone -- https://u:p@h/x /r'],
  ['commit', ['why'], { filename: 'f', git_opts: '-c a=b' }, 'git -c a=b commit -m why -- f'],
  ['current_branch', [], {}, 'git rev-parse --abbrev-ref HEAD'],
  ['describe', [], {}, 'git describe --always HEAD'],
  ['diff', ['a', 'b'], { paths: 'x,y' }, 'git diff a b -- x y'],
  ['diff', ['a', 'b'], { cached: true }, 'git diff --cached a'],
  ['discard_local_changes', [], {}, 'git checkout -- .'],
  ['fetch', ['origin'], { force: true, refspecs: 'a,b', opts: '-f -t' }, 'git fetch --force -t origin a b'],
  ['init', [], { bare: true, shared: 644, template: '/t' }, 'git init --bare --template=/t --shared=0644 /r'],
  ['init', [], { shared: true }, 'git init --shared=true /r'],
  ['list_branches', [], { remote: true }, 'git for-each-ref --format %(refname:short) refs/remotes/'],
  ['list_tags', [], {}, 'git for-each-ref --format %(refname:short) refs/tags/'],
  ['ls_remote', ['up', 'main'], { opts: '--tags' }, 'git ls-remote --tags up main'],
  ['merge', ['dev'], {}, 'git merge dev'],
  ['merge_base', [['a', 'b']], { octopus: true }, 'git merge-base --octopus a b'],
  ['merge_base', [], { fork_point: 'main' }, 'git merge-base --fork-point main HEAD'],
  ['pull', [], { opts: '--rebase' }, 'git pull --rebase'],
  ['push', ['origin', 'main'], {}, 'git push origin main'],
  ['rebase', ["'a b' c"], {}, 'git rebase a b c'],
  ['reset', [], { opts: '--hard' }, 'git reset --hard'],
  ['rev_parse', ['HEAD'], { opts: '--short' }, 'git rev-parse --short HEAD'],
  ['revision', [], { short: true }, 'git rev-parse --short HEAD'],
  ['rm', ['f'], {}, 'git rm -- f'],
  ['stash', ['pop'], {}, 'git stash pop'],
  ['status', [], {}, 'git status -z --porcelain'],
  ['submodule', ['update'], { opts: '--init' }, 'git submodule update --init'],
  ['symbolic_ref', ['HEAD', 'refs/heads/x'], {}, 'git symbolic-ref HEAD refs/heads/x'],
  ['tag', ['v1'], { message: 'm', opts: '-a' }, 'git tag -a -m m v1 HEAD'],
  ['tag', ['v1'], { opts: '-d' }, 'git tag -d v1'],
  ['worktree_add', ['/w', 'main'], { branch: 'b', force: true }, 'git worktree add -b b --force /w main'],
  ['worktree_add', ['/w'], { detach: true }, 'git worktree add --detach /w'],
  ['worktree_prune', [], { expire: 'now' }, 'git worktree prune --verbose --expire now'],
])('git.%s %j %j runs %s', async (fun, args, kwargs, line) => {
  expect((await ran(fun, args, kwargs)).lines).toEqual([line])
})

test.each<[string, Value[], Keywords, Parameters<typeof scripted>[0], unknown]>([
  ['version', [], {}, { 'git --version': 'git version 2.39.5' }, '2.39.5'],
  ['list_tags', [], {}, { 'git for-each-ref*': 'v1\nv2' }, ['v1', 'v2']],
  ['status', [], {}, { 'git status*': ' M a\0?? b\0?? c\0' }, { modified: ['a'], untracked: ['b', 'c'] }],
  ['ls_remote', [], {}, { 'git ls-remote*': 'abc\trefs/heads/main' }, { 'refs/heads/main': 'abc' }],
  [
    'fetch',
    [],
    {},
    { 'git fetch*': '   1a..2b  main -> origin/main\n * [new tag]  v1 -> v1\n * [new branch] x -> origin/x' },
    { 'updated branches': { main: { old: '1a', new: '2b' } }, 'new tags': ['v1'], 'new branches': ['x'] },
  ],
  [
    'remotes',
    [],
    {},
    { 'git remote*': 'origin\thttps://u:p@h/x (fetch)\norigin\thttps://u:p@h/x (push)' },
    { origin: { fetch: 'https://<redacted>@h/x', push: 'https://<redacted>@h/x' } },
  ],
  ['remote_get', [], { redact_auth: false }, { 'git remote*': 'origin\th (fetch)' }, { fetch: 'h' }],
  ['merge_base', [['a', 'b']], { is_ancestor: true }, { 'git merge-base*': { retcode: 1 } }, false],
  ['merge_tree', ['a', 'b'], {}, { 'git merge-base*': 'c', 'git merge-tree c a b': 'tree' }, 'tree'],
  [
    'list_worktrees',
    [],
    { all: true },
    { 'git worktree*': 'worktree /gone\nHEAD abc\nbranch refs/heads/x' },
    { '/gone': { stale: true, HEAD: 'abc', detached: false, branch: 'x' } },
  ],
])('git.%s %j %j reads the output of git', async (fun, args, kwargs, answers, wanted) => {
  const { others } = scripted({ ...answers, 'git *': '' })
  const all = fun === 'version' ? args : ['/r', ...args]
  expect(toPlain(await tryFunction(git, fun, { args: all, kwargs, others }))).toEqual(wanted)
})

test('git.remote_refs asks the URL with its password and filter', async () => {
  const { others, ran } = scripted({ 'git ls-remote*': 'abc\tHEAD' })
  const kwargs = { heads: true, https_user: 'u', https_pass: 'p', filter: 'm*' }
  const refs = await tryFunction(git, 'remote_refs', { args: ['https://h/x'], kwargs, others })
  expect(toPlain(refs)).toEqual({ HEAD: 'abc' })
  expect(ran).toEqual(['git ls-remote --heads https://u:p@h/x m*'])
})

test('git.remote_set replaces a remote and sets its URL for pushing', async () => {
  const { lines, result } = await ran(
    'remote_set',
    ['https://h/x'],
    { push_url: 'https://h/y' },
    {
      'git remote --verbose': 'origin\thttps://h/x (fetch)\norigin\thttps://h/y (push)',
    },
  )
  const added = ['git remote rm origin', 'git remote add origin https://h/x']
  const pushed = 'git remote set-url --push origin https://h/y'
  expect(lines).toEqual(['git remote --verbose', ...added, pushed, 'git remote --verbose'])
  expect(result).toEqual({ fetch: 'https://h/x', push: 'https://h/y' })
})

test('git.config functions read, set and remove settings', async () => {
  const { others, ran } = scripted({
    'git config --local --get-all a.b': '1\n2',
    'git config --global --get-regexp ^a v': 'a.b 1\na.b 2',
    'git config*': '',
  })
  const call = async (fun: string, kwargs: Keywords) => toPlain(await tryFunction(git, fun, { kwargs, others }))
  expect(await call('config_get', { key: 'a.b', cwd: '/r' })).toBe('2')
  expect(await call('config_get', { key: 'a.b', cwd: '/r', all: true })).toEqual(['1', '2'])
  expect(await call('config_get_regexp', { key: '^a', value_regex: 'v', global: true })).toEqual({ 'a.b': ['1', '2'] })
  expect(await call('config_set', { key: 'a.b', multivar: '1,2', cwd: '/r' })).toEqual(['1', '2'])
  expect(await call('config_set', { key: 'a.b', value: false, cwd: '/r' })).toEqual(['1', '2'])
  expect(await call('config_unset', { key: 'a.b', cwd: '/r', all: true })).toBe(true)
  expect(ran.filter((line) => !line.includes('--get'))).toEqual([
    'git config --replace-all a.b 1',
    'git config --add a.b 2',
    'git config --replace-all a.b False',
    'git config --unset-all --local a.b',
  ])
})

test.each<[string, Value[], Keywords, string]>([
  ['checkout', [], {}, "'rev' argument is required unless -b or -B in opts"],
  ['clone', [], {}, "Missing 'url' argument"],
  ['merge', [], { foo: 1 }, 'The following keyword arguments are not valid: foo=1'],
  ['rebase', [], { opts: '-i' }, 'Interactive rebases are not supported'],
  ['submodule', ['update'], { init: true }, "The 'init' argument is no longer supported."],
  ['diff', [], { no_index: true, cached: true }, "The 'no_index' and 'cached' options cannot be used together"],
  ['merge_base', ['a'], { is_ancestor: true }, "Two refs/commits are required if 'is_ancestor' is True"],
  ['remote_get', ['up'], {}, "Remote 'up' not present in git checkout located at /r"],
  ['worktree_rm', [], {}, '/r does not exist'],
])('git.%s %j %j is refused: %s', async (fun, args, kwargs, message) => {
  await expect(ran(fun, args, kwargs)).rejects.toThrow(message)
})

test('git tries the keys of an identity in turn', async () => {
  const { others, ran } = scripted({ 'git pull': '' })
  const kwargs = { identity: ['/none', 'salt://key'] }
  const cached = { 'cp.cache_file': () => '/cache/key' }
  await tryFunction(git, 'pull', { args: ['/r'], kwargs, others: { ...others, ...cached } })
  expect(ran).toEqual(['git pull'])
})

test('a failure shows the command without its password', async () => {
  const answers = { 'git clone*': { retcode: 128, stderr: 'fatal: https://u:p@h/x' } }
  const kwargs = { https_user: 'u', https_pass: 'p' }
  const message = "Command 'git clone -- https://<redacted>@h/x /r' failed: fatal: https://<redacted>@h/x"
  await expect(ran('clone', ['https://h/x'], kwargs, answers)).rejects.toThrow(message)
})
