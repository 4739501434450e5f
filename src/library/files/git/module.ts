// Checkouts of git: everything goes through the git command.
import { basename } from 'node:path/posix'
import { isInt, shlexSplit, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import {
  AS_USER,
  command,
  declared,
  flag,
  further,
  optional,
  opts,
  parameters,
  taken,
  text,
  WITH_KEY,
  WITH_OPTIONS,
  when,
} from './module/arguments.ts'
import { configGet, configGetRegexp, configSet, configUnset } from './module/config.ts'
import { diff, mergeBase, mergeTree, status } from './module/history.ts'
import { fetch, lsRemote, remoteGet, remoteRefs, remoteSet, remotes } from './module/remotes.ts'
import { expandPath, type Given, git, gitVersion, misuse, value, withAuth, words } from './module/run.ts'
import { isWorktree, listWorktrees, worktreeAdd, worktreeRemove } from './module/worktrees.ts'

const lines = { answer: ({ stdout }: { stdout: string }) => splitLines(stdout), effect: 'read' as const }
const done = { answer: () => true }
const refName = ['--format', '%(refname:short)']
const key = arg.any('The name of the setting')
const required = (doc: string) => arg.any(doc)
const cwd = arg.any('The path of the checkout')
const checkoutOptional = { cwd: optional('The path of the checkout') }

async function clone(ctx: FunctionContext, args: Given): Promise<true> {
  const target = await expandPath(ctx, value(args, 'cwd'), value(args, 'user'))
  if (!truthy(value(args, 'url'))) throw misuse("Missing 'url' argument")
  const url = withAuth(value(args, 'url'), value(args, 'https_user'), value(args, 'https_pass'))
  const name = value(args, 'name')
  const argv = [
    ...words(value(args, 'git_opts')),
    'clone',
    ...opts(args),
    '--',
    url,
    name === null ? target : str(name),
  ]
  if (name !== null) await ctx.host.makeDirectory(target, { parents: true })
  await git(ctx, argv, args, { cwd: name === null ? '/tmp' : target })
  return true
}

async function archive(ctx: FunctionContext, args: Given): Promise<true> {
  const { format } = taken(args, 'format')
  const user = value(args, 'user')
  const place = await expandPath(ctx, value(args, 'cwd'), user)
  const output = await expandPath(ctx, value(args, 'output'), user)
  const given = value(args, 'prefix')
  const prefix = given === '' ? [] : ['--prefix', truthy(given) ? str(given) : `${basename(place)}/`]
  const argv = [...words(value(args, 'git_opts')), 'archive', ...prefix, ...when(format!, '--format', str(format!))]
  await git(ctx, [...argv, '--output', output, text(args, 'rev')], args, { cwd: place })
  return true
}

async function init(ctx: FunctionContext, args: Given): Promise<string> {
  const place = await expandPath(ctx, value(args, 'cwd'), value(args, 'user'))
  const shared = value(args, 'shared')
  const given = (name: string, option: string): string[] =>
    value(args, name) === null ? [] : [`--${option}=${text(args, name)}`]
  const argv = [
    ...words(value(args, 'git_opts')),
    'init',
    ...when(value(args, 'bare'), '--bare'),
    ...given('template', 'template'),
    ...given('separate_git_dir', 'separate-git-dir'),
    ...(shared === null ? [] : [`--shared=${sharing(shared)}`]),
    ...opts(args),
    place,
  ]
  return (await git(ctx, argv, args)).stdout
}

/** An int is a mode in octal; truth is written small. */
const sharing = (shared: Value): string =>
  typeof shared === 'string' ? shared : isInt(shared) ? `0${str(shared)}` : str(shared).toLowerCase()

function checkoutWords(args: Given): string[] {
  const options = opts(args)
  const rev = value(args, 'rev')
  if (rev === null && !options.some((word) => word === '-b' || word === '-B')) {
    throw misuse("'rev' argument is required unless -b or -B in opts")
  }
  return ['checkout', ...when(value(args, 'force'), '--force'), ...options, ...(rev === null ? [] : [str(rev)])]
}

function tagWords(args: Given): string[] {
  const options = opts(args).filter((word) => word !== '-a' && word !== '--annotate')
  if (options.some((word) => word === '-m' || word.includes('--message'))) {
    throw misuse('Tag messages must be passed in the "message" argument')
  }
  const message = value(args, 'message')
  const annotation = message === null ? [] : ['-a', '-m', str(message)]
  const removal = options.includes('-d') || options.includes('--delete')
  return ['tag', ...annotation, ...options, text(args, 'name'), ...(removal ? [] : [text(args, 'ref')])]
}

function rebaseWords(args: Given): string[] {
  const options = opts(args)
  if (options.some((word) => word === '-i' || word === '--interactive')) {
    throw misuse('Interactive rebases are not supported')
  }
  return ['rebase', ...options, ...shlexSplit(text(args, 'rev'))]
}

function symbolicRefWords(args: Given): string[] {
  const options = opts(args)
  const target = value(args, 'value')
  if (target !== null && options.some((word) => word === '-d' || word === '--delete')) {
    throw misuse('Value cannot be set for symbolic ref if -d/--delete is included in opts')
  }
  return ['symbolic-ref', ...options, text(args, 'ref'), ...when(target, str(target))]
}

function submoduleWords(args: Given): string[] {
  const { init } = taken(args, 'init')
  if (truthy(init!)) {
    throw misuse(
      "The 'init' argument is no longer supported. Either set 'command' to 'init', or include '--init' in the 'opts' argument and set 'command' to 'update'.",
    )
  }
  return ['submodule', text(args, 'command'), ...opts(args)]
}

const refNames = (folder: string): string[] => ['for-each-ref', ...refName, folder]
const config_get_regexp = declared(
  'Settings whose names match a regular expression.',
  {
    key,
    value_regex: optional('Only values that match'),
    ...checkoutOptional,
    ...parameters(AS_USER),
    kwargs: further('`global`'),
  },
  configGetRegexp,
  'read',
)

export default defineModule({
  name: 'git',
  doc: 'Work with git checkouts.',
  functions: {
    add: command('Put a file in the index.', parameters(`cwd filename ${WITH_OPTIONS}`), (args) => [
      'add',
      '--verbose',
      ...opts(args).filter((word) => word !== '-v' && word !== '--verbose'),
      '--',
      text(args, 'filename'),
    ]),
    archive: declared(
      'Write a tree to an archive.',
      {
        cwd,
        output: required('The path of the archive'),
        ...parameters('rev'),
        prefix: optional('Put before all paths; the folder’s name when not given'),
        ...parameters(`git_opts ${AS_USER}`),
        kwargs: further('`format`'),
      },
      archive,
    ),
    branch: command(
      'Make, list or remove branches.',
      { cwd, name: optional('The branch'), ...parameters(WITH_OPTIONS) },
      (args) => ['branch', ...opts(args), ...(value(args, 'name') === null ? [] : [text(args, 'name')])],
      done,
    ),
    checkout: command(
      'Check out a branch or revision.',
      { cwd, rev: optional('What to check out'), force: flag('Throw away local changes'), ...parameters(WITH_OPTIONS) },
      checkoutWords,
      { merged: true },
    ),
    clone: declared(
      'Clone a repository.',
      {
        cwd,
        url: optional('The repository'),
        name: optional('The name of the folder below cwd'),
        ...parameters(`opts git_opts ${WITH_KEY} https_user https_pass ignore_retcode saltenv output_encoding`),
      },
      clone,
    ),
    commit: command(
      'Record changes.',
      {
        cwd,
        message: required('The message'),
        ...parameters('opts git_opts user password'),
        filename: optional('Only this file'),
        ...parameters('ignore_retcode output_encoding'),
      },
      (args) => [
        'commit',
        '-m',
        text(args, 'message'),
        ...opts(args),
        ...when(value(args, 'filename'), '--', text(args, 'filename')),
      ],
    ),
    config_get: declared(
      'The value of a setting.',
      { key, ...checkoutOptional, ...parameters(AS_USER), kwargs: further('`all`, `global`') },
      configGet,
      'read',
    ),
    config_get_regexp,
    config_get_regex: config_get_regexp,
    config_set: declared(
      'Change a setting.',
      {
        key,
        value: optional('Its value'),
        multivar: optional('Several values'),
        ...checkoutOptional,
        ...parameters(AS_USER),
        kwargs: further('`add`, `global`'),
      },
      configSet,
    ),
    config_unset: declared(
      'Remove a setting.',
      {
        key,
        value_regex: optional('Only values that match'),
        ...checkoutOptional,
        ...parameters(AS_USER),
        kwargs: further('`all`, `global`'),
      },
      configUnset,
    ),
    current_branch: command(
      'The branch that is checked out.',
      parameters(`cwd ${AS_USER}`),
      () => ['rev-parse', '--abbrev-ref', 'HEAD'],
      { effect: 'read' },
    ),
    describe: command(
      'A name for a revision, by the nearest tag.',
      parameters(`cwd rev ${AS_USER}`),
      (args) => ['describe', '--always', text(args, 'rev')],
      { effect: 'read' },
    ),
    diff: declared(
      'Differences between revisions.',
      {
        cwd,
        item1: optional('A revision'),
        item2: optional('Another'),
        ...parameters('opts git_opts user password'),
        no_index: flag('Compare two paths outside of a repository'),
        cached: flag('Compare the index'),
        paths: optional('Only these paths'),
        ...parameters('output_encoding'),
      },
      diff,
      'read',
    ),
    discard_local_changes: command(
      'Throw away changes of files.',
      { cwd, path: arg.any('Which files', { default: '.' }), ...parameters(AS_USER) },
      (args) => ['checkout', '--', text(args, 'path')],
      { merged: true },
    ),
    fetch: declared(
      'Fetch from a remote.',
      {
        cwd,
        remote: optional('The remote'),
        force: flag('Overwrite refs'),
        refspecs: optional('What to fetch'),
        ...parameters(`opts git_opts ${WITH_KEY} ignore_retcode saltenv output_encoding`),
      },
      fetch,
    ),
    init: declared(
      'Make a repository.',
      {
        cwd,
        bare: flag('Without a checkout'),
        template: optional('A folder of templates'),
        separate_git_dir: optional('Where the repository is'),
        shared: optional('Who may use it'),
        ...parameters(WITH_OPTIONS),
      },
      init,
    ),
    is_worktree: declared(
      'Whether a path is in a worktree beside the main one.',
      parameters('cwd user password output_encoding'),
      isWorktree,
      'read',
    ),
    list_branches: command(
      'All branches.',
      { cwd, remote: flag('Those of remotes'), ...parameters(AS_USER) },
      (args) => refNames(truthy(value(args, 'remote')) ? 'refs/remotes/' : 'refs/heads/'),
      lines,
    ),
    list_tags: command('All tags.', parameters(`cwd ${AS_USER}`), () => refNames('refs/tags/'), lines),
    list_worktrees: declared(
      'All worktrees.',
      {
        cwd,
        stale: flag('Only those whose folder is gone'),
        ...parameters('user password output_encoding'),
        kwargs: further('`all`'),
      },
      listWorktrees,
      'read',
    ),
    ls_remote: declared(
      'What a remote holds.',
      {
        ...checkoutOptional,
        ...parameters('remote'),
        ref: optional('Only this'),
        ...parameters(`opts git_opts ${WITH_KEY} https_user https_pass ignore_retcode output_encoding saltenv`),
      },
      lsRemote,
      'read',
    ),
    merge: command(
      'Merge a branch.',
      {
        cwd,
        rev: optional('The branch'),
        ...parameters(`opts git_opts ${WITH_KEY} ignore_retcode output_encoding`),
        kwargs: further('Nothing'),
      },
      (args) => {
        taken(args)
        return ['merge', ...opts(args), ...when(value(args, 'rev'), text(args, 'rev'))]
      },
    ),
    merge_base: declared(
      'The common ancestor of revisions.',
      {
        cwd,
        refs: optional('The revisions'),
        octopus: flag('Of all of them'),
        is_ancestor: flag('Whether the first is one of the second'),
        independent: flag('Those that cannot be reached from others'),
        fork_point: optional('Where a branch left'),
        ...parameters(WITH_OPTIONS),
        kwargs: further('`all`'),
      },
      mergeBase,
      'read',
    ),
    merge_tree: declared(
      'What a merge would give.',
      {
        cwd,
        ref1: required('A revision'),
        ref2: required('Another'),
        base: optional('Their ancestor'),
        ...parameters(AS_USER),
      },
      mergeTree,
      'read',
    ),
    pull: command(
      'Pull from a remote.',
      parameters(`cwd opts git_opts ${WITH_KEY} ignore_retcode saltenv output_encoding`),
      (args) => ['pull', ...opts(args)],
    ),
    push: command(
      'Push to a remote.',
      {
        cwd,
        remote: optional('The remote'),
        ref: optional('What to push'),
        ...parameters(`opts git_opts ${WITH_KEY} ignore_retcode saltenv output_encoding`),
        kwargs: further('Nothing'),
      },
      (args) => {
        taken(args)
        return ['push', ...opts(args), text(args, 'remote'), text(args, 'ref')]
      },
    ),
    rebase: command(
      'Rebase the current branch.',
      { cwd, rev: arg.any('Onto what', { default: 'master' }), ...parameters(WITH_OPTIONS) },
      rebaseWords,
    ),
    remote_get: declared(
      'The URLs of a remote.',
      parameters('cwd remote user password redact_auth ignore_retcode output_encoding'),
      remoteGet,
      'read',
    ),
    remote_refs: declared(
      'What a repository holds.',
      {
        url: required('The repository'),
        heads: flag('Only branches'),
        tags: flag('Only tags'),
        ...parameters(`${WITH_KEY} https_user https_pass ignore_retcode output_encoding saltenv`),
        kwargs: further('`filter`'),
      },
      remoteRefs,
      'read',
      ret.dict('The hashes, by reference'),
    ),
    remote_set: declared(
      'Add a remote, or change its URLs.',
      {
        cwd,
        url: required('The URL'),
        ...parameters('remote user password https_user https_pass'),
        push_url: optional('The URL for pushing'),
        push_https_user: optional('For pushing'),
        push_https_pass: arg.any('For pushing', { optional: true, secret: true }),
        ...parameters('ignore_retcode output_encoding'),
      },
      remoteSet,
    ),
    remotes: declared(
      'All remotes.',
      parameters('cwd user password redact_auth ignore_retcode output_encoding'),
      remotes,
      'read',
    ),
    reset: command(
      'Reset the checkout.',
      parameters(`cwd opts git_opts ${WITH_KEY} ignore_retcode output_encoding`),
      (args) => ['reset', ...opts(args)],
    ),
    rev_parse: command(
      'Call git rev-parse.',
      { cwd, rev: optional('The revision'), ...parameters(WITH_OPTIONS) },
      (args) => ['rev-parse', ...opts(args), ...(value(args, 'rev') === null ? [] : [text(args, 'rev')])],
      { effect: 'read' },
    ),
    revision: command(
      'The hash of a revision.',
      { cwd, ...parameters('rev'), short: flag('Shortened'), ...parameters(AS_USER) },
      (args) => ['rev-parse', ...when(value(args, 'short'), '--short'), text(args, 'rev')],
      { effect: 'read' },
    ),
    rm: {
      ...command('Remove a file.', parameters(`cwd filename ${WITH_OPTIONS}`), (args) => [
        'rm',
        ...opts(args),
        '--',
        text(args, 'filename'),
      ]),
      calledAs: 'rm_',
    },
    stash: command(
      'Put changes away.',
      { cwd, action: arg.any('What to do', { default: 'save' }), ...parameters(WITH_OPTIONS) },
      (args) => ['stash', text(args, 'action'), ...opts(args)],
    ),
    status: declared('Files that differ, by how.', parameters(`cwd ${AS_USER}`), status, 'read'),
    submodule: command(
      'Call git submodule.',
      {
        cwd,
        command: required('What to do'),
        ...parameters(`opts git_opts ${WITH_KEY} ignore_retcode saltenv output_encoding`),
        kwargs: further('Nothing'),
      },
      submoduleWords,
    ),
    symbolic_ref: command(
      'Read or change a symbolic ref.',
      { cwd, ref: required('The ref'), value: optional('Where it points'), ...parameters(WITH_OPTIONS) },
      symbolicRefWords,
    ),
    tag: command(
      'Make or remove a tag.',
      {
        cwd,
        name: required('The tag'),
        ref: arg.any('What it marks', { default: 'HEAD' }),
        message: optional('Makes it an annotated one'),
        ...parameters(WITH_OPTIONS),
      },
      tagWords,
      { merged: true },
    ),
    version: reads({
      doc: 'The version of git.',
      args: { versioninfo: arg.boolean('As a list of its parts', { default: false }) },
      returns: ret.any('The version'),
      examples: ['salt myminion git.version'],
      run: async (ctx, { versioninfo }) => {
        const version = await gitVersion(ctx)
        return versioninfo ? version.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)) : version
      },
    }),
    worktree_add: declared(
      'Add a worktree.',
      {
        cwd,
        worktree_path: required('Where'),
        ref: optional('The revision'),
        reset_branch: optional('Whether an existing branch is reset'),
        force: optional('Although the branch is checked out'),
        detach: flag('Without a branch'),
        ...parameters(WITH_OPTIONS),
        kwargs: further('`branch`'),
      },
      worktreeAdd,
    ),
    worktree_prune: command(
      'Forget worktrees whose folders are gone.',
      {
        cwd,
        dry_run: flag('Only say which'),
        verbose: arg.any('Say which', { default: true }),
        expire: optional('Only older ones'),
        ...parameters(WITH_OPTIONS),
      },
      (args) => [
        'worktree',
        'prune',
        ...when(value(args, 'dry_run'), '--dry-run'),
        ...when(value(args, 'verbose'), '--verbose'),
        ...when(value(args, 'expire'), '--expire', text(args, 'expire')),
        ...opts(args),
      ],
      { answer: ({ stderr }) => stderr },
    ),
    worktree_rm: declared('Remove a worktree.', parameters('cwd user output_encoding'), worktreeRemove),
  },
})
