// States that change lines and blocks of an existing file.
import { str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, expandUser, type StateContext, state } from '../../../../sdk/mod.ts'
import { offered } from '../managed-request.ts'
import { textsFor } from './accumulators.ts'
import { type Answer, begin, fail, messageOf } from './answer.ts'
import { manageFile } from './managed.ts'
import { managedOptions } from './managed-options.ts'
import { unfit } from './paths.ts'
import { pairSources, sourceArgs, templateTexts } from './template-texts.ts'

const lineArgs = {
  name: arg.string('Path of the file'),
  content: arg.any('The line: text', { optional: true }),
  match: arg.any('Expression of the line to replace or delete: text', { optional: true }),
  mode: arg.any('`ensure`, `replace`, `delete` or `insert`', { optional: true }),
  location: arg.text('Place of an inserted line: `start` or `end`', { optional: true }),
  before: arg.any('Expression of the line after it: text', { optional: true }),
  after: arg.any('Expression of the line before it: text', { optional: true }),
  show_changes: arg.flag('Report the difference', { default: true }),
  backup: arg.flag('Keep a backup', { default: false }),
  quiet: arg.flag('Accept a missing match', { default: false }),
  indent: arg.flag('Indent the line like its neighbour', { default: true }),
  create: arg.flag('Create the file when it does not exist', { default: false }),
  ...offered('user', 'group'),
  file_mode: arg.textOrNumber('Mode of a new file in octal: text or a number', { optional: true }),
}

/** Return the report of an edit. */
function edited(ctx: StateContext, answer: Answer, changes: Value, predicted: string): Answer {
  if (!truthy(changes)) return { ...answer, result: true, comment: 'No changes needed to be made' }
  answer.changes.set('diff', changes)
  return ctx.test
    ? { ...answer, result: null, comment: predicted }
    : { ...answer, result: true, comment: 'Changes were made' }
}

async function editLine(ctx: StateContext, options: Bound<typeof lineArgs>): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.line')
  const { create, user, group, file_mode, content } = options
  await manageFile(ctx, managedOptions({ name: path, create, user, group, mode: file_mode, replace: false }))
  const wrong = await unfit(ctx, path)
  if (wrong !== undefined) return fail(answer, wrong)
  const mode = truthy(options.mode) ? str(options.mode).toLowerCase() : options.mode
  if (mode === null) return fail(answer, 'Mode was not defined. How to process the file?')
  if (mode !== 'delete' && content === null) return fail(answer, "Content can only be empty if mode is ['delete']")
  const { match, location, before, after, show_changes, backup, quiet, indent } = options
  const given = { match, location, before, after, show_changes, backup, quiet, indent, mode }
  const changes = await ctx.call('file.line', [path, content], given)
  return edited(ctx, answer, changes, 'Changes would be made')
}

export const line = state({
  doc: 'Ensure that a line of a file is present, replaced or deleted.',
  args: lineArgs,
  run: editLine,
})

const replaceArgs = {
  name: arg.string('Path of the file'),
  pattern: arg.string('Regular expression'),
  repl: arg.text('Replacement; groups are `\\1`'),
  count: arg.integer('Maximum number of replacements; 0 for all', { default: 0 }),
  flags: arg.any('Flags of the expression: a number, a name, or a list of names', { default: 8 }),
  bufsize: arg.any('Accepted for compatibility: 1, or `file`', { default: 1 }),
  append_if_not_found: arg.flag('Append the replacement when nothing matches', { default: false }),
  prepend_if_not_found: arg.flag('Prepend the replacement when nothing matches', { default: false }),
  not_found_content: arg.text('Text to add instead of the replacement when nothing matches', { optional: true }),
  backup: arg.text('Suffix of the backup; empty or False for no backup', { default: '.bak' }),
  show_changes: arg.flag('Report the difference', { default: true }),
  ignore_if_missing: arg.flag('Accept a missing file', { default: false }),
  backslash_literal: arg.flag('Take backslashes in the replacement literally', { default: false }),
  encoding: arg.text('Encoding of the file; by default the file is read as bytes', { optional: true }),
}

async function replaceText(
  ctx: StateContext,
  { name, pattern, repl, ...given }: Bound<typeof replaceArgs>,
): Promise<Answer> {
  const path = await expandUser(ctx, name)
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.replace')
  const wrong = await unfit(ctx, path)
  if (wrong !== undefined) {
    const isForgiven = truthy(given['ignore_if_missing']!) && wrong.includes('file not found')
    return isForgiven ? { ...answer, comment: 'No changes needed to be made' } : fail(answer, wrong)
  }
  const changes = await ctx.call('file.replace', [path, pattern, repl], { ...given, dry_run: ctx.test })
  return edited(ctx, answer, changes, 'Changes would have been made')
}

export const replace = state({
  doc: 'Ensure that the matches of a regular expression are replaced.',
  args: replaceArgs,
  run: replaceText,
})

const blockArgs = {
  name: arg.string('Path of the file'),
  marker_start: arg.string('Text of the first marker line', { default: '#-- start managed zone --' }),
  marker_end: arg.string('Text of the last marker line', { default: '#-- end managed zone --' }),
  ...sourceArgs,
  content: arg.any('Text between the markers; another type than text is refused', { default: '' }),
  append_if_not_found: arg.flag('Append the block when the file has none', { default: false }),
  prepend_if_not_found: arg.flag('Prepend the block when the file has none', { default: false }),
  backup: arg.any('Suffix of the backup; False for no backup', { default: '.bak' }),
  show_changes: arg.flag('Report the difference', { default: true }),
  append_newline: arg.flag('End the content with a newline; by default when it has none', { optional: true }),
  insert_before_match: arg.any('Expression of the line to insert the block before: text', { optional: true }),
  insert_after_match: arg.any('Expression of the line to insert the block after: text', { optional: true }),
}

async function replaceBlock(ctx: StateContext, options: Bound<typeof blockArgs>): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer: Answer = { ...begin(path), result: false }
  if (path === '') return fail(answer, 'Must provide name to file.blockreplace')
  const sources = pairSources(options)
  if (typeof sources === 'string') return fail(answer, sources)
  const wrong = await unfit(ctx, path)
  if (wrong !== undefined) return fail(answer, wrong)
  let { content } = options
  for (const text of textsFor(ctx, path)) content = content === '' ? text : `${str(content)}\n${text}`
  if (sources.length > 0) {
    const texts = await templateTexts(ctx, sources, options)
    if ('failed' in texts) return texts.failed
    content = `${str(content)}${texts.texts.join('')}`
  }
  const { append_if_not_found, prepend_if_not_found, insert_before_match, insert_after_match } = options
  const { backup, show_changes, append_newline } = options
  const places = { append_if_not_found, prepend_if_not_found, insert_before_match, insert_after_match }
  const given = { ...places, backup, show_changes, append_newline, content, dry_run: ctx.test }
  let changes: Value
  try {
    const markers = [path, options.marker_start, options.marker_end]
    changes = await ctx.call('file.blockreplace', markers, given)
  } catch (error) {
    ctx.log('error', `Encountered error managing block: ${messageOf(error)}`)
    const comment = `Encountered error managing block: ${messageOf(error)}. See the log for details.`
    return { ...answer, comment }
  }
  return edited(ctx, answer, changes, 'Changes would be made')
}

export const blockreplace = state({
  doc: 'Ensure that a file has a text between two marker lines.',
  args: blockArgs,
  run: replaceBlock,
})
