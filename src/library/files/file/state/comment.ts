// Lines that are commented out, or not.
import { compileRegex, decodeBytes, dictFrom } from '../../../../data/mod.ts'
import { arg, expandUser, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, fail } from './answer.ts'
import { diffOf, sameLines } from './diff.ts'
import { hasMatch, readLines } from './file-text.ts'
import { unfit } from './paths.ts'

interface Commenting {
  name: string
  regex: string
  char: string
  backup: string
  ignore_missing?: boolean
}

const willUpdate = (answer: Answer, path: string): Answer => {
  return {
    ...answer,
    changes: dictFrom({ [path]: 'updated' }),
    result: null,
    comment: `File ${path} is set to be updated`,
  }
}

/** Return an expression without flags and anchors. */
const unanchored = (regex: string): string => compileRegex('^(\\(\\?[iLmsux]\\))?\\^?(.*?)\\$?$').sub('\\2', regex)

async function commentLines(ctx: StateContext, { name, regex, char, backup, ignore_missing }: Commenting) {
  const path = await expandUser(ctx, name)
  const answer: Answer = { ...begin(path), result: false }
  if (path === '') return fail(answer, 'Must provide name to file.comment')
  const wrong = await unfit(ctx, path)
  if (wrong !== undefined) return fail(answer, wrong)
  const bare = unanchored(regex)
  const commented = char + bare
  if (!(await hasMatch(ctx, path, `^(?!\\s*${char})\\s*${bare}`))) {
    if (await hasMatch(ctx, path, commented)) return { ...answer, result: true, comment: 'Pattern already commented' }
    if (!ignore_missing) return fail(answer, `${bare}: Pattern not found`)
    return { ...answer, result: true, comment: 'Pattern not found and ignore_missing set to True' }
  }
  if (ctx.test) return willUpdate(answer, path)
  const old = await readLines(ctx, path, true)
  await ctx.call('file.comment_line', [path, regex, char, true, backup])
  const fresh = await readLines(ctx, path, true)
  const result = await hasMatch(ctx, path, commented)
  if (!sameLines(old, fresh)) answer.changes.set('diff', await diffOf(ctx, path, old, fresh, { ends: true }))
  return { ...answer, result, comment: result ? 'Commented lines successfully' : 'Expected commented lines not found' }
}

/** Return the lines of a file; only `\n` ends one. */
async function plainLines({ host }: StateContext, path: string): Promise<string[]> {
  return decodeBytes(await host.read(path)).match(/[^\n]*\n|[^\n]+$/g) ?? []
}

async function uncommentLines(ctx: StateContext, { name, regex, char, backup }: Commenting): Promise<Answer> {
  const path = await expandUser(ctx, name)
  const answer: Answer = { ...begin(path), result: false }
  if (path === '') return fail(answer, 'Must provide name to file.uncomment')
  const wrong = await unfit(ctx, path)
  if (wrong !== undefined) return fail(answer, wrong)
  const bare = regex.replace(/^\^+/, '')
  const uncommented = `^[ \t]*${bare}`
  if (!(await hasMatch(ctx, path, `${char}[ \t]*${bare}`))) {
    if (!(await hasMatch(ctx, path, uncommented))) return fail(answer, `${regex}: Pattern not found`)
    return { ...answer, result: true, comment: 'Pattern already uncommented' }
  }
  if (ctx.test) return willUpdate(answer, path)
  const old = await plainLines(ctx, path)
  await ctx.call('file.comment_line', [path, regex, char, false, backup])
  const fresh = await plainLines(ctx, path)
  const result = await hasMatch(ctx, path, uncommented)
  if (!sameLines(old, fresh)) answer.changes.set('diff', await diffOf(ctx, path, old, fresh, { ends: true }))
  const comment = result ? 'Uncommented lines successfully' : 'Expected uncommented lines not found'
  return { ...answer, result, comment }
}

const common = {
  name: arg.string('Path of the file'),
  regex: arg.string('Regular expression of the lines'),
  char: arg.string('Comment character', { default: '#' }),
  backup: arg.text('Suffix of the backup; empty or False for no backup', { default: '.bak' }),
}

export const comment = state({
  doc: 'Ensure that lines are commented out.',
  args: { ...common, ignore_missing: arg.flag('Accept that no line matches', { default: false }) },
  run: commentLines,
})

export const uncomment = state({
  doc: 'Ensure that lines are not commented out.',
  args: common,
  run: uncommentLines,
})
