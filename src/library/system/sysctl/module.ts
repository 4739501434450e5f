// Kernel parameters of Linux, through sysctl. Persistent parameters are in a file, which is Salt's own where systemd reads
// /etc/sysctl.d.
import { failure, reEscape, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isBootedWithSystemd,
  isHostError,
  outputOf,
  type Result,
  reads,
  requiredProgram,
  runAll,
  systemdVersion,
  textAt,
} from '../../../sdk/mod.ts'

async function defaultFile(ctx: FunctionContext): Promise<string> {
  const isModern = (await isBootedWithSystemd(ctx.host)) && Number(await systemdVersion(ctx)) >= 207
  return isModern ? '/etc/sysctl.d/99-salt.conf' : '/etc/sysctl.conf'
}

/** Parse lines of `key = value`; a file may omit the spaces and have comments. */
function assignments(text: string, separator: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const line of splitLines(text)) {
    const at = line.indexOf(separator)
    if (at < 0 || line.trim().startsWith('#')) continue
    found[line.slice(0, at).trim()] = line.slice(at + separator.length).trim()
  }
  return found
}

async function show(ctx: FunctionContext, file: Value): Promise<Result> {
  if (!truthy(file)) {
    const all = [await requiredProgram(ctx, 'sysctl'), '-a']
    const shown = await ctx.call('cmd.run_stdout', [all], { output_loglevel: 'trace' })
    return assignments(str(shown), ' = ')
  }
  if (!(await ctx.host.access(str(file), 'exists'))) return []
  const text = await textAt(ctx.host, str(file))
  if (text === undefined) ctx.log('error', 'Could not open sysctl file')
  return text === undefined ? null : assignments(text, '=')
}

const get = async (ctx: FunctionContext, name: string): Promise<string> =>
  outputOf(ctx, [await requiredProgram(ctx, 'sysctl'), '-n', name])

async function assign(ctx: FunctionContext, name: string, value: string): Promise<Record<string, string>> {
  const path = name.replaceAll(/[./]/g, (mark) => (mark === '.' ? '/' : '.'))
  if (!(await ctx.host.access(`/proc/sys/${path}`, 'exists'))) throw failure(`sysctl ${name} does not exist`)
  const command = [await requiredProgram(ctx, 'sysctl'), '-w', `${name}=${value}`]
  const { retcode, stdout, stderr } = await runAll(ctx, command)
  const confirmed = new RegExp(`^${reEscape(name)}\\s+=\\s+${reEscape(value)}\\n?$`)
  if (!confirmed.test(stdout) || stderr.includes('Invalid argument')) {
    throw failure(`sysctl -w failed: ${retcode !== 0 && stderr !== '' ? stderr : stdout}`)
  }
  const at = stdout.indexOf(' = ')
  return { [stdout.slice(0, at)]: stdout.slice(at + 3) }
}

/** Replace white space of any kind and length by a tab. */
const normalized = (value: string): string => value.replaceAll(/\s+/g, '\t')

async function write(ctx: FunctionContext, file: string, text: string): Promise<void> {
  try {
    await ctx.host.write(file, text)
  } catch (error) {
    if (isHostError(error)) throw failure(`Could not write to file: ${file}`)
    throw error
  }
}

async function persist(ctx: FunctionContext, name: string, value: string, config: string | null): Promise<string> {
  const file = config ?? (await defaultFile(ctx))
  if ((await ctx.host.stat(file))?.type !== 'file') {
    await ctx.host.makeDirectory(file.slice(0, file.lastIndexOf('/')) || '/', { parents: true })
    await write(ctx, file, '#\n# Kernel sysctl configuration\n#\n')
  }
  const text = await textAt(ctx.host, file)
  if (text === undefined) throw failure(`Could not read from file: ${file}`)
  const wanted = `${name} = ${value}\n`
  let isSet = false
  const lines: string[] = []
  for (const line of splitLines(text, true)) {
    const at = line.indexOf('=')
    if (at < 0 || line.slice(0, at).trim() !== name) {
      lines.push(line)
      continue
    }
    if (normalized(line.slice(at + 1).trim()) === normalized(value)) {
      if (normalized(await get(ctx, name)) === normalized(value)) return 'Already set'
      await assign(ctx, name, value)
      return 'Updated'
    }
    lines.push(wanted)
    isSet = true
  }
  await write(ctx, file, lines.join('') + (isSet ? '' : wanted))
  await assign(ctx, name, value)
  return 'Updated'
}

const name = arg.string('Parameter')
const value = arg.string('Value, as number or text')

export default defineModule({
  name: 'linux_sysctl',
  doc: 'Manage kernel parameters.',
  virtual: 'sysctl',
  when: ({ grains }) =>
    grains.get('kernel') === 'Linux' ||
    'The linux_sysctl execution module cannot be loaded: only available on Linux systems.',
  functions: {
    default_config: reads({
      doc: 'Return the path of the file with persistent parameters.',
      run: defaultFile,
    }),
    show: reads({
      doc: 'Return all parameters, or those in a file.',
      args: { config_file: arg.any('Path of a file; False for the active parameters', { default: false }) },
      run: (ctx, { config_file }) => show(ctx, config_file),
    }),
    get: reads({
      doc: 'Return a parameter.',
      example: 'sysctl.get net.ipv4.ip_forward',
      args: { name },
      run: (ctx, { name }) => get(ctx, name),
    }),
    assign: changes({
      doc: 'Set a parameter until the next boot.',
      example: 'sysctl.assign net.ipv4.ip_forward 1',
      args: { name, value },
      run: (ctx, { name, value }) => assign(ctx, name, value),
    }),
    persist: changes({
      doc: 'Set a parameter persistently.',
      example: 'sysctl.persist net.ipv4.ip_forward 1',
      args: {
        name,
        value,
        config: arg.text('Path of the file; default: the result of default_config', { optional: true }),
      },
      run: (ctx, { name, value, config }) => persist(ctx, name, value, config),
    }),
  },
})
