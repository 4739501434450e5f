// Checkouts of git: every function runs the git command.
import { basename } from 'node:path/posix'
import { isInt, misuse, shlexSplit, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import {
  asUser,
  common,
  cwd,
  filename,
  flag,
  given,
  rev,
  taken,
  text,
  when,
  withHttps,
  withKeyOnly,
  withOptions,
  withSaltKey,
} from './module/arguments.ts'
import { configFunctions } from './module/config.ts'
import { historyFunctions } from './module/history.ts'
import { remoteFunctions } from './module/remotes.ts'
import { expandPath, git, gitVersion, inCheckout, withAuth, words } from './module/run.ts'
import { worktreeFunctions } from './module/worktrees.ts'

const { opts, git_opts, user, password, ignore_retcode, saltenv, output_encoding } = common
const output = ret.string('The output of git')
const kwargs = arg.open('Further keywords are refused')

/** Return the value of `--shared`: an integer is a mode in octal, True and False are written small. */
const sharing = (shared: Value): string =>
  typeof shared === 'string' ? shared : isInt(shared) ? `0${str(shared)}` : str(shared).toLowerCase()

const refNames = (directory: string): string[] => ['for-each-ref', '--format', '%(refname:short)', directory]

const repositories = {
  archive: changes({
    doc: 'Write a revision to an archive.',
    args: {
      cwd,
      output: arg.text('Path of the archive'),
      rev,
      prefix: text('Prefix of all paths in the archive; by default the name of the directory'),
      git_opts,
      ...asUser,
      kwargs: arg.open('`format`: format of the archive, such as `zip`'),
    },
    returns: ret.boolean('True'),
    example: 'git.archive /path/to/repo /path/to/archive.tar',
    run: async (ctx, args) => {
      const { format } = taken(args.kwargs, 'format')
      const place = await expandPath(ctx, args.cwd, args.user)
      const archive = await expandPath(ctx, args.output, args.user)
      const prefix = args.prefix === '' ? [] : ['--prefix', args.prefix ?? `${basename(place)}/`]
      const options = [...prefix, ...when(truthy(format), '--format', str(format))]
      await inCheckout(ctx, args, ['archive', ...options, '--output', archive, args.rev])
      return true
    },
  }),
  clone: changes({
    doc: 'Clone a repository.',
    args: {
      cwd: arg.text('Path of the new checkout, or of its parent directory with `name`'),
      url: text('URL of the repository'),
      name: text('Name of the new directory below `cwd`'),
      ...withHttps,
      saltenv,
      output_encoding,
    },
    returns: ret.boolean('True'),
    example: 'git.clone /path/to/repo_parent_dir git://github.com/saltstack/salt.git',
    run: async (ctx, args) => {
      const target = await expandPath(ctx, args.cwd, args.user)
      if (!args.url) throw misuse("Missing 'url' argument")
      const url = withAuth(args.url, args.https_user, args.https_pass)
      const argv = [...words(args.git_opts), 'clone', ...words(args.opts), '--', url, args.name ?? target]
      if (args.name !== null) await ctx.host.makeDirectory(target, { parents: true })
      await git(ctx, argv, args, { cwd: args.name === null ? '/tmp' : target })
      return true
    },
  }),
  init: changes({
    doc: 'Create a repository.',
    args: {
      cwd,
      bare: flag('Create a repository without a working tree'),
      template: text('Directory of templates'),
      separate_git_dir: text('Path of the repository itself'),
      shared: arg.any('Sharing: a value of `--shared` as text or boolean, or a mode as a number', { optional: true }),
      ...withOptions,
    },
    returns: output,
    example: 'git.init /path/to/bare/repo.git bare=True',
    run: async (ctx, args) => {
      const { template, separate_git_dir, shared } = args
      const argv = [
        ...words(args.git_opts),
        'init',
        ...when(args.bare, '--bare'),
        ...when(template !== null, `--template=${template}`),
        ...when(separate_git_dir !== null, `--separate-git-dir=${separate_git_dir}`),
        ...when(shared !== null, `--shared=${sharing(shared)}`),
        ...words(args.opts),
        await expandPath(ctx, args.cwd, args.user),
      ]
      return (await git(ctx, argv, args)).stdout
    },
  }),
  submodule: changes({
    doc: 'Run `git submodule`.',
    args: { cwd, command: arg.text('Subcommand, such as `update`'), ...withSaltKey, kwargs },
    returns: output,
    example: "git.submodule /path/to/repo update opts='--init'",
    run: (ctx, args) => {
      if (truthy(taken(args.kwargs, 'init').init)) {
        throw misuse(
          "The 'init' argument is no longer supported. Either set 'command' to 'init', or include '--init' in the 'opts' argument and set 'command' to 'update'.",
        )
      }
      return inCheckout(ctx, args, ['submodule', args.command, ...words(args.opts)])
    },
  }),
  version: reads({
    doc: 'Return the version of git.',
    args: { versioninfo: arg.boolean('Return a list of the parts of the version', { default: false }) },
    returns: ret.any('The version as text, or the list of its parts'),
    examples: ['salt myminion git.version'],
    run: async (ctx, { versioninfo }) => {
      const version = await gitVersion(ctx)
      return versioninfo ? version.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)) : version
    },
  }),
}

const files = {
  add: changes({
    doc: 'Add a file to the index.',
    args: { cwd, filename, ...withOptions },
    returns: output,
    example: 'git.add /path/to/repo foo/bar.py',
    run: (ctx, args) => {
      const options = words(args.opts).filter((word) => word !== '-v' && word !== '--verbose')
      return inCheckout(ctx, args, ['add', '--verbose', ...options, '--', args.filename])
    },
  }),
  commit: changes({
    doc: 'Commit changes.',
    args: {
      cwd,
      message: arg.text('Commit message'),
      opts,
      git_opts,
      user,
      password,
      filename: text('Path of the only file to commit'),
      ignore_retcode,
      output_encoding,
    },
    returns: output,
    example: "git.commit /path/to/repo 'The commit message'",
    run: (ctx, args) => {
      const only = args.filename ? ['--', args.filename] : []
      return inCheckout(ctx, args, ['commit', '-m', args.message, ...words(args.opts), ...only])
    },
  }),
  discard_local_changes: changes({
    doc: 'Discard the uncommitted changes of files.',
    args: { cwd, path: arg.text('Path of the files', { default: '.' }), ...asUser },
    returns: output,
    example: 'git.discard_local_changes /path/to/repo path=foo',
    run: (ctx, args) => inCheckout(ctx, args, ['checkout', '--', args.path], { merged: true }),
  }),
  reset: changes({
    doc: 'Reset a checkout.',
    args: { cwd, ...withKeyOnly },
    returns: output,
    example: "git.reset /path/to/repo opts='--hard origin/master'",
    run: (ctx, args) => inCheckout(ctx, args, ['reset', ...words(args.opts)]),
  }),
  rm: changes({
    doc: 'Remove a file from the checkout and the index.',
    calledAs: 'rm_',
    args: { cwd, filename, ...withOptions },
    returns: output,
    example: 'git.rm /path/to/repo foo/bar.py',
    run: (ctx, args) => inCheckout(ctx, args, ['rm', ...words(args.opts), '--', args.filename]),
  }),
  stash: changes({
    doc: 'Run `git stash`.',
    args: { cwd, action: arg.text('Subcommand, such as `save` or `pop`', { default: 'save' }), ...withOptions },
    returns: output,
    example: 'git.stash /path/to/repo drop',
    run: (ctx, args) => inCheckout(ctx, args, ['stash', args.action, ...words(args.opts)]),
  }),
}

const references = {
  branch: changes({
    doc: 'Create, list or remove branches.',
    args: { cwd, name: text('Name of the branch'), ...withOptions },
    returns: ret.boolean('True'),
    example: 'git.branch /path/to/repo newbranch',
    run: async (ctx, args) => {
      await inCheckout(ctx, args, ['branch', ...words(args.opts), ...given(args.name)])
      return true
    },
  }),
  checkout: changes({
    doc: 'Check out a branch or revision.',
    args: { cwd, rev: text('Branch or revision'), force: flag('Discard local changes'), ...withOptions },
    returns: output,
    example: 'git.checkout /path/to/repo somebranch force=True',
    run: (ctx, args) => {
      const options = words(args.opts)
      if (args.rev === null && !options.some((word) => word === '-b' || word === '-B')) {
        throw misuse("'rev' argument is required unless -b or -B in opts")
      }
      const argv = ['checkout', ...when(args.force, '--force'), ...options, ...given(args.rev)]
      return inCheckout(ctx, args, argv, { merged: true })
    },
  }),
  current_branch: reads({
    doc: 'Return the branch that is checked out.',
    args: { cwd, ...asUser },
    returns: ret.string('The branch; `HEAD` when none is checked out'),
    example: 'git.current_branch /path/to/repo',
    run: (ctx, args) => inCheckout(ctx, args, ['rev-parse', '--abbrev-ref', 'HEAD']),
  }),
  describe: reads({
    doc: 'Return a name of a revision that is based on the nearest tag.',
    args: { cwd, rev, ...asUser },
    returns: ret.string('The name'),
    example: 'git.describe /path/to/repo',
    run: (ctx, args) => inCheckout(ctx, args, ['describe', '--always', args.rev]),
  }),
  list_branches: reads({
    doc: 'Return all branches.',
    args: { cwd, remote: flag('Return the branches of remotes'), ...asUser },
    returns: ret.texts('Names of branches'),
    example: 'git.list_branches /path/to/repo remote=True',
    run: async (ctx, args) =>
      splitLines(await inCheckout(ctx, args, refNames(args.remote ? 'refs/remotes/' : 'refs/heads/'))),
  }),
  list_tags: reads({
    doc: 'Return all tags.',
    args: { cwd, ...asUser },
    returns: ret.texts('Names of tags'),
    example: 'git.list_tags /path/to/repo',
    run: async (ctx, args) => splitLines(await inCheckout(ctx, args, refNames('refs/tags/'))),
  }),
  merge: changes({
    doc: 'Merge a branch into the one that is checked out.',
    args: { cwd, rev: text('Branch or revision to merge'), ...withKeyOnly, kwargs },
    returns: output,
    example: 'git.merge /path/to/repo rev=upstream/foo',
    run: (ctx, args) => {
      taken(args.kwargs)
      return inCheckout(ctx, args, ['merge', ...words(args.opts), ...when(args.rev, str(args.rev))])
    },
  }),
  rebase: changes({
    doc: 'Rebase the branch that is checked out.',
    args: {
      cwd,
      rev: arg.text('Revision to rebase onto, as words of the command', { default: 'master' }),
      ...withOptions,
    },
    returns: output,
    example: 'git.rebase /path/to/repo master',
    run: (ctx, args) => {
      const options = words(args.opts)
      if (options.some((word) => word === '-i' || word === '--interactive')) {
        throw misuse('Interactive rebases are not supported')
      }
      return inCheckout(ctx, args, ['rebase', ...options, ...shlexSplit(args.rev)])
    },
  }),
  rev_parse: reads({
    doc: 'Run `git rev-parse`.',
    args: { cwd, rev: text('Revision'), ...withOptions },
    returns: output,
    example: 'git.rev_parse /path/to/repo HEAD',
    run: (ctx, args) => inCheckout(ctx, args, ['rev-parse', ...words(args.opts), ...given(args.rev)]),
  }),
  revision: reads({
    doc: 'Return the commit of a revision.',
    args: { cwd, rev, short: flag('Shorten the commit'), ...asUser },
    returns: ret.string('The commit'),
    example: 'git.revision /path/to/repo mybranch',
    run: (ctx, args) => inCheckout(ctx, args, ['rev-parse', ...when(args.short, '--short'), args.rev]),
  }),
  symbolic_ref: changes({
    doc: 'Read or change a symbolic reference.',
    args: { cwd, ref: arg.text('Symbolic reference'), value: text('New target of the reference'), ...withOptions },
    returns: output,
    example: 'git.symbolic_ref /path/to/repo HEAD refs/heads/mybranch',
    run: (ctx, args) => {
      const options = words(args.opts)
      if (args.value !== null && options.some((word) => word === '-d' || word === '--delete')) {
        throw misuse('Value cannot be set for symbolic ref if -d/--delete is included in opts')
      }
      return inCheckout(ctx, args, ['symbolic-ref', ...options, args.ref, ...when(args.value, str(args.value))])
    },
  }),
  tag: changes({
    doc: 'Create or remove a tag.',
    args: {
      cwd,
      name: arg.text('Name of the tag'),
      ref: arg.text('Revision that the tag marks', { default: 'HEAD' }),
      message: text('Message; makes the tag an annotated one'),
      ...withOptions,
    },
    returns: output,
    example: 'git.tag /path/to/repo v2016.3.0',
    run: (ctx, args) => {
      const options = words(args.opts).filter((word) => word !== '-a' && word !== '--annotate')
      if (options.some((word) => word === '-m' || word.includes('--message'))) {
        throw misuse('Tag messages must be passed in the "message" argument')
      }
      const annotation = args.message === null ? [] : ['-a', '-m', args.message]
      const removes = options.includes('-d') || options.includes('--delete')
      const argv = ['tag', ...annotation, ...options, args.name, ...when(!removes, args.ref)]
      return inCheckout(ctx, args, argv, { merged: true })
    },
  }),
}

export default defineModule({
  name: 'git',
  doc: 'Work with git checkouts.',
  functions: {
    ...files,
    ...repositories,
    ...references,
    ...configFunctions,
    ...historyFunctions,
    ...remoteFunctions,
    ...worktreeFunctions,
  },
})
