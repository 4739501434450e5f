// Files from and to other machines, by the program scp. A password needs sshpass, because ssh takes none from a caller;
// a key of the machine that is not known yet is refused unless it may be added.
import { decodeBytes, isList, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext } from '../../../sdk/mod.ts'

type Options = ReadonlyMap<string, Value>

interface Copy {
  recursive: Value
  preserve_times: Value
  kwargs: Options
}

const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)

function optionWords({ recursive, preserve_times, kwargs }: Copy): string[] {
  const given = (name: string): Value => kwargs.get(name) ?? null
  const files = isList(given('key_filename')) ? (given('key_filename') as Value[]) : [given('key_filename')]
  const keys = files.filter(truthy).map(str)
  const ssh = [
    `StrictHostKeyChecking=${truthy(given('auto_add_policy')) ? 'accept-new' : 'yes'}`,
    ...(truthy(given('password')) ? [] : ['BatchMode=yes']),
    ...(given('timeout') === null ? [] : [`ConnectTimeout=${str(given('timeout'))}`]),
    ...(given('allow_agent') === false ? ['IdentityAgent=none'] : []),
    ...(given('look_for_keys') === false ? ['IdentitiesOnly=yes'] : []),
  ]
  return [
    ...(truthy(recursive) ? ['-r'] : []),
    ...(truthy(preserve_times) ? ['-p'] : []),
    ...(given('port') === null ? [] : ['-P', str(given('port'))]),
    ...keys.flatMap((key) => ['-i', key]),
    ...ssh.flatMap((option) => ['-o', option]),
  ]
}

/** `user@host:path`; an address with colons stands in brackets. */
function remote(kwargs: Options, path: string | null): string {
  const host = kwargs.get('hostname') ?? null
  if (!truthy(host)) throw new SaltError('SaltInvocationError', 'The argument hostname is missing')
  const user = kwargs.get('username') ?? null
  const address = str(host).includes(':') ? `[${str(host)}]` : str(host)
  return `${truthy(user) ? `${str(user)}@` : ''}${address}:${path ? path : '.'}`
}

async function copy(ctx: FunctionContext, wish: Copy, paths: readonly string[]): Promise<null> {
  const password = wish.kwargs.get('password') ?? null
  const argv = ['scp', ...optionWords(wish), '--', ...paths]
  const isSecret = truthy(password)
  if (isSecret && (await ctx.host.which('sshpass')) === undefined) {
    throw failure('A password for scp needs the program sshpass, which was not found')
  }
  // by the environment: words of a command are for all to see
  const env = isSecret ? { env: new Map([['SSHPASS', str(password)]]) } : {}
  const { retcode, stderr } = await ctx.host.run({ argv: isSecret ? ['sshpass', '-e', ...argv] : argv, ...env })
  if (retcode !== 0) throw failure(`scp failed: ${decodeBytes(stderr).trim()}`)
  return null
}

const recursive = arg.flag('With all that is below folders', { default: false })
const preserve_times = arg.flag('With the times of the files', { default: false })
const kwargs = arg.open(
  'The connection: `hostname`, `port`, `username`, `password`, `key_filename`, `timeout`, `auto_add_policy`, …',
)

export default defineModule({
  name: 'scp_mod',
  virtual: 'scp',
  doc: 'Copy files from and to other machines.',
  when: async ({ host }) => (await host.which('scp')) !== undefined || 'The program scp was not found',
  functions: {
    get: changes({
      doc: 'Get files from another machine.',
      example: 'scp.get /var/tmp/file /tmp/file hostname=10.10.10.1 auto_add_policy=True',
      args: {
        remote_path: arg.text('What to get'),
        local_path: arg.text('Where to put it; the folder the minion runs in when not given', { default: '' }),
        recursive,
        preserve_times,
        kwargs,
      },
      run: (ctx, { remote_path, local_path, ...wish }) =>
        copy(ctx, wish, [remote(wish.kwargs, remote_path), local_path ? local_path : '.']),
    }),
    put: changes({
      doc: 'Put files on another machine.',
      example: 'scp.put /path/to/file /var/tmp/file hostname=server1 auto_add_policy=True',
      args: {
        files: arg.any('The files, also of the file server'),
        remote_path: arg.text('Where to put them; the home directory when not given', { optional: true }),
        recursive,
        preserve_times,
        saltenv: arg.text('The environment of files of the file server', { default: 'base' }),
        kwargs,
      },
      run: async (ctx, { files, remote_path, saltenv, ...wish }) => {
        const target = remote(wish.kwargs, remote_path)
        const local: string[] = []
        for (const file of isList(files) ? files : [files]) {
          const cached = await ctx.call('cp.cache_file', [file], { saltenv })
          if (!truthy(cached)) throw failure(`There is no file ${str(file)}`)
          local.push(str(cached))
        }
        return copy(ctx, wish, [...local, target])
      },
    }),
  },
})
