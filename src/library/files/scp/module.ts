// Copies from and to other machines with scp. A password needs sshpass, because ssh does not accept one from a caller. An
// unknown host key is refused unless `auto_add_policy` is set.
import { decodeBytes, failure, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext } from '../../../sdk/mod.ts'

type Options = ReadonlyMap<string, Value>

interface Copy {
  recursive: boolean
  preserve_times: boolean
  kwargs: Options
}

function optionWords({ recursive, preserve_times, kwargs }: Copy): string[] {
  const given = (name: string): Value => kwargs.get(name) ?? null
  const key = given('key_filename')
  const keys = (isList(key) ? key : [key]).filter(truthy).map(str)
  const ssh = [
    `StrictHostKeyChecking=${truthy(given('auto_add_policy')) ? 'accept-new' : 'yes'}`,
    ...(truthy(given('password')) ? [] : ['BatchMode=yes']),
    ...(given('timeout') === null ? [] : [`ConnectTimeout=${str(given('timeout'))}`]),
    ...(given('allow_agent') === false ? ['IdentityAgent=none'] : []),
    ...(given('look_for_keys') === false ? ['IdentitiesOnly=yes'] : []),
  ]
  return [
    ...(recursive ? ['-r'] : []),
    ...(preserve_times ? ['-p'] : []),
    ...(given('port') === null ? [] : ['-P', str(given('port'))]),
    ...keys.flatMap((key) => ['-i', key]),
    ...ssh.flatMap((option) => ['-o', option]),
  ]
}

/** Return `user@host:path`, with an IPv6 address in brackets. */
function remote(kwargs: Options, path: string | null): string {
  const host = kwargs.get('hostname') ?? null
  if (!truthy(host)) throw misuse('The argument hostname is missing')
  const user = kwargs.get('username') ?? null
  const address = str(host).includes(':') ? `[${str(host)}]` : str(host)
  return `${truthy(user) ? `${str(user)}@` : ''}${address}:${path ? path : '.'}`
}

async function copy(ctx: FunctionContext, options: Copy, paths: readonly string[]): Promise<null> {
  const password = options.kwargs.get('password') ?? null
  const argv = ['scp', ...optionWords(options), '--', ...paths]
  const isSecret = truthy(password)
  if (isSecret && (await ctx.host.which('sshpass')) === undefined) {
    throw failure('A password for scp needs the program sshpass, which was not found')
  }
  // through the environment, because all users see the arguments of a command
  const env = isSecret ? { env: new Map([['SSHPASS', str(password)]]) } : {}
  const { retcode, stderr } = await ctx.host.run({ argv: isSecret ? ['sshpass', '-e', ...argv] : argv, ...env })
  if (retcode !== 0) throw failure(`scp failed: ${decodeBytes(stderr).trim()}`)
  return null
}

const recursive = arg.flag('Copy directories with their content', { default: false })
const preserve_times = arg.flag('Keep the times of files', { default: false })
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
      doc: 'Fetch files from another machine.',
      example: 'scp.get /var/tmp/file /tmp/file hostname=10.10.10.1 auto_add_policy=True',
      args: {
        remote_path: arg.text('Remote path'),
        local_path: arg.text('Local path; by default the working directory of the minion', { default: '' }),
        recursive,
        preserve_times,
        kwargs,
      },
      run: (ctx, { remote_path, local_path, ...options }) =>
        copy(ctx, options, [remote(options.kwargs, remote_path), local_path ? local_path : '.']),
    }),
    put: changes({
      doc: 'Copy files to another machine.',
      example: 'scp.put /path/to/file /var/tmp/file hostname=server1 auto_add_policy=True',
      args: {
        files: arg.textOrList('Path or URL of a file, or a list of them'),
        remote_path: arg.text('Remote path; by default the home directory', { optional: true }),
        recursive,
        preserve_times,
        saltenv: arg.text('Salt environment of the files', { default: 'base' }),
        kwargs,
      },
      run: async (ctx, { files, remote_path, saltenv, ...options }) => {
        const target = remote(options.kwargs, remote_path)
        const local: string[] = []
        for (const file of typeof files === 'string' ? [files] : files) {
          const cached = await ctx.call('cp.cache_file', [file], { saltenv })
          if (!cached) throw failure(`There is no file ${str(file)}`)
          local.push(cached)
        }
        return copy(ctx, options, [...local, target])
      },
    }),
  },
})
