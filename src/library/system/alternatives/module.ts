// Alternatives: which of several programs a common name leads to, through the links in /etc/alternatives.
import { lookup } from '../../../base/mod.ts'
import { splitLines, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isHostError,
  type Result,
  reads,
  runAll,
  textAt,
} from '../../../sdk/mod.ts'

const familyOf = (ctx: FunctionContext): string => str(ctx.grains.get('os_family') ?? '')

const tool = (ctx: FunctionContext): string => (familyOf(ctx) === 'RedHat' ? 'alternatives' : 'update-alternatives')

/** The output of the tool, or undefined with what it complained about. */
async function ask(ctx: FunctionContext, option: string, name: string) {
  const { retcode, stdout, stderr } = await runAll(ctx, [tool(ctx), option, name], { ignore_retcode: true })
  return retcode > 0 && stderr !== '' ? { complaint: stderr } : { shown: stdout }
}

/** What the tool said while it changed something. */
async function change(ctx: FunctionContext, ...words: string[]): Promise<string> {
  const { retcode, stdout, stderr } = await runAll(ctx, [tool(ctx), ...words])
  const hasFailed = retcode > 0 && (words[0] !== '--install' || stderr !== '')
  return hasFailed ? stderr : stdout
}

async function current(ctx: FunctionContext, name: string): Promise<string | undefined> {
  try {
    return await ctx.host.readLink(`/etc/alternatives/${name}`)
  } catch (error) {
    if (isHostError(error)) return undefined
    throw error
  }
}

/** Where alternatives of rpm's kind keep their second line, the link. */
const RECORDS: Readonly<Record<string, string>> = lookup({
  RedHat: '/var/lib/alternatives',
  Suse: '/var/lib/rpm/alternatives',
})

async function linkOf(ctx: FunctionContext, name: string): Promise<Result> {
  const folder = RECORDS[familyOf(ctx)]
  if (folder === undefined) {
    const { shown = '' } = await ask(ctx, '--query', name)
    return /^Link:(.*)$/m.exec(shown.split('\n\n')[0]!)?.[1]?.trim() ?? false
  }
  const link = splitLines((await textAt(ctx.host, `${folder}/${name}`)) ?? '')[1]
  if (link === undefined) ctx.log('error', `alternatives: ${name} does not exist`)
  return link ?? false
}

const name = arg.string('The name of the group, such as editor')
const path = arg.string('The program')
const example = 'editor /usr/bin/emacs22'

export default defineModule({
  name: 'alternatives',
  doc: 'Choose between programs that do the same.',
  when: async ({ host }) =>
    (await host.stat('/etc/alternatives'))?.type === 'directory' ||
    'Cannot load alternatives module: /etc/alternatives dir not found',
  functions: {
    display: {
      ...reads({
        doc: 'What there is to choose from.',
        example: 'alternatives.display editor',
        args: { name },
        run: async (ctx, { name }) => {
          const { shown, complaint } = await ask(ctx, '--display', name)
          return shown ?? complaint
        },
      }),
      outputter: 'txt',
    },
    show_link: reads({
      doc: 'The link that programs are called by.',
      example: 'alternatives.show_link editor',
      args: { name },
      run: (ctx, args) => linkOf(ctx, args.name),
    }),
    show_current: reads({
      doc: 'What is chosen.',
      example: 'alternatives.show_current editor',
      args: { name },
      run: async (ctx, { name }) => {
        const found = await current(ctx, name)
        if (found === undefined) ctx.log('error', `alternative: ${name} does not exist`)
        return found ?? false
      },
    }),
    check_exists: reads({
      doc: 'Whether a program can be chosen.',
      example: `alternatives.check_exists ${example}`,
      args: { name, path },
      run: async (ctx, { name, path }) => {
        const { shown } = await ask(ctx, '--display', name)
        return shown !== undefined && splitLines(shown).some((line) => line.startsWith(path))
      },
    }),
    check_installed: reads({
      doc: 'Whether a program is chosen.',
      example: `alternatives.check_installed ${example}`,
      args: { name, path },
      run: async (ctx, { name, path }) => (await current(ctx, name)) === path,
    }),
    install: {
      ...changes({
        doc: 'Add a program.',
        example: 'alternatives.install editor /usr/bin/editor /usr/bin/emacs23 50',
        args: { name, link: arg.string('The link it is called by'), path, priority: arg.any('Its priority') },
        run: (ctx, { name, link, path, priority }) =>
          change(ctx, '--install', link, name, path, str(priority as Value)),
      }),
      outputter: 'txt',
    },
    remove: {
      ...changes({
        doc: 'Remove a program.',
        example: `alternatives.remove ${example}`,
        args: { name, path },
        run: (ctx, { name, path }) => change(ctx, '--remove', name, path),
      }),
      outputter: 'txt',
    },
    auto: changes({
      doc: 'Let priorities choose.',
      example: 'alternatives.auto editor',
      args: { name },
      run: (ctx, { name }) => change(ctx, '--auto', name),
    }),
    set: {
      ...changes({
        doc: 'Choose a program.',
        example: `alternatives.set ${example}`,
        args: { name, path },
        run: (ctx, { name, path }) => change(ctx, '--set', name, path),
      }),
      calledAs: 'set_',
    },
  },
})
