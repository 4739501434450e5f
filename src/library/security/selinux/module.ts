// SELinux: its mode, booleans, modules and policies, through semanage, setsebool, semodule and restorecon.
import {
  capitalize,
  type Dict,
  dictEntries,
  SaltError,
  splitLines,
  splitWords,
  str,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isHostError,
  outputOf,
  reads,
  ret,
  succeeds,
  textAt,
} from '../../../sdk/mod.ts'
import {
  applyPolicy,
  changeFilePolicy,
  changePortPolicy,
  filePolicy,
  fileType,
  portPolicy,
  wouldRelabel,
} from './module/policy.ts'

const CONFIG = '/etc/selinux/config'

async function fileSystem(ctx: FunctionContext): Promise<string | null> {
  for (const directory of ['/sys/fs/selinux', '/selinux']) {
    if ((await ctx.host.stat(`${directory}/enforce`))?.type === 'file') return directory
  }
  return null
}

async function mode(ctx: FunctionContext): Promise<string> {
  const directory = await fileSystem(ctx)
  const text = directory === null ? undefined : await textAt(ctx.host, `${directory}/enforce`)
  if (text === undefined) return 'Disabled'
  return text.split('\n')[0]!.trim() === '0' ? 'Permissive' : 'Enforcing'
}

async function configured(ctx: FunctionContext): Promise<string | null> {
  const lines = splitLines((await textAt(ctx.host, CONFIG)) ?? '').map((line) => line.trim())
  const line = lines.find((entry) => entry.startsWith('SELINUX='))
  return line === undefined ? null : capitalize(line.slice('SELINUX='.length)).trimStart()
}

/** Runs what touches a file; a failure says which file, and what was wrong. */
async function touching<T>(what: string, touch: () => Promise<T>): Promise<T> {
  try {
    return await touch()
  } catch (error) {
    if (!isHostError(error)) throw error
    throw new SaltError('CommandExecutionError', `Could not ${what} file: ${error.message}`, { cause: error })
  }
}

async function setMode(ctx: FunctionContext, wish: Value): Promise<string> {
  const name = typeof wish === 'string' ? wish.toLowerCase() : ''
  if (!['enforcing', 'permissive', 'disabled'].includes(name)) {
    throw new SaltError('SaltInvocationError', `Invalid mode ${str(wish)}`)
  }
  const directory = await fileSystem(ctx)
  if (directory !== null && (await mode(ctx)) !== 'Disabled') {
    // the kernel takes the digit at the file's beginning, and knows no temporary names
    const digit = new TextEncoder().encode(name === 'enforcing' ? '1' : '0')
    await touching('write SELinux enforce', () => ctx.host.writeAt(`${directory}/enforce`, 0, digit))
  }
  const bytes = await touching('read SELinux config', () => ctx.host.read(CONFIG))
  const text = Buffer.from(bytes)
    .toString()
    .replaceAll(/\nSELINUX=.*\n/g, `\nSELINUX=${name}\n`)
  await touching('write SELinux config', () => ctx.host.write(CONFIG, text))
  return mode(ctx)
}

async function booleans(ctx: FunctionContext): Promise<Dict> {
  const found: Dict = new Map()
  for (const line of splitLines(await outputOf(ctx, 'semanage boolean --list')).slice(1)) {
    const [name, now = '', , later = '', ...words] = splitWords(line)
    if (name === undefined) continue
    const entry = { State: now.slice(1), Default: later.slice(0, -1), Description: words.join(' ') }
    found.set(name, new Map(Object.entries(entry)))
  }
  return found
}

async function modules(ctx: FunctionContext): Promise<Dict> {
  const found: Dict = new Map()
  for (const line of splitLines(await outputOf(ctx, 'semodule --list-modules=full'))) {
    const words = splitWords(line)
    if (words.length === 0) continue
    found.set(
      words[1]!,
      new Map<Value, Value>([
        ['Enabled', words.length !== 4],
        ['Version', null],
      ]),
    )
  }
  return found
}

async function setModule(ctx: FunctionContext, module: Value, wish: string): Promise<boolean> {
  const verb = { enabled: 'enable', disabled: 'disable' }[wish.toLowerCase()]
  if (verb === undefined) throw new SaltError('SaltInvocationError', `Invalid state ${wish}`)
  return succeeds(ctx, ['semodule', `--${verb}`, module])
}

async function installModule(ctx: FunctionContext, path: Value): Promise<boolean> {
  const local = str(path).startsWith('salt://') ? await ctx.call('cp.cache_file', [path]) : path
  return succeeds(ctx, ['semodule', '--install', local])
}

const boolean = arg.any('The boolean')
const persist = arg.flag('Whether it stays after a restart', { default: false })
const module = arg.any('The module')
const optional = (doc: string) => arg.any(doc, { optional: true })
const file = {
  name: arg.any('The file specification'),
  filetype: arg.text('The kind of file, by its letter; all when not given', { optional: true }),
  sel_type: optional('The SELinux type'),
  sel_user: optional('The SELinux user'),
  sel_level: optional('The MLS range'),
}
const sel_type = arg.text('The SELinux type', { optional: true })
const port = {
  name: arg.text('Protocol and port, as tcp/8080, or any name'),
  protocol: arg.text('The protocol, when it is not in the name', { optional: true }),
  port: optional('The port or range, when it is not in the name'),
}
const typed = { name: port.name, sel_type, protocol: port.protocol, port: port.port }
const sel_range = arg.text('The MLS range', { optional: true })
const applied = { name: arg.any('The path'), recursive: arg.flag('With all below it', { default: false }) }

export default defineModule({
  name: 'selinux',
  doc: 'Mode, booleans, modules and policies of SELinux.',
  when: async ({ host, grains }) => {
    for (const command of ['semanage', 'setsebool', 'semodule']) {
      if ((await host.which(command)) === undefined) return `${command} is not in the path`
    }
    return grains.get('kernel') === 'Linux' || 'Module only works on Linux with selinux installed'
  },
  functions: {
    selinux_fs_path: reads({
      doc: 'Where the file system of SELinux is.',
      example: 'selinux.selinux_fs_path',
      args: {},
      run: fileSystem,
    }),
    getenforce: reads({ doc: 'The mode SELinux is in.', example: 'selinux.getenforce', args: {}, run: mode }),
    getconfig: reads({ doc: 'The mode that is configured.', example: 'selinux.getconfig', args: {}, run: configured }),
    setenforce: changes({
      doc: 'Set the mode.',
      example: 'selinux.setenforce enforcing',
      args: { mode: arg.any('The mode') },
      run: (ctx, args) => setMode(ctx, args.mode),
    }),
    getsebool: reads({
      doc: 'A boolean.',
      example: 'selinux.getsebool virt_use_usb',
      args: { boolean },
      run: async (ctx, { boolean }) => (await booleans(ctx)).get(boolean) ?? new Map(),
    }),
    setsebool: changes({
      doc: 'Set a boolean.',
      example: 'selinux.setsebool virt_use_usb off',
      args: { boolean, value: arg.any('The value'), persist },
      run: (ctx, { boolean, value, persist }) =>
        succeeds(ctx, ['setsebool', ...(persist ? ['-P'] : []), boolean, value]),
    }),
    setsebools: changes({
      doc: 'Set several booleans.',
      example: "selinux.setsebools '{virt_use_usb: on, squid_use_tproxy: off}'",
      args: { pairs: arg.dict('Values by boolean'), persist },
      run: (ctx, { pairs, persist }) => {
        const words = Array.from(dictEntries(pairs), ([name, value]) => `${str(name)}=${str(value)}`)
        return succeeds(ctx, ['setsebool', ...(persist ? ['-P'] : []), ...words])
      },
    }),
    list_sebool: reads({
      doc: 'All booleans.',
      example: 'selinux.list_sebool',
      args: {},
      run: booleans,
      returns: ret.dict('The facts, by boolean'),
    }),
    getsemod: reads({
      doc: 'A module.',
      example: 'selinux.getsemod mysql',
      args: { module },
      run: async (ctx, { module }) => (await modules(ctx)).get(module) ?? new Map(),
    }),
    setsemod: changes({
      doc: 'Enable or disable a module.',
      example: 'selinux.setsemod mysql Enabled',
      args: { module, state: arg.text('Enabled or Disabled') },
      run: (ctx, { module, state }) => setModule(ctx, module, state),
    }),
    install_semod: changes({
      doc: 'Install a module from a file.',
      example: 'selinux.install_semod salt://module.pp',
      args: { module_path: arg.any('Its path') },
      run: (ctx, { module_path }) => installModule(ctx, module_path),
    }),
    remove_semod: changes({
      doc: 'Remove a module.',
      example: 'selinux.remove_semod mysql',
      args: { module },
      run: (ctx, { module }) => succeeds(ctx, ['semodule', '--remove', module]),
    }),
    list_semod: reads({
      doc: 'All modules.',
      example: 'selinux.list_semod',
      args: {},
      run: modules,
      returns: ret.dict('The facts, by module'),
    }),
    filetype_id_to_string: reads({
      doc: 'The name of a kind of file.',
      example: 'selinux.filetype_id_to_string d',
      args: { filetype: arg.text('Its letter', { default: 'a' }) },
      run: (_ctx, { filetype }) => fileType(filetype),
    }),
    fcontext_get_policy: reads({
      doc: 'The policy of a file specification.',
      example: 'selinux.fcontext_get_policy /srv',
      args: file,
      run: filePolicy,
    }),
    fcontext_add_policy: changes({
      doc: 'Add the policy of a file specification, or change it.',
      example: 'selinux.fcontext_add_policy /srv sel_type=httpd_sys_content_t',
      args: file,
      run: (ctx, wish) => changeFilePolicy(ctx, 'add', wish),
    }),
    fcontext_delete_policy: changes({
      doc: 'Remove the policy of a file specification.',
      example: 'selinux.fcontext_delete_policy /srv',
      args: file,
      run: (ctx, wish) => changeFilePolicy(ctx, 'delete', wish),
    }),
    fcontext_policy_is_applied: reads({
      doc: 'What restorecon would change; empty when the policy is applied.',
      example: 'selinux.fcontext_policy_is_applied /srv',
      args: applied,
      run: (ctx, { name, recursive }) => wouldRelabel(ctx, name, recursive),
    }),
    fcontext_apply_policy: changes({
      doc: 'Apply the policy to files.',
      example: 'selinux.fcontext_apply_policy /srv',
      args: applied,
      run: (ctx, args) => applyPolicy(ctx, args.name, args.recursive),
      returns: ret.dict('The outcome of restorecon, and `changes` by file'),
    }),
    port_get_policy: reads({
      doc: 'The policy of a port.',
      example: 'selinux.port_get_policy tcp/80',
      args: typed,
      run: (ctx, wish) => portPolicy(ctx, wish, wish.sel_type),
    }),
    port_add_policy: changes({
      doc: 'Add the policy of a port.',
      example: 'selinux.port_add_policy tcp/8080 http_port_t',
      args: { ...typed, sel_range },
      run: (ctx, wish) => changePortPolicy(ctx, 'add', wish, wish.sel_type, wish.sel_range),
    }),
    port_modify_policy: changes({
      doc: 'Change the policy of a port.',
      example: 'selinux.port_modify_policy tcp/8080 http_port_t',
      args: { ...typed, sel_range },
      run: (ctx, wish) => changePortPolicy(ctx, 'modify', wish, wish.sel_type, wish.sel_range),
    }),
    port_delete_policy: changes({
      doc: 'Remove the policy of a port.',
      example: 'selinux.port_delete_policy tcp/8080',
      args: port,
      run: (ctx, wish) => changePortPolicy(ctx, 'delete', wish, null, null),
    }),
  },
})
