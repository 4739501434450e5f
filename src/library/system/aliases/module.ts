// Mail aliases: the file of the option `aliases.file`, and `newaliases` after each change.
import { isList, misuse, splitLines, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  outputOf,
  reads,
  textAt,
  unlessRefused,
} from '../../../sdk/mod.ts'

interface Line {
  alias: string
  target: string
  /** The comment after an entry, or a whole line without an alias. */
  comment: string
}

/** Matches lines with their end; as in Salt, a blank line counts as an alias of that name. */
const LINE = /^([^:#]*)\s*:?\s*([^#]*?)(\s+#.*|(?=\n?$))/

async function file(ctx: FunctionContext): Promise<string> {
  const path = str(await ctx.call('config.option', ['aliases.file']))
  return unlessRefused(ctx.host.realPath(path), path)
}

async function lines(ctx: FunctionContext): Promise<Line[]> {
  const text = (await textAt(ctx.host, await file(ctx))) ?? ''
  return splitLines(text, true).map((line) => {
    const [, alias, target = '', comment = ''] = LINE.exec(line) ?? []
    if (alias === undefined) return { alias: '', target: '', comment: line.trim() }
    return { alias, target, comment }
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

const joined = (target: Value): string => (isList(target) ? target.map(str).join(', ') : str(target))

function requireText(what: string, value: Value): void {
  if (value === '') throw misuse(`${what} can not be an empty string`)
}

async function setTarget(ctx: FunctionContext, alias: string, target: Value): Promise<true> {
  requireText('alias', alias)
  requireText('target', target)
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

const alias = arg.string('Alias')
const target = arg.any('Target address, or a list of addresses')

export default defineModule({
  name: 'aliases',
  doc: 'Manage mail aliases.',
  functions: {
    list_aliases: {
      ...reads({
        doc: 'Return all aliases and their targets.',
        run: targets,
      }),
      outputter: 'yaml',
    },
    get_target: {
      ...reads({
        doc: 'Return the target of an alias.',
        example: 'aliases.get_target root',
        args: { alias },
        run: (ctx, { alias }) => targetOf(ctx, alias),
      }),
      outputter: 'txt',
    },
    has_target: {
      ...reads({
        doc: 'Return whether an alias has a target.',
        example: 'aliases.has_target root admin@example.com',
        args: { alias, target },
        run: async (ctx, { alias, target }) => {
          requireText('target', target)
          return (await targets(ctx)).get(alias) === joined(target)
        },
      }),
      outputter: 'txt',
    },
    set_target: {
      ...changes({
        doc: 'Set the target of an alias.',
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
