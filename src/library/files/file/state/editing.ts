// States that change lines and blocks of a file that is there.
import { str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type StateContext, state } from '../../../../sdk/mod.ts'
import { textsFor } from './accumulators.ts'
import { type Answer, begin, fail, messageOf } from './answer.ts'
import { manageFile } from './managed.ts'
import { managedOptions } from './managed-options.ts'
import { expandUser, unfit } from './paths.ts'
import { pairSources, templateTexts } from './template-texts.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })
const on = (doc: string) => arg.any(doc, { default: true })

/** The report of an edit that told its difference. */
function edited(ctx: StateContext, answer: Answer, changes: Value, predicted: string): Answer {
  if (!truthy(changes)) return { ...answer, result: true, comment: 'No changes needed to be made' }
  answer.changes.set('diff', changes)
  return ctx.test
    ? { ...answer, result: null, comment: predicted }
    : { ...answer, result: true, comment: 'Changes were made' }
}

type Options = Record<string, Value> & { name: string }

async function editLine(ctx: StateContext, options: Options): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.line')
  const { create, user, group, file_mode, content } = options
  const wanted = { name: path, create: create!, user: user!, group: group!, mode: file_mode!, replace: false }
  await manageFile(ctx, managedOptions(wanted))
  const wrong = await unfit(ctx, path)
  if (wrong !== undefined) return fail(answer, wrong)
  const mode = truthy(options['mode']!) ? str(options['mode']!).toLowerCase() : options['mode']!
  if (mode === null) return fail(answer, 'Mode was not defined. How to process the file?')
  if (mode !== 'delete' && content === null) return fail(answer, "Content can only be empty if mode is ['delete']")
  const given = Object.fromEntries(
    ['match', 'location', 'before', 'after', 'show_changes', 'backup', 'quiet', 'indent'].map((key) => [
      key,
      options[key]!,
    ]),
  )
  const changes = await ctx.call('file.line', [path, content!], { ...given, mode })
  return edited(ctx, answer, changes, 'Changes would be made')
}

export const line = state({
  doc: 'Edit one line of a file.',
  args: {
    name: arg.string('The path'),
    content: optional('The line'),
    match: optional('Which line is replaced or deleted'),
    mode: optional('`ensure`, `replace`, `delete` or `insert`'),
    location: optional('Where to insert: `start` or `end`'),
    before: optional('The line that follows'),
    after: optional('The line that goes before'),
    show_changes: on('Tell the differences'),
    backup: off('Keep the old file'),
    quiet: off('Do not complain about a missing match'),
    indent: on('Keep the indentation of the neighbours'),
    create: off('Make the file when it is not there'),
    user: optional('The owner of a new file'),
    group: optional('The group of a new file'),
    file_mode: optional('The mode of a new file'),
  },
  run: (ctx, args) => editLine(ctx, args),
})

async function replaceText(ctx: StateContext, { name, pattern, repl, ...given }: Options): Promise<Answer> {
  const path = await expandUser(ctx, name)
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.replace')
  const wrong = await unfit(ctx, path)
  if (wrong !== undefined) {
    const isForgiven = truthy(given['ignore_if_missing']!) && wrong.includes('file not found')
    return isForgiven ? { ...answer, comment: 'No changes needed to be made' } : fail(answer, wrong)
  }
  const changes = await ctx.call('file.replace', [path, pattern!, repl!], { ...given, dry_run: ctx.test })
  return edited(ctx, answer, changes, 'Changes would have been made')
}

export const replace = state({
  doc: 'Replace what matches a regular expression.',
  args: {
    name: arg.string('The path'),
    pattern: arg.any('The regular expression'),
    repl: arg.any('What takes the place; groups are `\\1`'),
    count: arg.any('How often at most; 0 for always', { default: 0 }),
    flags: arg.any('Flags of the expression', { default: 8 }),
    bufsize: arg.any('Lines matched at once: 1, or `file`', { default: 1 }),
    append_if_not_found: arg.flag('Append the replacement when nothing matches', { default: false }),
    prepend_if_not_found: arg.flag('Prepend it when nothing matches', { default: false }),
    not_found_content: optional('What is added instead of the replacement'),
    backup: arg.any('How the name of the backup ends', { default: '.bak' }),
    show_changes: arg.flag('Tell the differences', { default: true }),
    ignore_if_missing: arg.flag('A missing file is fine', { default: false }),
    backslash_literal: arg.flag('Backslashes in the replacement mean themselves', { default: false }),
    encoding: optional('The encoding of the file'),
  },
  run: (ctx, args) => replaceText(ctx, args),
})

const BLOCK_OPTIONS = [
  'append_if_not_found',
  'prepend_if_not_found',
  'insert_before_match',
  'insert_after_match',
  'backup',
  'show_changes',
  'append_newline',
]

async function replaceBlock(ctx: StateContext, options: Options): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer: Answer = { ...begin(path), result: false }
  if (path === '') return fail(answer, 'Must provide name to file.blockreplace')
  const sources = pairSources(options)
  if (typeof sources === 'string') return fail(answer, sources)
  const wrong = await unfit(ctx, path)
  if (wrong !== undefined) return fail(answer, wrong)
  let content: Value = options['content']!
  for (const text of textsFor(ctx, path)) content = content === '' ? text : `${str(content)}\n${text}`
  if (sources.length > 0) {
    const texts = await templateTexts(ctx, sources, options)
    if ('failed' in texts) return texts.failed
    content = `${str(content)}${texts.texts.join('')}`
  }
  const given = Object.fromEntries(BLOCK_OPTIONS.map((key) => [key, options[key]!]))
  let changes: Value
  try {
    const markers = [path, options['marker_start']!, options['marker_end']!]
    changes = await ctx.call('file.blockreplace', markers, { ...given, content, dry_run: ctx.test })
  } catch (error) {
    ctx.log('error', `Encountered error managing block: ${messageOf(error)}`)
    const comment = `Encountered error managing block: ${messageOf(error)}. See the log for details.`
    return { ...answer, comment }
  }
  return edited(ctx, answer, changes, 'Changes would be made')
}

export const blockreplace = state({
  doc: 'Keep the text between two marker lines.',
  args: {
    name: arg.string('The path'),
    marker_start: arg.any('The line before the block', { default: '#-- start managed zone --' }),
    marker_end: arg.any('The line after the block', { default: '#-- end managed zone --' }),
    source: optional('Where the content comes from'),
    source_hash: optional('The hash of the source'),
    template: arg.any('The template engine', { default: 'jinja' }),
    sources: optional('Several sources'),
    source_hashes: optional('Their hashes'),
    defaults: optional('Template variables'),
    context: optional('Template variables, over the defaults'),
    content: arg.any('The content', { default: '' }),
    append_if_not_found: off('Append the block when there is none'),
    prepend_if_not_found: off('Prepend the block when there is none'),
    backup: arg.any('How the name of the backup ends', { default: '.bak' }),
    show_changes: on('Tell the differences'),
    append_newline: optional('End the content with a newline'),
    insert_before_match: optional('Insert the block before a line'),
    insert_after_match: optional('Insert the block after a line'),
  },
  run: (ctx, args) => replaceBlock(ctx, args),
})
