// Mail aliases: the file that the option `aliases.file` names, and `newaliases` after each change.
import { SaltError, splitLines, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isHostError,
  outputOf,
  reads,
  textAt,
} from '../../../sdk/mod.ts'

interface Line {
  alias: string
  target: string
  /** What follows, or a whole line without an alias. */
  comment: string
}

/** Over lines with their end: a blank one counts as an alias of that name, as in Salt. */
const LINE = /^([^:#]*)\s*:?\s*([^#]*?)(\s+#.*|(?=\n?$))/

async function file(ctx: FunctionContext): Promise<string> {
  const path = str(await ctx.call('config.option', ['aliases.file']))
  try {
    return await ctx.host.realPath(path)
  } catch (error) {
    if (isHostError(error)) return path
    throw error
  }
}

async function lines(ctx: FunctionContext): Promise<Line[]> {
  const text = (await textAt(ctx.host, await file(ctx))) ?? ''
  return splitLines(text, true).map((line) => {
    const [, alias, target, comment] = LINE.exec(line) ?? []
    if (alias === undefined) return { alias: '', target: '', comment: line.trim() }
    return { alias, target: target!, comment: comment! }
  })
}

async function write(ctx: FunctionContext, wanted: readonly Line[]): Promise<true> {
  const text = wanted.map(({ alias, target, comment }) =>
    alias !== '' && target !== '' ? `${alias}: ${target}${comment}\n` : `${comment}\n`,
  )
  const path = await file(ctx)
  const isNew = (await ctx.host.stat(path)) === undefined
  await ctx.host.write(path, text.join(''), isNew ? { mode: 0o644, uid: 0, gid: 0 } : {})
  const rebuild = await ctx.host.which('newaliases')
  if (rebuild !== undefined) await outputOf(ctx, rebuild)
  return true
}

async function targets(ctx: FunctionContext): Promise<Map<Value, Value>> {
  const named = (await lines(ctx)).filter(({ alias }) => alias !== '')
  return new Map(named.map(({ alias, target }) => [alias, target]))
}

const targetOf = async (ctx: FunctionContext, alias: string): Promise<Value> => (await targets(ctx)).get(alias) ?? ''

const joined = (target: Value): string =>
  Array.isArray(target) ? (target as Value[]).map(str).join(', ') : str(target)

function given(what: string, value: Value): void {
  if (value === '') throw new SaltError('SaltInvocationError', `${what} can not be an empty string`)
}

async function setTarget(ctx: FunctionContext, alias: string, target: Value): Promise<true> {
  given('alias', alias)
  given('target', target)
  if ((await targetOf(ctx, alias)) === target) return true
  const wanted: Line[] = []
  let isSet = false
  for (const line of await lines(ctx)) {
    if (line.alias !== alias) wanted.push(line)
    else if (!isSet) {
      wanted.push({ ...line, target: joined(target) })
      isSet = true
    }
  }
  if (!isSet) wanted.push({ alias, target: joined(target), comment: '' })
  return write(ctx, wanted)
}

const alias = arg.string('The alias')
const target = arg.any('Where its mail goes; a list for several')

export default defineModule({
  name: 'aliases',
  doc: 'Mail aliases.',
  functions: {
    list_aliases: {
      ...reads({ doc: 'All aliases.', example: 'aliases.list_aliases', args: {}, run: targets }),
      outputter: 'yaml',
    },
    get_target: {
      ...reads({
        doc: 'Where the mail of an alias goes.',
        example: 'aliases.get_target root',
        args: { alias },
        run: (ctx, { alias }) => targetOf(ctx, alias),
      }),
      outputter: 'txt',
    },
    has_target: {
      ...reads({
        doc: 'Whether an alias goes to a target.',
        example: 'aliases.has_target root admin@example.com',
        args: { alias, target },
        run: async (ctx, { alias, target }) => {
          given('target', target)
          return (await targets(ctx)).get(alias) === joined(target)
        },
      }),
      outputter: 'txt',
    },
    set_target: {
      ...changes({
        doc: 'Let an alias go to a target.',
        example: 'aliases.set_target root admin@example.com',
        args: { alias, target },
        run: (ctx, { alias, target }) => setTarget(ctx, alias, target),
      }),
      outputter: 'txt',
    },
    rm_alias: {
      ...changes({
        doc: 'Remove an alias.',
        example: 'aliases.rm_alias root',
        args: { alias },
        run: async (ctx, { alias }) => {
          if ((await targetOf(ctx, alias)) === '') return true
          return write(
            ctx,
            (await lines(ctx)).filter((line) => line.alias !== alias),
          )
        },
      }),
      outputter: 'txt',
    },
  },
})
