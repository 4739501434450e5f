// Text at the end or at the start of a file.
import { splitLines, truthy } from '../../../../data/mod.ts'
import { arg, type Bound, dirName, expandUser, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, fail } from './answer.ts'
import { diffOf, sameLines } from './diff.ts'
import { checkDirectory, directoryRequest } from './directory-check.ts'
import { hasMatch, looselyBlank, readLines } from './file-text.ts'
import { unfit } from './paths.ts'
import { pairSources, sourceArgs, templateTexts } from './template-texts.ts'
import { textList } from './text-list.ts'
import { touchFile } from './touch.ts'

const common = {
  name: arg.string('Path of the file'),
  text: arg.textOrList('Text, or a list of texts', { optional: true }),
  makedirs: arg.any('True to create missing parent directories', { default: false }),
  ...sourceArgs,
}
const show_changes = arg.flag('Report the difference', { default: true })
const appendArgs = {
  ...common,
  ignore_whitespace: arg.flag('Ignore whitespace when the text is searched', { default: true }),
  show_changes,
}
const prependArgs = {
  ...common,
  header: arg.flag('Ensure that the text is at the very start', { optional: true }),
  show_changes,
}

/** Create the parent directories of a file; return a report when that fails. */
async function makeParents(ctx: StateContext, answer: Answer, path: string): Promise<Answer | undefined> {
  const directory = dirName(path)
  if (truthy(await ctx.call('file.directory_exists', [directory]))) return undefined
  await ctx.call('file.makedirs', [], { path })
  const verdict = await checkDirectory(ctx, directoryRequest(directory))
  return verdict.result ? undefined : fail({ ...answer, changes: verdict.changes }, verdict.comment)
}

/** Create the file if it is missing, and return the texts; return a report when the state ends here. */
async function prepare(
  ctx: StateContext,
  answer: Answer,
  path: string,
  options: Bound<typeof common>,
): Promise<string[] | Answer> {
  const sources = pairSources(options)
  if (typeof sources === 'string') return fail(answer, sources)
  if (options.makedirs === true && !ctx.test) {
    const stopped = await makeParents(ctx, answer, path)
    if (stopped) return stopped
  }
  const wrong = await unfit(ctx, path)
  if (wrong !== undefined) {
    const touched = await touchFile(ctx, { name: path, makedirs: truthy(options.makedirs) })
    if (ctx.test) return touched
    if ((await unfit(ctx, path)) !== undefined) return fail(answer, wrong)
  }
  if (sources.length === 0) return textList(options.text)
  const texts = await templateTexts(ctx, sources, options)
  return 'failed' in texts ? texts.failed : texts.texts
}

async function appendText(ctx: StateContext, options: Bound<typeof appendArgs>): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer: Answer = { ...begin(path), result: false }
  if (path === '') return fail(answer, 'Must provide name to file.append')
  const chunks = await prepare(ctx, answer, path, options)
  if (!Array.isArray(chunks)) return chunks
  const old = await readLines(ctx, path, false)
  const added: string[] = []
  for (const chunk of chunks) {
    const pattern = options.ignore_whitespace ? looselyBlank(chunk) : chunk
    if (!(await hasMatch(ctx, path, pattern))) added.push(...splitLines(chunk))
  }
  if (added.length > 0 && !ctx.test) await ctx.call('file.append', [path], { args: added })
  const fresh = ctx.test ? [...old, ...added] : await readLines(ctx, path, false)
  const isSame = sameLines(old, fresh)
  if (!isSame) {
    answer.changes.set('diff', await diffOf(ctx, path, old, fresh, { ends: false, show: options.show_changes }))
  }
  if (ctx.test && !isSame) return { ...answer, result: null, comment: `File ${path} is set to be updated` }
  const done = !ctx.test && added.length > 0
  return {
    ...answer,
    result: true,
    comment: done ? `Appended ${added.length} lines` : `File ${path} is in correct state`,
  }
}

/** Return the lines to prepend, without those that the file contains. A dry run expects to prepend any header. */
async function prefaceOf(ctx: StateContext, path: string, chunks: readonly string[], header: boolean) {
  const lines: string[] = []
  for (const chunk of chunks) {
    if (header || !(await hasMatch(ctx, path, looselyBlank(chunk)))) lines.push(...splitLines(chunk))
  }
  if (!header || ctx.test) return lines
  const head = (await readLines(ctx, path, false)).slice(0, lines.length)
  return sameLines(head, lines) ? [] : lines
}

async function prependText(ctx: StateContext, options: Bound<typeof prependArgs>): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer: Answer = { ...begin(path), result: false }
  if (path === '') return fail(answer, 'Must provide name to file.prepend')
  const chunks = await prepare(ctx, answer, path, options)
  if (!Array.isArray(chunks)) return chunks
  const old = await readLines(ctx, path, true)
  const preface = await prefaceOf(ctx, path, chunks, options.header ?? false)
  const isDue = preface.length > 0 || !options.header
  if (!ctx.test && isDue) await ctx.call('file.prepend', [path, ...preface])
  const predicted = [...preface.map((line) => `${line}\n`), ...old]
  const fresh = ctx.test ? predicted : await readLines(ctx, path, true)
  const isSame = sameLines(old, fresh)
  if (!isSame) {
    answer.changes.set('diff', await diffOf(ctx, path, old, fresh, { ends: true, show: options.show_changes }))
  }
  if (ctx.test && !isSame) return { ...answer, result: null, comment: `File ${path} is set to be updated` }
  const done = !ctx.test && preface.length > 0
  const comment = done ? `Prepended ${preface.length} lines` : `File ${path} is in correct state`
  return { ...answer, result: true, comment }
}

export const append = state({
  doc: 'Ensure that a file contains a text; append the text if it is missing.',
  args: appendArgs,
  run: appendText,
})

export const prepend = state({
  doc: 'Ensure that a file contains a text; prepend the text if it is missing.',
  args: prependArgs,
  run: prependText,
})
