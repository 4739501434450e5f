// Applications and remotes of Flatpak.
import { splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type Result,
  reads,
  ret,
  runAll,
  succeeds,
} from '../../../sdk/mod.ts'

const COLUMNS = 'name title url filter collection priority options comment description homepage icon'.split(' ')

async function flatpak(ctx: FunctionContext, words: readonly string[]): Promise<Record<string, Result>> {
  const { retcode, stdout, stderr } = await runAll(ctx, ['flatpak', ...words])
  return retcode !== 0 && stderr !== ''
    ? { result: false, stderr: stderr.trim() }
    : { result: true, stdout: stdout.trim() }
}

async function remotes(ctx: FunctionContext): Promise<Map<Value, Value>[]> {
  const columns = COLUMNS.map((column) => `${column}:f`).join(',')
  const { retcode, stdout, stderr } = await runAll(ctx, ['flatpak', 'remotes', `--columns=${columns}`])
  if (retcode !== 0 || stderr !== '') return []
  return splitLines(stdout).map((line) => {
    const values = line.split('\t').slice(0, COLUMNS.length)
    return new Map<Value, Value>(values.map((value, i) => [COLUMNS[i]!, value]))
  })
}

const name = arg.text('The application')
const remote = arg.text('The remote')

/** A function that is one call of flatpak. */
const command = (
  doc: string,
  example: string,
  args: Record<string, typeof name>,
  words: (...given: string[]) => string[],
) =>
  changes({
    doc,
    args,
    returns: ret.dict('`result`, and `stdout` or `stderr`'),
    example: `flatpak.${example}`,
    run: (ctx, given) => flatpak(ctx, words(...Object.values(given as Record<string, Value>).map((one) => str(one)))),
  })

export default defineModule({
  name: 'flatpak',
  doc: 'Install applications with Flatpak.',
  when: async ({ host }) =>
    (await host.which('flatpak')) !== undefined ||
    'The flatpak execution module cannot be loaded: the "flatpak" binary is not in the path.',
  functions: {
    install: command(
      'Install an application.',
      'install org.gimp.GIMP flathub',
      { name, location: remote },
      (one, from) => ['install', '--noninteractive', ...(truthy(from!) ? [from!] : []), one!],
    ),
    is_installed: reads({
      doc: 'Whether an application is installed.',
      args: { name },
      returns: ret.boolean('Whether it is'),
      example: 'flatpak.is_installed org.gimp.GIMP',
      run: (ctx, given) => succeeds(ctx, ['flatpak', 'info', given.name], { ignore_retcode: true }),
    }),
    uninstall: command('Remove an application.', 'uninstall org.gimp.GIMP', { pkg: name }, (one) => [
      'uninstall',
      '--noninteractive',
      one!,
    ]),
    add_remote: command(
      'Add a remote.',
      'add_remote flathub https://flathub.org/repo/flathub.flatpakrepo',
      { name: remote, location: arg.text('Where it is') },
      (one, location) => ['remote-add', one!, location!],
    ),
    modify_remote: changes({
      doc: 'Change a remote.',
      args: { name: remote, kwargs: arg.open('Options of `flatpak remote-modify`') },
      returns: ret.dict('`result`, and `stdout` or `stderr`'),
      example: 'flatpak.modify_remote flathub title=Hub',
      run: (ctx, given) => {
        const options = [...given.kwargs]
          .filter(([key]) => !key.startsWith('_'))
          .map(([key, value]) => `--${key}=${str(value)}`)
        return flatpak(ctx, ['remote-modify', given.name, ...options])
      },
    }),
    delete_remote: command('Remove a remote.', 'delete_remote flathub', { name: remote }, (one) => [
      'remote-delete',
      '--force',
      one!,
    ]),
    remotes_info: reads({
      doc: 'All remotes.',
      args: {},
      returns: ret.list('Their facts'),
      example: 'flatpak.remotes_info',
      run: (ctx) => remotes(ctx),
    }),
    remote_info: reads({
      doc: 'A remote.',
      args: { remote },
      returns: ret.dict('Its facts'),
      example: 'flatpak.remote_info flathub',
      run: async (ctx, given) => (await remotes(ctx)).find((one) => one.get('name') === given.remote) ?? {},
    }),
    is_remote_added: reads({
      doc: 'Whether a remote is known.',
      args: { remote },
      returns: ret.boolean('Whether it is'),
      example: 'flatpak.is_remote_added flathub',
      run: async (ctx, given) => (await remotes(ctx)).some((one) => one.get('name') === given.remote),
    }),
  },
})
