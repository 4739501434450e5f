// SELinux: its mode, booleans, modules and policies, through semanage, setsebool, semodule and restorecon.
import {
  capitalize,
  type Dict,
  dictEntries,
  dictFrom,
  misuse,
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
  operand,
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

/** Run a file operation; an error names the file and the reason. */
async function withFile<T>(action: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!isHostError(error)) throw error
    throw new SaltError('CommandExecutionError', `Could not ${action} file: ${error.message}`, { cause: error })
  }
}

async function setMode(ctx: FunctionContext, wanted: Value): Promise<string> {
  const name = typeof wanted === 'string' ? wanted.toLowerCase() : ''
  if (!['enforcing', 'permissive', 'disabled'].includes(name)) {
    throw misuse(`Invalid mode ${str(wanted)}`)
  }
  const directory = await fileSystem(ctx)
  if (directory !== null && (await mode(ctx)) !== 'Disabled') {
    // the kernel reads the digit at offset 0, and temporary names are not possible here
    const digit = new TextEncoder().encode(name === 'enforcing' ? '1' : '0')
    await withFile('write SELinux enforce', () => ctx.host.writeAt(`${directory}/enforce`, 0, digit))
  }
  const bytes = await withFile('read SELinux config', () => ctx.host.read(CONFIG))
  const text = Buffer.from(bytes)
    .toString()
    .replaceAll(/\nSELINUX=.*\n/g, `\nSELINUX=${name}\n`)
  await withFile('write SELinux config', () => ctx.host.write(CONFIG, text))
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
    found.set(words[1]!, dictFrom({ Enabled: words.length !== 4, Version: null }))
  }
  return found
}

async function setModule(ctx: FunctionContext, module: string, state: string): Promise<boolean> {
  const verb = { enabled: 'enable', disabled: 'disable' }[state.toLowerCase()]
  if (verb === undefined) throw misuse(`Invalid state ${state}`)
  return succeeds(ctx, ['semodule', `--${verb}`, module])
}

async function installModule(ctx: FunctionContext, path: string): Promise<boolean> {
  const local = path.startsWith('salt://') ? await ctx.call('cp.cache_file', [path]) : path
  return succeeds(ctx, ['semodule', '--install', local])
}

const boolean = arg.text('Boolean')
const persist = arg.flag('Whether the value persists after a reboot', { default: false })
const module = arg.text('Module')
const file = {
  name: arg.text('File specification'),
  filetype: arg.text('Letter of the file type, such as f or d; all if not given', { optional: true }),
  sel_type: arg.text('SELinux type', { optional: true }),
  sel_user: arg.text('SELinux user', { optional: true }),
  sel_level: arg.text('MLS range', { optional: true }),
}
const sel_type = arg.text('SELinux type', { optional: true })
const port = {
  name: arg.text('Protocol and port such as tcp/8080, or any name'),
  protocol: arg.text('Protocol, if it is not in the name', { optional: true }),
  port: arg.text('Port or range, if it is not in the name', { optional: true }),
}
const typed = { name: port.name, sel_type, protocol: port.protocol, port: port.port }
const sel_range = arg.text('MLS range', { optional: true })
const applied = {
  name: arg.text('Path'),
  recursive: arg.flag('Whether to include everything below the path', { default: false }),
}

export default defineModule({
  name: 'selinux',
  doc: 'Manage mode, booleans, modules and policies of SELinux.',
  when: async ({ host, grains }) => {
    for (const command of ['semanage', 'setsebool', 'semodule']) {
      if ((await host.which(command)) === undefined) return `${command} is not in the path`
    }
    return grains.get('kernel') === 'Linux' || 'Module only works on Linux with selinux installed'
  },
  functions: {
    selinux_fs_path: reads({
      doc: 'Return the path of the SELinux file system.',
      run: fileSystem,
    }),
    getenforce: reads({ doc: 'Return the current mode.', example: 'selinux.getenforce', run: mode }),
    getconfig: reads({ doc: 'Return the configured mode.', example: 'selinux.getconfig', run: configured }),
    setenforce: changes({
      doc: 'Set the mode.',
      example: 'selinux.setenforce enforcing',
      args: { mode: arg.any('enforcing, permissive or disabled, as text; other types are refused') },
      run: (ctx, args) => setMode(ctx, args.mode),
    }),
    getsebool: reads({
      doc: 'Return a boolean.',
      example: 'selinux.getsebool virt_use_usb',
      args: { boolean },
      run: async (ctx, { boolean }) => (await booleans(ctx)).get(boolean) ?? new Map(),
    }),
    setsebool: changes({
      doc: 'Set a boolean.',
      example: 'selinux.setsebool virt_use_usb off',
      args: { boolean, value: arg.any('on or off, or a number; passed to setsebool as given'), persist },
      run: (ctx, { boolean, value, persist }) =>
        succeeds(ctx, ['setsebool', ...(persist ? ['-P'] : []), operand('A boolean', boolean), value]),
    }),
    setsebools: changes({
      doc: 'Set several booleans.',
      example: "selinux.setsebools '{virt_use_usb: on, squid_use_tproxy: off}'",
      args: { pairs: arg.dict('Dict of values by boolean'), persist },
      run: (ctx, { pairs, persist }) => {
        const words = Array.from(dictEntries(pairs), ([name, value]) => `${str(name)}=${str(value)}`)
        return succeeds(ctx, ['setsebool', ...(persist ? ['-P'] : []), ...words])
      },
    }),
    list_sebool: reads({
      doc: 'Return all booleans.',
      run: booleans,
      returns: ret.dict('The data by boolean'),
    }),
    getsemod: reads({
      doc: 'Return a module.',
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
      args: { module_path: arg.text('Path or salt:// URL of the module') },
      run: (ctx, { module_path }) => installModule(ctx, module_path),
    }),
    remove_semod: changes({
      doc: 'Remove a module.',
      example: 'selinux.remove_semod mysql',
      args: { module },
      run: (ctx, { module }) => succeeds(ctx, ['semodule', '--remove', module]),
    }),
    list_semod: reads({
      doc: 'Return all modules.',
      run: modules,
      returns: ret.dict('The data by module'),
    }),
    filetype_id_to_string: reads({
      doc: 'Return the name of a file type.',
      example: 'selinux.filetype_id_to_string d',
      args: { filetype: arg.text('Letter of the file type', { default: 'a' }) },
      run: (_ctx, { filetype }) => fileType(filetype),
    }),
    fcontext_get_policy: reads({
      doc: 'Return the policy of a file specification.',
      example: 'selinux.fcontext_get_policy /srv',
      args: file,
      run: filePolicy,
    }),
    fcontext_add_policy: changes({
      doc: 'Add or change the policy of a file specification.',
      example: 'selinux.fcontext_add_policy /srv sel_type=httpd_sys_content_t',
      args: file,
      run: (ctx, request) => changeFilePolicy(ctx, 'add', request),
    }),
    fcontext_delete_policy: changes({
      doc: 'Remove the policy of a file specification.',
      example: 'selinux.fcontext_delete_policy /srv',
      args: file,
      run: (ctx, request) => changeFilePolicy(ctx, 'delete', request),
    }),
    fcontext_policy_is_applied: reads({
      doc: 'Return what restorecon would change; empty if the policy is applied.',
      example: 'selinux.fcontext_policy_is_applied /srv',
      args: applied,
      run: (ctx, { name, recursive }) => wouldRelabel(ctx, name, recursive),
    }),
    fcontext_apply_policy: changes({
      doc: 'Apply the policy to files.',
      example: 'selinux.fcontext_apply_policy /srv',
      args: applied,
      run: (ctx, args) => applyPolicy(ctx, args.name, args.recursive),
      returns: ret.dict('The result of restorecon, and `changes` by file'),
    }),
    port_get_policy: reads({
      doc: 'Return the policy of a port.',
      example: 'selinux.port_get_policy tcp/80',
      args: typed,
      run: (ctx, request) => portPolicy(ctx, request, request.sel_type),
    }),
    port_add_policy: changes({
      doc: 'Add the policy of a port.',
      example: 'selinux.port_add_policy tcp/8080 http_port_t',
      args: { ...typed, sel_range },
      run: (ctx, request) => changePortPolicy(ctx, 'add', request, request.sel_type, request.sel_range),
    }),
    port_modify_policy: changes({
      doc: 'Change the policy of a port.',
      example: 'selinux.port_modify_policy tcp/8080 http_port_t',
      args: { ...typed, sel_range },
      run: (ctx, request) => changePortPolicy(ctx, 'modify', request, request.sel_type, request.sel_range),
    }),
    port_delete_policy: changes({
      doc: 'Remove the policy of a port.',
      example: 'selinux.port_delete_policy tcp/8080',
      args: port,
      run: (ctx, request) => changePortPolicy(ctx, 'delete', request, null, null),
    }),
  },
})
