// Functions of `file` that change text inside files.
import { textOf } from '../../../../data/mod.ts'
import { arg, changes, reads, ret } from '../../../../sdk/mod.ts'
import { replaceBlock } from './block.ts'
import { changeComments } from './commenting.ts'
import { changeLine } from './line.ts'
import { replaceInFile, searchFile } from './replacing.ts'
import { applyPatch, psed, sed, sedContains } from './sed.ts'

const path = arg.any('The path')
const backup = arg.any('What the name of the copy ends with; nothing for no copy', { default: '.bak' })
const char = arg.string('The mark of a comment', { default: '#' })
const regex = arg.string('The pattern')
const show_changes = arg.boolean('Whether the difference is told', { default: true })
const dry_run = arg.boolean('Whether nothing is changed', { default: false })
const limit = arg.string('Only in lines that match this pattern', { default: '' })

const comment = (name: 'comment' | 'uncomment', isComment: boolean) =>
  changes({
    doc: isComment ? 'Make lines that match a pattern comments.' : 'Make comments that match a pattern lines.',
    args: { path, regex, char, backup },
    returns: ret.any('The difference, or False when nothing matched'),
    example: `file.${name} /etc/modules pcspkr`,
    run: (ctx, { path, regex, char, backup }) => changeComments(ctx, { path, regex, char, backup, comment: isComment }),
  })

const patterns = {
  replace: changes({
    doc: 'Replace what a pattern matches in a file.',
    args: {
      path,
      pattern: arg.any('The pattern'),
      repl: arg.text('What takes its place'),
      count: arg.integer('How many times at most; 0 for all', { default: 0 }),
      flags: arg.any('Flags of the pattern: a number, a name, or a list of names', { default: 8 }),
      bufsize: arg.any('Accepted for compatibility', { default: 1 }),
      append_if_not_found: arg.boolean('Add it at the end when nothing matches', { default: false }),
      prepend_if_not_found: arg.boolean('Add it at the beginning when nothing matches', { default: false }),
      not_found_content: arg.any('What is added then, if not the replacement', { optional: true }),
      backup,
      dry_run,
      search_only: arg.boolean('Only tell whether the pattern matches', { default: false }),
      show_changes,
      ignore_if_missing: arg.boolean('Whether a missing file is no error', { default: false }),
      preserve_inode: arg.boolean('Accepted for compatibility', { default: true }),
      backslash_literal: arg.boolean('Whether backslashes in the replacement stand for themselves', { default: false }),
      encoding: arg.any('The encoding of the file', { optional: true }),
    },
    returns: ret.any('The difference, or whether there is one'),
    example: 'file.replace /path/to/file pattern="bind-address\\s*=" repl=\'bind-address:\'',
    run: (ctx, given) =>
      replaceInFile(ctx, {
        path: given.path,
        pattern: given.pattern,
        repl: given.repl,
        count: Number(given.count),
        flags: given.flags,
        append: given.append_if_not_found,
        prepend: given.prepend_if_not_found,
        notFoundContent: given.not_found_content,
        backup: given.backup === null ? false : given.backup,
        dryRun: given.dry_run,
        searchOnly: given.search_only,
        showChanges: given.show_changes,
        ignoreIfMissing: given.ignore_if_missing,
        backslashLiteral: given.backslash_literal,
        encoding: textOf(given.encoding) ?? null,
      }),
  }),
  search: reads({
    doc: 'Whether a pattern matches in a file.',
    args: {
      path,
      pattern: arg.any('The pattern'),
      flags: arg.any('Flags of the pattern', { default: 8 }),
      bufsize: arg.any('Accepted for compatibility', { default: 1 }),
      ignore_if_missing: arg.boolean('Whether a missing file is no error', { default: false }),
      multiline: arg.boolean('Whether it may match across lines', { default: false }),
    },
    returns: ret.boolean('Whether it does'),
    example: "file.search /etc/crontab 'mymaintenance.sh'",
    run: (ctx, { path, pattern, flags, ignore_if_missing, multiline }) =>
      searchFile(ctx, { path, pattern, flags, ignoreIfMissing: ignore_if_missing, multiline }),
  }),
  sed: changes({
    doc: 'Edit a file with sed.',
    args: {
      path,
      before: arg.string('The pattern'),
      after: arg.string('What takes its place'),
      limit,
      backup,
      options: arg.string('Options of sed', { default: '-r -e' }),
      flags: arg.string('Flags of the substitution', { default: 'g' }),
      escape_all: arg.boolean('Whether special characters stand for themselves', { default: false }),
      negate_match: arg.boolean('Only in lines that `limit` does not match', { default: false }),
    },
    returns: ret.orFalse(ret.dict('What `cmd.run_all` answers, or False without the file')),
    example: "file.sed /etc/httpd/httpd.conf 'LogLevel warn' 'LogLevel info'",
    run: (ctx, { escape_all, negate_match, ...given }) =>
      sed(ctx, { ...given, escapeAll: escape_all, negate: negate_match }),
  }),
  sed_contains: reads({
    doc: 'Whether sed finds a pattern in a file.',
    args: { path, text: arg.string('The pattern'), limit, flags: arg.string('Flags of sed', { default: 'g' }) },
    returns: ret.boolean('Whether it does'),
    example: "file.contains /etc/crontab 'mymaintenance.sh'",
    run: (ctx, given) => sedContains(ctx, given),
  }),
  psed: changes({
    doc: 'Edit a file as sed would, without sed.',
    args: {
      path,
      before: arg.string('The pattern'),
      after: arg.string('What takes its place'),
      limit,
      backup,
      flags: arg.string('Letters for flags of the pattern; `g` for all matches', { default: 'gMS' }),
      escape_all: arg.boolean('Whether special characters stand for themselves', { default: false }),
      multi: arg.boolean('Accepted for compatibility', { default: false }),
    },
    returns: ret.any('None'),
    example: "file.psed /etc/httpd/httpd.conf 'LogLevel warn' 'LogLevel info'",
    run: (ctx, { escape_all, ...given }) => psed(ctx, { ...given, escapeAll: escape_all }),
  }),
  patch: changes({
    doc: 'Apply a patch to a file or directory.',
    args: {
      originalfile: arg.string('What is patched'),
      patchfile: arg.string('The patch'),
      options: arg.any('Options of patch: a text, or a list', { default: '' }),
      dry_run,
    },
    returns: ret.dict('What `cmd.run_all` answers'),
    example: 'file.patch /opt/file.txt /tmp/file.txt.patch',
    run: (ctx, { originalfile, patchfile, options, dry_run }) =>
      applyPatch(ctx, { original: originalfile, patch: patchfile, options, dryRun: dry_run }),
  }),
}

const lines = {
  comment: comment('comment', true),
  uncomment: comment('uncomment', false),
  comment_line: changes({
    doc: 'Make lines that match a pattern comments, or comments lines.',
    args: { path, regex, char, cmnt: arg.boolean('Whether they become comments', { default: true }), backup },
    returns: ret.any('The difference, or False when nothing matched'),
    example: 'file.comment_line /etc/modules pcspkr',
    run: (ctx, { path, regex, char, cmnt, backup }) =>
      changeComments(ctx, { path, regex, char, backup, comment: cmnt }),
  }),
  line: changes({
    doc: 'Put one line into a file, replace it, delete it, or make sure of it.',
    args: {
      path,
      content: arg.any('The line', { optional: true }),
      match: arg.any('The line that is replaced or deleted', { optional: true }),
      mode: arg.any('insert, ensure, replace or delete', { optional: true }),
      location: arg.any('start or end', { optional: true }),
      before: arg.any('The line it comes before', { optional: true }),
      after: arg.any('The line it comes after', { optional: true }),
      show_changes: arg.flag('Whether the difference is told', { default: true }),
      backup: arg.flag('Whether a copy is kept', { default: false }),
      quiet: arg.flag('Whether a missing file is no error', { default: false }),
      indent: arg.flag('Whether it is indented like its neighbour', { default: true }),
    },
    returns: ret.any('The difference, or whether there is one'),
    example: 'file.line /etc/nsswitch.conf "networks:\tfiles dns" after="hosts:.*?" mode=\'ensure\'',
    run: (ctx, { show_changes, ...given }) => changeLine(ctx, { ...given, showChanges: show_changes }),
  }),
  blockreplace: changes({
    doc: 'Replace what stands between two marked lines.',
    args: {
      path,
      marker_start: arg.string('What the first marked line contains', { default: '#-- start managed zone --' }),
      marker_end: arg.string('What the last marked line contains', { default: '#-- end managed zone --' }),
      content: arg.any('What stands between them', { default: '' }),
      append_if_not_found: arg.boolean('Add the block at the end when it is not there', { default: false }),
      prepend_if_not_found: arg.boolean('Add the block at the beginning when it is not there', { default: false }),
      backup: arg.any('What the name of the copy ends with; False for no copy', { default: '.bak' }),
      dry_run,
      show_changes,
      append_newline: arg.any('Whether the content ends its last line', { default: false }),
      insert_before_match: arg.any('Add the block before the first line that matches', { optional: true }),
      insert_after_match: arg.any('Add the block after the first line that matches', { optional: true }),
    },
    returns: ret.any('The difference, or whether there is one'),
    example: "file.blockreplace /etc/hosts '#-- start managed zone foobar' '#-- end managed zone foobar'",
    run: (ctx, given) =>
      replaceBlock(ctx, {
        path: given.path,
        markerStart: given.marker_start,
        markerEnd: given.marker_end,
        content: given.content,
        append: given.append_if_not_found,
        prepend: given.prepend_if_not_found,
        backup: given.backup,
        dryRun: given.dry_run,
        showChanges: given.show_changes,
        appendNewline: given.append_newline,
        insertBefore: given.insert_before_match,
        insertAfter: given.insert_after_match,
      }),
  }),
}

export const editingFunctions = { ...patterns, ...lines }
