// Text at the end or at the start of a file.
import { splitLines, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, fail } from './answer.ts'
import { diffOf, sameLines } from './diff.ts'
import { checkDirectory } from './directory-check.ts'
import { hasMatch, looselyBlank, readLines } from './file-text.ts'
import { dirName, expandUser, unfit } from './paths.ts'
import { pairSources, templateTexts } from './template-texts.ts'
import { textList } from './text-list.ts'
import { touchFile } from './touch.ts'

type Options = Record<string, Value> & { name: string }

/** The directories above a file; a report when they cannot be made. */
async function makeParents(ctx: StateContext, answer: Answer, path: string): Promise<Answer | undefined> {
  const directory = dirName(path)
  if (truthy(await ctx.call('file.directory_exists', [directory]))) return undefined
  await ctx.call('file.makedirs', [], { path })
  const verdict = await checkDirectory(ctx, {
    path: directory,
    user: null,
    group: null,
    recurse: [],
    dirMode: null,
    fileMode: null,
    clean: false,
    require: false,
    excludePat: null,
    maxDepth: null,
    followSymlinks: false,
    childrenOnly: false,
  })
  return verdict.result ? undefined : fail({ ...answer, changes: verdict.changes }, verdict.comment)
}

/** The chunks of text to be there, once the file is; or a report that ends the matter. */
async function prepare(ctx: StateContext, answer: Answer, path: string, options: Options): Promise<string[] | Answer> {
  const sources = pairSources(options)
  if (typeof sources === 'string') return fail(answer, sources)
  if (options['makedirs'] === true && !ctx.test) {
    const stopped = await makeParents(ctx, answer, path)
    if (stopped) return stopped
  }
  const wrong = await unfit(ctx, path)
  if (wrong !== undefined) {
    const touched = await touchFile(ctx, { name: path, makedirs: options['makedirs']! })
    if (ctx.test) return touched
    if ((await unfit(ctx, path)) !== undefined) return fail(answer, wrong)
  }
  if (sources.length === 0) return textList(options['text']!)
  const texts = await templateTexts(ctx, sources, options)
  return 'failed' in texts ? texts.failed : texts.texts
}

async function appendText(ctx: StateContext, options: Options): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer: Answer = { ...begin(path), result: false }
  if (path === '') return fail(answer, 'Must provide name to file.append')
  const chunks = await prepare(ctx, answer, path, options)
  if (!Array.isArray(chunks)) return chunks
  const old = await readLines(ctx, path, false)
  const added: string[] = []
  for (const chunk of chunks) {
    const pattern = truthy(options['ignore_whitespace']!) ? looselyBlank(chunk) : chunk
    if (!(await hasMatch(ctx, path, pattern))) added.push(...splitLines(chunk))
  }
  if (added.length > 0 && !ctx.test) await ctx.call('file.append', [path], { args: added })
  const fresh = ctx.test ? [...old, ...added] : await readLines(ctx, path, false)
  const isSame = sameLines(old, fresh)
  if (!isSame) {
    const show = truthy(options['show_changes']!)
    answer.changes.set('diff', await diffOf(ctx, path, old, fresh, { ends: false, show }))
  }
  if (ctx.test && !isSame) return { ...answer, result: null, comment: `File ${path} is set to be updated` }
  const done = !ctx.test && added.length > 0
  return {
    ...answer,
    result: true,
    comment: done ? `Appended ${added.length} lines` : `File ${path} is in correct state`,
  }
}

/** The lines that are put before the others, unless they are there. A dry run expects any header to be put there. */
async function prefaceOf(ctx: StateContext, path: string, chunks: readonly string[], header: boolean) {
  const lines: string[] = []
  for (const chunk of chunks) {
    if (header || !(await hasMatch(ctx, path, looselyBlank(chunk)))) lines.push(...splitLines(chunk))
  }
  if (!header || ctx.test) return lines
  const head = (await readLines(ctx, path, false)).slice(0, lines.length)
  return sameLines(head, lines) ? [] : lines
}

async function prependText(ctx: StateContext, options: Options): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer: Answer = { ...begin(path), result: false }
  if (path === '') return fail(answer, 'Must provide name to file.prepend')
  const chunks = await prepare(ctx, answer, path, options)
  if (!Array.isArray(chunks)) return chunks
  const old = await readLines(ctx, path, true)
  const preface = await prefaceOf(ctx, path, chunks, truthy(options['header']!))
  const isDue = preface.length > 0 || !truthy(options['header']!)
  if (!ctx.test && isDue) await ctx.call('file.prepend', [path, ...preface])
  const predicted = [...preface.map((line) => `${line}\n`), ...old]
  const fresh = ctx.test ? predicted : await readLines(ctx, path, true)
  const isSame = sameLines(old, fresh)
  if (!isSame) {
    const show = truthy(options['show_changes']!)
    answer.changes.set('diff', await diffOf(ctx, path, old, fresh, { ends: true, show }))
  }
  if (ctx.test && !isSame) return { ...answer, result: null, comment: `File ${path} is set to be updated` }
  const done = !ctx.test && preface.length > 0
  const comment = done ? `Prepended ${preface.length} lines` : `File ${path} is in correct state`
  return { ...answer, result: true, comment }
}

const optional = (doc: string) => arg.any(doc, { optional: true })

const common = {
  name: arg.string('The path'),
  text: optional('A text, or a list of texts'),
  makedirs: arg.any('Make the directories above the file', { default: false }),
  source: optional('Where the text comes from'),
  source_hash: arg.text('The hash of the source', { optional: true }),
  template: arg.any('The template engine', { default: 'jinja' }),
  sources: optional('Several sources'),
  source_hashes: optional('Their hashes'),
  defaults: optional('Template variables'),
  context: optional('Template variables, over the defaults'),
}
const show_changes = arg.flag('Tell the differences', { default: true })

export const append = state({
  doc: 'Put text at the end of a file, unless it is in it.',
  args: { ...common, ignore_whitespace: arg.flag('Blanks do not matter', { default: true }), show_changes },
  run: (ctx, args) => appendText(ctx, args),
})

export const prepend = state({
  doc: 'Put text at the start of a file, unless it is in it.',
  args: { ...common, header: arg.flag('The text must be at the very start', { optional: true }), show_changes },
  run: (ctx, args) => prependText(ctx, args),
})
