// Copies through rsync, from anywhere it reaches or from the master's files. What is not given is looked for in the options
// `rsync.<name>`.
import { type Dict, isList, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
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
type Wish = Record<Name, Value> & { additional_opts: Value; saltenv: Value }

async function withConfigured(ctx: FunctionContext, wish: Wish): Promise<Wish> {
  const whole = { ...wish }
  for (const name of CONFIGURED) {
    if (!truthy(whole[name])) whole[name] = await ctx.call('config.option', [`rsync.${name}`])
  }
  return whole
}

function optionsOf(wish: Wish): string[] {
  const given = (name: Name): boolean => truthy(wish[name])
  const excluded = given('excludefrom') || !given('exclude') ? [] : isList(wish.exclude) ? wish.exclude : [wish.exclude]
  return [
    '-avz',
    ...(['delete', 'force', 'update'] as const).flatMap((name) => (given(name) ? [`--${name}`] : [])),
    ...(given('rsh') ? [`--rsh=${str(wish.rsh)}`] : []),
    ...(given('passwordfile') ? ['--password-file', str(wish.passwordfile)] : []),
    ...(given('excludefrom') ? ['--exclude-from', str(wish.excludefrom)] : []),
    ...excluded.flatMap((pattern) => ['--exclude', str(pattern)]),
    ...(given('dryrun') ? ['--dry-run'] : []),
    ...(isList(wish.additional_opts) ? wish.additional_opts.map(str) : []),
  ]
}

/** A copy of a file or directory of the master; of a directory what is in it is meant. */
async function fetched(ctx: FunctionContext, source: string, saltenv: Value): Promise<{ copy: string; from: string }> {
  const folders = await ctx.call('cp.list_master_dirs', [], { saltenv })
  const isFolder = folders.includes(source.replaceAll('salt://', ''))
  const copy = isFolder ? await ctx.host.tempDirectory() : await ctx.host.tempFile()
  const done = await ctx.call(isFolder ? 'cp.get_dir' : 'cp.get_file', [source, copy, saltenv])
  if (!truthy(done)) {
    await ctx.call('file.remove', [copy])
    throw new SaltError('CommandExecutionError', `${source} does not exist`)
  }
  return { copy, from: isFolder ? `${copy}/` : copy }
}

async function rsync(ctx: FunctionContext, given: Wish): Promise<Dict> {
  const wish = await withConfigured(ctx, given)
  if (!truthy(wish.src) || !truthy(wish.dst)) {
    throw new SaltError('SaltInvocationError', 'src and dst cannot be empty')
  }
  const source = str(wish.src)
  const own = source.startsWith('salt://') ? await fetched(ctx, source, wish.saltenv) : undefined
  const command = ['rsync', ...optionsOf(wish), own?.from ?? source, str(wish.dst)]
  try {
    return await ctx.call('cmd.run_all', [command], { python_shell: false })
  } finally {
    if (own) await ctx.call('file.remove', [own.copy])
  }
}

async function version(ctx: FunctionContext): Promise<string> {
  const text = await ctx.call('cmd.run_stdout', [['rsync', '--version']], { python_shell: false })
  const found = text.split('\n')[0]!.trim().split(/\s+/)[2]
  if (found === undefined) throw new SaltError('CommandExecutionError', 'Unable to determine rsync version')
  return found
}

async function configuration(ctx: FunctionContext, path: string): Promise<string> {
  const failed = (text: string): SaltError => new SaltError('CommandExecutionError', text)
  try {
    return new TextDecoder().decode(await ctx.host.read(path))
  } catch (error) {
    if (isHostError(error, 'ENOENT')) throw failed(`${path} does not exist`)
    if (isHostError(error, 'EACCES')) throw failed(`Unable to read ${path}, access denied`)
    if (isHostError(error, 'EISDIR')) throw failed(`Unable to read ${path}, path is a directory`)
    throw error
  }
}

const flag = (doc: string) => arg.any(doc, { default: false })
const place = (doc: string) => arg.any(doc, { optional: true })

export default defineModule({
  name: 'rsync',
  doc: 'Copies through rsync.',
  when: async ({ host }) =>
    (await host.which('rsync')) !== undefined ||
    'The rsync execution module cannot be loaded: the rsync binary is not in the path.',
  functions: {
    rsync: changes({
      doc: 'Copy files and directories.',
      args: {
        src: arg.any('From where, `salt://` too'),
        dst: arg.any('To where'),
        delete: flag('Delete what the source does not have'),
        force: flag('Delete directories also when they are not empty'),
        update: flag('Leave out what is newer there'),
        passwordfile: place('A file with the password of an rsync daemon'),
        exclude: place('Patterns of what is left out'),
        excludefrom: place('A file of such patterns'),
        dryrun: flag('Only say what would be done'),
        rsh: place('The remote shell'),
        additional_opts: place('Further options of rsync, as a list'),
        saltenv: arg.any("The environment of the master's files", { default: 'base' }),
      },
      returns: ret.dict('What `cmd.run_all` says about the command'),
      example: "rsync.rsync /srv/www/ /backup/www delete=True exclude='[cache, tmp]'",
      run: (ctx, wish) => rsync(ctx, wish),
    }),
    version: reads({
      doc: 'The version of rsync.',
      args: {},
      returns: ret.string('The version'),
      example: 'rsync.version',
      run: (ctx) => version(ctx),
    }),
    config: reads({
      doc: 'The configuration of the rsync daemon.',
      args: { conf_path: arg.string('Its file', { default: '/etc/rsyncd.conf' }) },
      returns: ret.string('The text of the file'),
      example: 'rsync.config',
      run: (ctx, { conf_path }) => configuration(ctx, conf_path),
    }),
  },
})
