// Alternatives: the links in /etc/alternatives that choose between programs with the same purpose.
import { lookup } from '../../../base/mod.ts'
import { splitLines, str } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type Result,
  reads,
  runAll,
  textAt,
  unlessRefused,
} from '../../../sdk/mod.ts'

const familyOf = (ctx: FunctionContext): string => str(ctx.grains.get('os_family') ?? '')

const tool = (ctx: FunctionContext): string => (familyOf(ctx) === 'RedHat' ? 'alternatives' : 'update-alternatives')

/** Run the tool; return its output, or its error text. */
async function ask(ctx: FunctionContext, option: string, name: string) {
  const { retcode, stdout, stderr } = await runAll(ctx, [tool(ctx), option, name], { ignore_retcode: true })
  return retcode > 0 && stderr !== '' ? { complaint: stderr } : { shown: stdout }
}

/** Run the tool to change something; return its output. */
async function change(ctx: FunctionContext, ...words: string[]): Promise<string> {
  const { retcode, stdout, stderr } = await runAll(ctx, [tool(ctx), ...words])
  const hasFailed = retcode > 0 && (words[0] !== '--install' || stderr !== '')
  return hasFailed ? stderr : stdout
}

async function current(ctx: FunctionContext, name: string): Promise<string | undefined> {
  return unlessRefused(ctx.host.readLink(`/etc/alternatives/${name}`), undefined)
}

/** Directories of the records whose second line is the link. */
const RECORDS: Readonly<Record<string, string>> = lookup({
  RedHat: '/var/lib/alternatives',
  Suse: '/var/lib/rpm/alternatives',
})

async function linkOf(ctx: FunctionContext, name: string): Promise<Result> {
  const folder = RECORDS[familyOf(ctx)]
  if (folder === undefined) {
    const { shown = '' } = await ask(ctx, '--query', name)
    return /^Link:(.*)$/m.exec(shown.split('\n\n')[0] ?? '')?.[1]?.trim() ?? false
  }
  const link = splitLines((await textAt(ctx.host, `${folder}/${name}`)) ?? '')[1]
  if (link === undefined) ctx.log('error', `alternatives: ${name} does not exist`)
  return link ?? false
}

const name = arg.string('Name of the group, such as editor')
const path = arg.string('Path of the program')
const example = 'editor /usr/bin/emacs22'

export default defineModule({
  name: 'alternatives',
  doc: 'Manage the alternatives system.',
  when: async ({ host }) =>
    (await host.stat('/etc/alternatives'))?.type === 'directory' ||
    'Cannot load alternatives module: /etc/alternatives dir not found',
  functions: {
    display: {
      ...reads({
        doc: 'Return the alternatives of a group.',
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
      doc: 'Return the link of a group.',
      example: 'alternatives.show_link editor',
      args: { name },
      run: (ctx, args) => linkOf(ctx, args.name),
    }),
    show_current: reads({
      doc: 'Return the chosen alternative.',
      example: 'alternatives.show_current editor',
      args: { name },
      run: async (ctx, { name }) => {
        const found = await current(ctx, name)
        if (found === undefined) ctx.log('error', `alternative: ${name} does not exist`)
        return found ?? false
      },
    }),
    check_exists: reads({
      doc: 'Return whether a program is an alternative of a group.',
      example: `alternatives.check_exists ${example}`,
      args: { name, path },
      run: async (ctx, { name, path }) => {
        const { shown } = await ask(ctx, '--display', name)
        return shown !== undefined && splitLines(shown).some((line) => line.startsWith(path))
      },
    }),
    check_installed: reads({
      doc: 'Return whether a program is the chosen alternative.',
      example: `alternatives.check_installed ${example}`,
      args: { name, path },
      run: async (ctx, { name, path }) => (await current(ctx, name)) === path,
    }),
    install: {
      ...changes({
        doc: 'Add an alternative to a group.',
        example: 'alternatives.install editor /usr/bin/editor /usr/bin/emacs23 50',
        args: { name, link: arg.string('Path of the link'), path, priority: arg.text('Priority') },
        run: (ctx, { name, link, path, priority }) => change(ctx, '--install', link, name, path, priority),
      }),
      outputter: 'txt',
    },
    remove: {
      ...changes({
        doc: 'Remove an alternative from a group.',
        example: `alternatives.remove ${example}`,
        args: { name, path },
        run: (ctx, { name, path }) => change(ctx, '--remove', name, path),
      }),
      outputter: 'txt',
    },
    auto: changes({
      doc: 'Let the priorities choose the alternative.',
      example: 'alternatives.auto editor',
      args: { name },
      run: (ctx, { name }) => change(ctx, '--auto', name),
    }),
    set: {
      ...changes({
        doc: 'Choose an alternative.',
        example: `alternatives.set ${example}`,
        args: { name, path },
        run: (ctx, { name, path }) => change(ctx, '--set', name, path),
      }),
      calledAs: 'set_',
    },
  },
})
