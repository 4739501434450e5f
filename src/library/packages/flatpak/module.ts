// Applications and remotes of Flatpak.
import { failure, splitLines, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  operand,
  type Result,
  reads,
  ret,
  runAll,
  succeeds,
} from '../../../sdk/mod.ts'

const COLUMNS = 'name title url filter collection priority options comment description homepage icon'.split(' ')

async function flatpak(ctx: FunctionContext, words: readonly string[]): Promise<Record<string, Result>> {
  const { retcode, stdout, stderr } = await runAll(ctx, ['flatpak', ...words])
  return retcode !== 0 ? { result: false, stderr: (stderr || stdout).trim() } : { result: true, stdout: stdout.trim() }
}

async function remotes(ctx: FunctionContext): Promise<Map<Value, Value>[]> {
  const columns = COLUMNS.map((column) => `${column}:f`).join(',')
  const { retcode, stdout, stderr } = await runAll(ctx, ['flatpak', 'remotes', `--columns=${columns}`])
  if (retcode !== 0) throw failure(`flatpak remotes failed: ${stderr || stdout}`)
  return splitLines(stdout).map((line) => {
    const values = line.split('\t').slice(0, COLUMNS.length)
    return new Map<Value, Value>(values.map((value, i) => [COLUMNS[i]!, value]))
  })
}

const application = (name: string): string => operand('An application', name)

const name = arg.text('Application id, such as `org.gimp.GIMP`')
const remote = arg.text('Name of the remote')
const outcome = ret.dict('`result`, and `stdout` or `stderr`')

export default defineModule({
  name: 'flatpak',
  doc: 'Manage applications and remotes of Flatpak.',
  when: async ({ host }) =>
    (await host.which('flatpak')) !== undefined ||
    'The flatpak execution module cannot be loaded: the "flatpak" binary is not in the path.',
  functions: {
    install: changes({
      doc: 'Install an application.',
      args: { name, location: remote },
      returns: outcome,
      example: 'flatpak.install org.gimp.GIMP flathub',
      run: (ctx, { name, location }) =>
        flatpak(ctx, [
          'install',
          '--noninteractive',
          ...(location ? [operand('A remote', location)] : []),
          application(name),
        ]),
    }),
    is_installed: reads({
      doc: 'Return whether an application is installed.',
      args: { name },
      returns: ret.boolean('Whether the application is installed'),
      example: 'flatpak.is_installed org.gimp.GIMP',
      run: (ctx, { name }) => succeeds(ctx, ['flatpak', 'info', application(name)], { ignore_retcode: true }),
    }),
    uninstall: changes({
      doc: 'Remove an application.',
      args: { pkg: name },
      returns: outcome,
      example: 'flatpak.uninstall org.gimp.GIMP',
      run: (ctx, { pkg }) => flatpak(ctx, ['uninstall', '--noninteractive', application(pkg)]),
    }),
    add_remote: changes({
      doc: 'Add a remote.',
      args: { name: remote, location: arg.text('URL of the remote') },
      returns: outcome,
      example: 'flatpak.add_remote flathub https://flathub.org/repo/flathub.flatpakrepo',
      run: (ctx, { name, location }) =>
        flatpak(ctx, ['remote-add', operand('A remote', name), operand('A location', location)]),
    }),
    modify_remote: changes({
      doc: 'Change a remote.',
      args: { name: remote, kwargs: arg.open('Options of `flatpak remote-modify`') },
      returns: outcome,
      example: 'flatpak.modify_remote flathub title=Hub',
      run: (ctx, given) => {
        const options = [...given.kwargs]
          .filter(([key]) => !key.startsWith('_'))
          .map(([key, value]) => `--${key}=${str(value)}`)
        return flatpak(ctx, ['remote-modify', operand('A remote', given.name), ...options])
      },
    }),
    delete_remote: changes({
      doc: 'Remove a remote.',
      args: { name: remote },
      returns: outcome,
      example: 'flatpak.delete_remote flathub',
      run: (ctx, { name }) => flatpak(ctx, ['remote-delete', '--force', operand('A remote', name)]),
    }),
    remotes_info: reads({
      doc: 'List the remotes.',
      returns: ret.dicts('Facts about each remote'),
      run: remotes,
    }),
    remote_info: reads({
      doc: 'Return the facts about a remote.',
      args: { remote },
      returns: ret.dict('Facts; empty for an unknown remote'),
      example: 'flatpak.remote_info flathub',
      run: async (ctx, given) => (await remotes(ctx)).find((one) => one.get('name') === given.remote) ?? {},
    }),
    is_remote_added: reads({
      doc: 'Return whether a remote is configured.',
      args: { remote },
      returns: ret.boolean('Whether the remote is configured'),
      example: 'flatpak.is_remote_added flathub',
      run: async (ctx, given) => (await remotes(ctx)).some((one) => one.get('name') === given.remote),
    }),
  },
})
