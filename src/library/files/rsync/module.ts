// Copies with rsync, also of files of the file server. The options `rsync.<name>` give the arguments that a call leaves out.
import { type Dict, failure, isList, misuse, type SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, isHostError, reads, ret } from '../../../sdk/mod.ts'

const CONFIGURED = [
  'src',
  'dst',
  'delete',
  'force',
  'update',
  'passwordfile',
  'exclude',
  'excludefrom',
  'dryrun',
  'rsh',
] as const

type Name = (typeof CONFIGURED)[number]
type Request = Record<Name, Value> & { additional_opts: Value; saltenv: string }

async function withConfigured(ctx: FunctionContext, request: Request): Promise<Request> {
  const whole = { ...request }
  for (const name of CONFIGURED) {
    if (!truthy(whole[name])) whole[name] = await ctx.call('config.option', [`rsync.${name}`])
  }
  return whole
}

function optionsOf(request: Request): string[] {
  const given = (name: Name): boolean => truthy(request[name])
  const excluded =
    given('excludefrom') || !given('exclude') ? [] : isList(request.exclude) ? request.exclude : [request.exclude]
  return [
    '-avz',
    ...(['delete', 'force', 'update'] as const).flatMap((name) => (given(name) ? [`--${name}`] : [])),
    ...(given('rsh') ? [`--rsh=${str(request.rsh)}`] : []),
    ...(given('passwordfile') ? ['--password-file', str(request.passwordfile)] : []),
    ...(given('excludefrom') ? ['--exclude-from', str(request.excludefrom)] : []),
    ...excluded.flatMap((pattern) => ['--exclude', str(pattern)]),
    ...(given('dryrun') ? ['--dry-run'] : []),
    ...(isList(request.additional_opts) ? request.additional_opts.map(str) : []),
  ]
}

/** Fetch a file or directory of the file server; return its local copy, and the source for rsync. */
async function fetched(ctx: FunctionContext, source: string, saltenv: string): Promise<{ copy: string; from: string }> {
  const directories = await ctx.call('cp.list_master_dirs', [], { saltenv })
  const isDirectory = directories.includes(source.replaceAll('salt://', ''))
  const copy = isDirectory ? await ctx.host.tempDirectory() : await ctx.host.tempFile()
  const done = await ctx.call(isDirectory ? 'cp.get_dir' : 'cp.get_file', [source, copy, saltenv])
  if (!truthy(done)) {
    await ctx.call('file.remove', [copy])
    throw failure(`${source} does not exist`)
  }
  return { copy, from: isDirectory ? `${copy}/` : copy }
}

async function rsync(ctx: FunctionContext, given: Request): Promise<Dict> {
  const request = await withConfigured(ctx, given)
  if (!truthy(request.src) || !truthy(request.dst)) {
    throw misuse('src and dst cannot be empty')
  }
  const source = str(request.src)
  const own = source.startsWith('salt://') ? await fetched(ctx, source, request.saltenv) : undefined
  const command = ['rsync', ...optionsOf(request), own?.from ?? source, str(request.dst)]
  try {
    return await ctx.call('cmd.run_all', [command], { python_shell: false })
  } finally {
    if (own) await ctx.call('file.remove', [own.copy])
  }
}

async function version(ctx: FunctionContext): Promise<string> {
  const text = await ctx.call('cmd.run_stdout', [['rsync', '--version']], { python_shell: false })
  const found = text.split('\n')[0]!.trim().split(/\s+/)[2]
  if (found === undefined) throw failure('Unable to determine rsync version')
  return found
}

async function configuration(ctx: FunctionContext, path: string): Promise<string> {
  const failed = (text: string): SaltError => failure(text)
  try {
    return new TextDecoder().decode(await ctx.host.read(path))
  } catch (error) {
    if (isHostError(error, 'ENOENT')) throw failed(`${path} does not exist`)
    if (isHostError(error, 'EACCES')) throw failed(`Unable to read ${path}, access denied`)
    if (isHostError(error, 'EISDIR')) throw failed(`Unable to read ${path}, path is a directory`)
    throw error
  }
}

const flag = (doc: string) => arg.flag(doc, { default: false })
const text = (doc: string) => arg.text(doc, { optional: true })

export default defineModule({
  name: 'rsync',
  doc: 'Copy files with rsync.',
  when: async ({ host }) =>
    (await host.which('rsync')) !== undefined ||
    'The rsync execution module cannot be loaded: the rsync binary is not in the path.',
  functions: {
    rsync: changes({
      doc: 'Copy files and directories.',
      args: {
        src: arg.text('Source: a path, a remote location or a `salt://` URL'),
        dst: arg.text('Target: a path or a remote location'),
        delete: flag('Delete files that the source does not have'),
        force: flag('Delete directories even if they are not empty'),
        update: flag('Skip files that are newer at the target'),
        passwordfile: text('Path of a file with the password of an rsync daemon'),
        exclude: arg.textOrList('Pattern of the files to skip, or a list of patterns', { optional: true }),
        excludefrom: text('Path of a file of such patterns'),
        dryrun: flag('Report the changes without making them'),
        rsh: text('Remote shell'),
        additional_opts: arg.any('Options of rsync: a list; another type is ignored', { optional: true }),
        saltenv: arg.text('Salt environment of the source', { default: 'base' }),
      },
      returns: ret.dict('Result of `cmd.run_all`'),
      example: "rsync.rsync /srv/www/ /backup/www delete=True exclude='[cache, tmp]'",
      run: rsync,
    }),
    version: reads({
      doc: 'Return the version of rsync.',
      returns: ret.string('The version'),
      run: version,
    }),
    config: reads({
      doc: 'Return the configuration of the rsync daemon.',
      args: { conf_path: arg.string('Path of the configuration file', { default: '/etc/rsyncd.conf' }) },
      returns: ret.string('The text of the file'),
      run: (ctx, { conf_path }) => configuration(ctx, conf_path),
    }),
  },
})
