// Functions of `file` that change text inside files.
import { arg, changes, reads, ret } from '../../../../sdk/mod.ts'
import { replaceBlock } from './block.ts'
import { changeComments } from './commenting.ts'
import { changeLine } from './line.ts'
import { replaceInFile, searchFile } from './replacing.ts'
import { applyPatch, psed, sed, sedContains } from './sed.ts'

const path = arg.path('Path of the file')
const backup = arg.text('Suffix of the backup; empty or False for no backup', { default: '.bak' })
const char = arg.string('Comment character', { default: '#' })
const regex = arg.string('Regular expression of the lines')
const show_changes = arg.boolean('Return the difference instead of a boolean', { default: true })
const dry_run = arg.boolean('Report the change without making it', { default: false })
const limit = arg.string('Pattern of the lines to edit; by default all lines', { default: '' })

const comment = (name: 'comment' | 'uncomment', isComment: boolean) =>
  changes({
    doc: isComment ? 'Comment out the lines that match a pattern.' : 'Uncomment the lines that match a pattern.',
    args: { path, regex, char, backup },
    returns: ret.orFalse(ret.string('The difference, or False when no line matched')),
    example: `file.${name} /etc/modules pcspkr`,
    run: (ctx, { path, regex, char, backup }) => changeComments(ctx, { path, regex, char, backup, comment: isComment }),
  })

const patterns = {
  replace: changes({
    doc: 'Replace the matches of a regular expression in a file.',
    args: {
      path,
      pattern: arg.string('Regular expression'),
      repl: arg.text('Replacement; groups are `\\1`'),
      count: arg.integer('Maximum number of replacements; 0 for all', { default: 0 }),
      flags: arg.any('Flags of the expression: a number, a name, or a list of names', { default: 8 }),
      bufsize: arg.any('Accepted for compatibility', { default: 1 }),
      append_if_not_found: arg.boolean('Append the replacement when nothing matches', { default: false }),
      prepend_if_not_found: arg.boolean('Prepend the replacement when nothing matches', { default: false }),
      not_found_content: arg.text('Text to add instead of the replacement when nothing matches', { optional: true }),
      backup,
      dry_run,
      search_only: arg.boolean('Return whether the expression matches, without replacing', { default: false }),
      show_changes,
      ignore_if_missing: arg.boolean('Return False for a missing file instead of failing', { default: false }),
      preserve_inode: arg.boolean('Accepted for compatibility', { default: true }),
      backslash_literal: arg.boolean('Take backslashes in the replacement literally', { default: false }),
      encoding: arg.text('Encoding of the file; by default the file is read as bytes', { optional: true }),
    },
    returns: ret.any('The difference, or a boolean without `show_changes`'),
    example: 'file.replace /path/to/file pattern="bind-address\\s*=" repl=\'bind-address:\'',
    run: (ctx, given) =>
      replaceInFile(ctx, {
        ...given,
        count: Number(given.count),
        append: given.append_if_not_found,
        prepend: given.prepend_if_not_found,
      }),
  }),
  search: reads({
    doc: 'Return whether a regular expression matches in a file.',
    args: {
      path,
      pattern: arg.string('Regular expression'),
      flags: arg.any('Flags of the expression: a number, a name, or a list of names', { default: 8 }),
      bufsize: arg.any('Accepted for compatibility', { default: 1 }),
      ignore_if_missing: arg.boolean('Return False for a missing file instead of failing', { default: false }),
      multiline: arg.boolean('Let `^` and `$` match at every line', { default: false }),
    },
    returns: ret.boolean('Whether it matches'),
    example: "file.search /etc/crontab 'mymaintenance.sh'",
    run: searchFile,
  }),
  sed: changes({
    doc: 'Edit a file with `sed`.',
    args: {
      path,
      before: arg.string('Pattern to replace'),
      after: arg.string('Replacement'),
      limit,
      backup,
      options: arg.string('Options of `sed`', { default: '-r -e' }),
      flags: arg.string('Flags of the substitution', { default: 'g' }),
      escape_all: arg.boolean('Take special characters literally', { default: false }),
      negate_match: arg.boolean('Edit the lines that do not match `limit`', { default: false }),
    },
    returns: ret.orFalse(ret.dict('Result of `cmd.run_all`, or False when the file does not exist')),
    example: "file.sed /etc/httpd/httpd.conf 'LogLevel warn' 'LogLevel info'",
    run: sed,
  }),
  sed_contains: reads({
    doc: 'Return whether `sed` finds a pattern in a file.',
    args: { path, text: arg.string('Pattern'), limit, flags: arg.string('Flags of `sed`', { default: 'g' }) },
    returns: ret.boolean('Whether it matches'),
    example: "file.contains /etc/crontab 'mymaintenance.sh'",
    run: sedContains,
  }),
  psed: changes({
    doc: 'Edit a file like `sed`, without running it.',
    args: {
      path,
      before: arg.string('Pattern to replace'),
      after: arg.string('Replacement'),
      limit,
      backup: arg.any('Suffix of the backup; another type than text is written as text', { default: '.bak' }),
      flags: arg.string('Letters of flags; `g` replaces all matches', { default: 'gMS' }),
      escape_all: arg.boolean('Take special characters literally', { default: false }),
      multi: arg.boolean('Accepted for compatibility', { default: false }),
    },
    returns: ret.none('None'),
    example: "file.psed /etc/httpd/httpd.conf 'LogLevel warn' 'LogLevel info'",
    run: psed,
  }),
  patch: changes({
    doc: 'Apply a patch to a file or directory.',
    args: {
      originalfile: arg.string('Path of the file or directory'),
      patchfile: arg.string('Path of the patch'),
      options: arg.textOrList('Options of `patch`: text or a list', { default: '' }),
      dry_run,
    },
    returns: ret.dict('Result of `cmd.run_all`'),
    example: 'file.patch /opt/file.txt /tmp/file.txt.patch',
    run: applyPatch,
  }),
}

const lines = {
  comment: comment('comment', true),
  uncomment: comment('uncomment', false),
  comment_line: changes({
    doc: 'Comment out the lines that match a pattern, or uncomment them.',
    args: { path, regex, char, cmnt: arg.boolean('True to comment, False to uncomment', { default: true }), backup },
    returns: ret.orFalse(ret.string('The difference, or False when no line matched')),
    example: 'file.comment_line /etc/modules pcspkr',
    run: (ctx, { path, regex, char, cmnt, backup }) =>
      changeComments(ctx, { path, regex, char, backup, comment: cmnt }),
  }),
  line: changes({
    doc: 'Insert, ensure, replace or delete one line of a file.',
    args: {
      path,
      content: arg.any('The line; another type than text is refused', { optional: true }),
      match: arg.any('Expression of the line to replace or delete; another type than text is refused', {
        optional: true,
      }),
      mode: arg.any('`insert`, `ensure`, `replace` or `delete`; another type than text is refused', { optional: true }),
      location: arg.text('Place of an inserted line: `start` or `end`', { optional: true }),
      before: arg.any('Expression of the line after it; another type than text is refused', { optional: true }),
      after: arg.any('Expression of the line before it; another type than text is refused', { optional: true }),
      show_changes: arg.flag('Return the difference instead of a boolean', { default: true }),
      backup: arg.flag('Keep a backup', { default: false }),
      quiet: arg.flag('Return False for a missing file instead of failing', { default: false }),
      indent: arg.flag('Indent the line like its neighbour', { default: true }),
    },
    returns: ret.any('The difference, or a boolean without `show_changes`'),
    example: 'file.line /etc/nsswitch.conf "networks:\tfiles dns" after="hosts:.*?" mode=\'ensure\'',
    run: changeLine,
  }),
  blockreplace: changes({
    doc: 'Replace the text between two marker lines.',
    args: {
      path,
      marker_start: arg.string('Text of the first marker line', { default: '#-- start managed zone --' }),
      marker_end: arg.string('Text of the last marker line', { default: '#-- end managed zone --' }),
      content: arg.any('Text between the markers; another type than text is refused', { default: '' }),
      append_if_not_found: arg.boolean('Append the block when the file has none', { default: false }),
      prepend_if_not_found: arg.boolean('Prepend the block when the file has none', { default: false }),
      backup: arg.any('Suffix of the backup; False for no backup', { default: '.bak' }),
      dry_run,
      show_changes,
      append_newline: arg.any('End the content with a newline; None to do so when it has none', { default: false }),
      insert_before_match: arg.any(
        'Expression of the line to insert the block before; another type than text is refused',
        { optional: true },
      ),
      insert_after_match: arg.any(
        'Expression of the line to insert the block after; another type than text is refused',
        { optional: true },
      ),
    },
    returns: ret.any('The difference, or a boolean without `show_changes`'),
    example: "file.blockreplace /etc/hosts '#-- start managed zone foobar' '#-- end managed zone foobar'",
    run: replaceBlock,
  }),
}

export const editingFunctions = { ...patterns, ...lines }
